package purchase_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.uber.org/goleak"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/purchase"
	"earshot/internal/store"
	"earshot/internal/store/storetest"
	"earshot/internal/upstream"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A page that fails is asked again alone, and a repeated call buys only what is missing.
func TestPagesAreBoughtOnce(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *store.Store, o *account.Organization) {
		shop := newShop(t)
		n := newNode(t, s, o, 0, shop)
		shop.plan("q/6", "refuse", "drop", "refuse")
		if out := n.ask(t.Context(), wish{Q: "q", Pages: 10}, ""); out.Err != nil {
			t.Fatal(out.Err)
		}
		for page := range 10 {
			want := 1
			if page == 6 {
				want = 2 // one answer was lost
			}
			if times := shop.times("q/" + strconv.Itoa(page)); times != want {
				t.Errorf("page %d was charged %d times", page, times)
			}
		}
		shop.plan("r/2", "forbid")
		if out := n.ask(t.Context(), wish{Q: "r", Pages: 3}, "key"); out.Err == nil {
			t.Fatal("a forbidden page was answered")
		}
		if out := n.ask(t.Context(), wish{Q: "r", Pages: 3}, "key"); out.Err != nil {
			t.Fatal(out.Err)
		}
		for page := range 3 {
			if shop.times("r/"+strconv.Itoa(page)) != 1 {
				t.Errorf("page %d of the repeated call was charged %d times", page, shop.times("r/"+strconv.Itoa(page)))
			}
		}
		if n.booked() != shop.charged() || n.reserved() != 0 {
			t.Errorf("booked %d, charged %d, reserved %d", n.booked(), shop.charged(), n.reserved())
		}
	})
}

// A task whose nodes died too often still reads an answer that was bought for it.
func TestAKeptAnswerOutlivesManyNodes(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *store.Store, o *account.Organization) {
		shop := newShop(t)
		n := newNode(t, s, o, 0, shop)
		w := wish{Q: "q", Pages: 1}
		job := n.begin(w, "")
		n.Buy(t.Context(), &purchase.Call{Job: job, Request: w}) // its node dies before it settles
		job.Attempts = 6
		out := n.Buy(t.Context(), &purchase.Call{Job: job, Request: w})
		n.settle(job, out)
		if out.Err != nil || shop.times("q/0") != 1 {
			t.Errorf("charged %d times, %v", shop.times("q/0"), out.Err)
		}
	})
}

// The task that replaces a failed call buys only what is missing.
func TestARetryBuysWhatIsMissing(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *store.Store, o *account.Organization) {
		shop := newShop(t)
		n := newNode(t, s, o, 0, shop)
		w := wish{Q: "q", Pages: 3}
		shop.plan("q/2", "forbid")
		failed := n.begin(w, "")
		n.settle(failed, n.Buy(t.Context(), &purchase.Call{Job: failed, Request: w}))
		task := store.Job{
			ID: uuid.Must(uuid.NewV7()).String(), Organization: o.ID, KeyID: "key", Provider: "fake", Request: failed.Request, CreatedAt: s.Now(), Priority: 1,
		}
		if err := s.Retry(o.ID, []*store.Retry{{Failed: failed.ID, Task: task}}, s.Now()); err != nil {
			t.Fatal(err)
		}
		limits := store.ClaimLimits{Tasks: 1, Room: func(string) int { return 1 }}
		claimed, _, err := s.Claim(t.Context(), n.id, limits, s.Now())
		if err != nil || len(claimed) != 1 {
			t.Fatalf("claimed %d tasks, %v", len(claimed), err)
		}
		out := n.Buy(t.Context(), &purchase.Call{Job: claimed[0], Request: w})
		n.settle(claimed[0], out)
		for page := range 3 {
			if times := shop.times("q/" + strconv.Itoa(page)); times != 1 || out.Err != nil {
				t.Errorf("page %d was charged %d times: %v", page, times, out.Err)
			}
		}
		if n.booked() != shop.charged() {
			t.Errorf("booked %d, charged %d", n.booked(), shop.charged())
		}
	})
}

// After two requests that were charged in vain, nothing more is bought.
func TestChargedFailuresAreLimited(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *store.Store, o *account.Organization) {
		for _, fault := range []string{"drop", "html"} {
			first, second := newShop(t), newShop(t)
			n := newNode(t, s, o, 0, first, second)
			first.plan("q/0", fault, fault, fault, fault, fault)
			second.plan("q/0", fault, fault, fault, fault, fault)
			if out := n.ask(t.Context(), wish{Q: "q", Pages: 1}, ""); out.Err == nil {
				t.Fatal("it was answered")
			}
			if times := first.times("q/0") + second.times("q/0"); times != 2 {
				t.Errorf("%s: charged %d times", fault, times)
			}
			only := newNode(t, s, o, 0, first)
			out := only.ask(t.Context(), wish{Q: "q", Pages: 1}, "")
			want := map[string]earshot.Reason{"drop": earshot.ReasonUnavailable, "html": earshot.ReasonUnreadable}[fault]
			if failure, _ := errors.AsType[*upstream.Failure](out.Err); failure == nil || failure.Reason != want || failure.Skipped || out.Attempts != 2 {
				t.Errorf("%s: %d attempts end with %v", fault, out.Attempts, out.Err)
			}
		}
	})
}

// An upstream that found nothing is not asked again.
func TestNothingFoundIsFinal(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *store.Store, o *account.Organization) {
		shop := newShop(t)
		n := newNode(t, s, o, 0, shop)
		shop.plan("q/0", "empty", "empty")
		out := n.ask(t.Context(), wish{Q: "q", Pages: 1}, "")
		if shop.times("q/0") != 1 || out.Err == nil || out.Attempts != 1 {
			t.Errorf("charged %d times in %d attempts: %v", shop.times("q/0"), out.Attempts, out.Err)
		}
	})
}

// A reader of errors that panics does not end the process: the request may have been charged.
func TestReaderOfErrorsPanics(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *store.Store, o *account.Organization) {
		shop := newShop(t)
		n := newNode(t, s, o, 0, shop)
		shop.plan("q/0", "teapot")
		if out := n.ask(t.Context(), wish{Q: "q", Pages: 1}, ""); out.Err != nil || n.booked() != 2*orderPrice || n.reserved() != 0 {
			t.Errorf("booked %d, reserved %d: %v", n.booked(), n.reserved(), out.Err)
		}
	})
}

// A kept page that another version of the service cannot read is bought again, once.
func TestKeptPageIsUnreadable(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *store.Store, o *account.Organization) {
		shop := newShop(t)
		n := newNode(t, s, o, 0, shop)
		w := wish{Q: "q", Pages: 2}
		shop.plan("q/1", "forbid", "forbid")
		n.ask(t.Context(), w, "key")
		w.judge = func(document []byte) upstream.Verdict { // q/0 is unreadable while it was bought once
			if shop.times("q/0") == 1 {
				return upstream.Verdict{Failure: upstream.Fail(earshot.ReasonUnreadable, "not what it was")}
			}
			return judgePage(document)
		}
		n.ask(t.Context(), w, "key")
		if out := n.ask(t.Context(), w, "key"); out.Err != nil || shop.times("q/0") != 2 || n.booked() != shop.charged() {
			t.Errorf("charged %d times, booked %d of %d: %v", shop.times("q/0"), n.booked(), shop.charged(), out.Err)
		}
	})
}

// Concurrent calls on two nodes never spend more than the ceiling.
func TestCeiling(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := storetest.Open(t, address)
		o := storetest.Organization(t, s, 1000, 1_000_000)
		shop := newShop(t)
		const ceiling = 5 * orderPrice
		nodes := []*node{newNode(t, s, o, ceiling, shop), newNode(t, s, o, ceiling, shop)}
		var group sync.WaitGroup
		for i := range 60 {
			group.Go(func() { nodes[i%2].ask(t.Context(), wish{Q: strconv.Itoa(i), Pages: 1}, "") })
		}
		group.Wait()
		if booked := nodes[0].booked(); booked != ceiling || nodes[0].reserved() != 0 {
			t.Errorf("booked %d of %d, %d are reserved", booked, ceiling, nodes[0].reserved())
		}
	})
}

// An answer that arrives after its caller has left is booked, stored with the failed call, and used
// by a repeated call.
func TestLateAnswer(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *store.Store, o *account.Organization) {
		shop := newShop(t)
		n := newNode(t, s, o, 0, shop)
		shop.plan("q/0", "hang")
		ctx, leave := context.WithCancel(t.Context())
		job := n.begin(wish{Q: "q", Pages: 1}, "key")
		go func() {
			n.until(func() bool { return shop.began("q/0") })
			time.AfterFunc(20*time.Millisecond, leave)
		}()
		out := n.Buy(ctx, &purchase.Call{Job: job, Request: wish{Q: "q", Pages: 1}})
		n.settle(job, out)
		if earshot.ErrorCode(out.Err) != earshot.CodeCanceled {
			t.Fatalf("the call ended with %v", out.Err)
		}
		if n.reserved() == 0 {
			t.Error("nothing is reserved while the request is under way")
		}
		close(shop.hold)
		n.until(func() bool {
			if err := n.CollectLate(t.Context(), s.Now()); err != nil {
				t.Fatal(err)
			}
			task, err := s.Request(t.Context(), o.ID, job.ID)
			return err == nil && len(task.Result) > 0 && task.Status == earshot.StatusFailed
		})
		again := n.ask(t.Context(), wish{Q: "q", Pages: 1}, "key")
		if again.Err != nil || shop.times("q/0") != 1 || n.booked() != orderPrice || n.reserved() != 0 {
			t.Errorf("charged %d times, booked %d, reserved %d: %v", shop.times("q/0"), n.booked(), n.reserved(), again.Err)
		}
	})
}

// until waits until a condition holds.
func (n *node) until(holds func() bool) {
	n.t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			n.t.Fatal("it did not happen within a minute")
		}
	}
}

// A request of a process that died may have been charged: the next owner books it and may repeat it.
func TestKilled(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *store.Store, o *account.Organization) {
		shop := newShop(t)
		killed := newNode(t, s, o, 0, shop)
		shop.plan("q/1", "hang")
		job := killed.begin(wish{Q: "q", Pages: 2}, "")
		ctx, kill := context.WithCancel(t.Context())
		go func() {
			killed.until(func() bool { return shop.began("q/1") })
			kill()
		}()
		killed.Buy(ctx, &purchase.Call{Job: job, Request: wish{Q: "q", Pages: 2}})
		dead, stop := context.WithCancel(t.Context())
		stop()
		killed.Stop(dead) // its requests end without a trace
		close(shop.hold)
		if err := s.RemoveNode(killed.id); err != nil {
			t.Fatal(err)
		}
		if _, err := s.ReleaseLost(t.Context(), s.Now()); err != nil {
			t.Fatal(err)
		}
		n := newNode(t, s, o, 0, shop)
		n.until(func() bool {
			if err := n.CollectLate(t.Context(), s.Now()); err != nil {
				t.Fatal(err)
			}
			return n.reserved() == 0
		})
		if n.booked() != orderPrice+pagePrice {
			t.Errorf("booked %d, want %d", n.booked(), orderPrice+pagePrice)
		}
	})
}

// An order of an upstream that was removed ends, and its price is booked.
func TestRemovedUpstream(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *store.Store, o *account.Organization) {
		shop := newShop(t)
		before := newNode(t, s, o, 0, shop)
		job := before.begin(wish{Q: "q", Wait: 3_600_000}, "")
		job.Mode = store.ModeAsync // it returns while the order is open
		out := before.Buy(t.Context(), &purchase.Call{Job: job, Request: wish{Q: "q", Wait: 3_600_000}})
		if out.Wait == 0 || before.reserved() != int64(orderPrice) {
			t.Fatalf("it waits %s, %d are reserved", out.Wait, before.reserved())
		}
		after := newNode(t, s, o, 0)
		after.settle(job, &purchase.Outcome{Attempts: 1, Err: context.Canceled})
		after.until(func() bool {
			if err := after.CollectLate(t.Context(), s.Now()); err != nil {
				t.Fatal(err)
			}
			return after.reserved() == 0
		})
		if after.booked() != orderPrice {
			t.Errorf("booked %d", after.booked())
		}
	})
}

// TestAtRandom drives calls through faults, repetitions, clients that leave and nodes that die, in a random
// order, and compares what is booked with the shops' own ledgers.
func TestAtRandom(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *store.Store, o *account.Organization) {
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		random := rand.New(rand.NewPCG(seed, 0))
		shops := []*shop{newShop(t), newShop(t)}
		n := newNode(t, s, o, 0, shops...)
		kills := 0
		for i := range 60 {
			item := strconv.Itoa(i / 2) // every call is repeated with its key
			w := wish{Q: item, Pages: 1 + i%6/2}
			if i/2%2 == 0 {
				w = wish{Q: item, Wait: 50}
			}
			for _, shop := range shops {
				for page := range w.Pages {
					shop.plan(item+"/"+strconv.Itoa(page), pick(random, "", "", "refuse", "drop", "html", "empty"))
				}
				shop.plan(item, pick(random, "", "late", "fail", "refuse", "drop"), pick(random, "", "late", "fail"))
			}
			ctx, cancel := context.WithCancel(t.Context())
			if random.IntN(4) == 0 {
				time.AfterFunc(time.Duration(random.IntN(20))*time.Millisecond, cancel)
			}
			n.ask(ctx, w, "key-"+item)
			cancel()
			if random.IntN(10) == 0 {
				dead, stop := context.WithCancel(t.Context())
				stop()
				n.Stop(dead)
				kills++
				if err := s.RemoveNode(n.id); err != nil {
					t.Fatal(err)
				}
				n = newNode(t, s, o, 0, shops...)
			}
		}
		n.until(func() bool {
			if err := n.CollectLate(t.Context(), s.Now()); err != nil {
				t.Fatal(err)
			}
			return n.reserved() == 0
		})
		charged := shops[0].charged() + shops[1].charged()
		// A node may die between reserving and sending.
		if extra := n.booked() - charged; extra < 0 || extra > upstream.USD(kills)*4*orderPrice {
			t.Errorf("booked %d, the shops charged %d, and %d nodes died", n.booked(), charged, kills)
		}
		for _, shop := range shops {
			for item, times := range shop.bought {
				if times > 4 { // two jobs, each with at most two requests in vain
					t.Errorf("%s was charged %d times", item, times)
				}
			}
		}
		storetest.Audited(t, s)
	})
}

func pick(random *rand.Rand, from ...string) string { return from[random.IntN(len(from))] }
