package purchase

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/store/outbound"
	"earshot/internal/upstream"
)

// vendorClient returns an upstream of a vendor that is never contacted.
func vendorClient(t *testing.T, name string) *upstream.Client {
	t.Helper()
	c, err := upstream.NewClient(upstream.Config{Name: "via:" + name, Via: name, Surface: earshot.SurfaceVendor, API: &upstream.API{Name: name}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// ordering returns a basket that is kept in memory, with orders from before.
func (d *Desk) ordering(before ...*outbound.Purchase) *basket {
	return &basket{desk: d, ledger: &memory{}, id: "job", job: "job", provider: "chat", purchases: before}
}

// order makes an attempt that orders an answer.
func (d *Desk) order(ctx context.Context, b *basket, o *upstream.Order) error {
	a := d.attemptAt("")
	a.basket = b
	return d.try(ctx, a, func(s *upstream.Session) error {
		_, err := s.Order(ctx, o)
		return err
	})
}

// TestOrder checks the state transitions of an order. state is the state that an earlier
// node stored, or "" without an order.
func TestOrder(t *testing.T) {
	t.Parallel()
	refused := &upstream.Failure{Reason: earshot.ReasonBlocked, Err: errors.New("status 400"), Refused: true}
	taken := &upstream.Failure{Reason: earshot.ReasonUnavailable, Err: errors.New("status 409"), Refused: true, Status: http.StatusConflict}
	lostConnection := &upstream.Failure{Reason: earshot.ReasonUnavailable, Err: errors.New("connection reset")}
	gaveUp := &upstream.Failure{Reason: earshot.ReasonUnavailable, Err: errors.New("FAILED")}
	for _, c := range []struct {
		name       string
		state      string
		late       bool // the deadline has passed
		earlier    bool // it was ordered for a job that this one repeats
		submit     error
		poll       error
		judged     *upstream.Failure
		cancelled  bool
		idempotent bool
		found      string // what Find returns; "-" for a vendor without Find
		want       string
		submitted  int
		pending    bool
		reason     earshot.Reason
	}{
		{name: "answered at once", found: "-", want: stateAnswered, submitted: 1},
		{name: "not ready", found: "-", poll: upstream.ErrNotReady, want: stateOpen, submitted: 1, pending: true},
		{name: "refused", found: "-", submit: refused, want: stateBlocked, submitted: 1, reason: earshot.ReasonBlocked},
		{name: "connection lost", found: "-", submit: lostConnection, want: stateUnknown, submitted: 1, reason: earshot.ReasonUnavailable},
		{name: "connection lost, with a key", found: "-", idempotent: true, submit: lostConnection, want: stateSent, submitted: 1, pending: true},
		{name: "interrupted, connection lost", state: stateSent, found: "-", idempotent: true, submit: lostConnection, want: stateSent, submitted: 1, pending: true},
		{name: "interrupted, connection lost until the deadline", state: stateSent, late: true, found: "-", idempotent: true, submit: lostConnection, want: stateSent, submitted: 1, reason: earshot.ReasonTimeout},
		{name: "interrupted, and the key is taken", state: stateSent, found: "-", idempotent: true, submit: taken, want: stateUnknown, submitted: 1, reason: earshot.ReasonUnavailable},
		{name: "the vendor gave up", found: "-", judged: gaveUp, want: stateFailed, submitted: 1, reason: earshot.ReasonUnavailable},
		{name: "the vendor found nothing", found: "-", judged: &upstream.Failure{Reason: earshot.ReasonEmpty, Err: errors.New("no text"), Final: true}, want: stateNothing, submitted: 1, reason: earshot.ReasonEmpty},
		{name: "a poll fails", found: "-", poll: lostConnection, want: stateOpen, submitted: 1, pending: true},
		{name: "taken over", state: stateOpen, found: "-", want: stateAnswered},
		{name: "taken over after the answer", state: stateAnswered, found: "-", want: stateAnswered},
		{name: "taken over after a late answer", state: stateLate, found: "-", want: stateAnswered},
		{name: "taken over too late", state: stateOpen, late: true, found: "-", poll: upstream.ErrNotReady, want: stateOpen, reason: earshot.ReasonTimeout, cancelled: true},
		{name: "answered after the deadline", state: stateOpen, late: true, found: "-", want: stateAnswered},
		{name: "given up before", state: stateUnknown, found: "-", want: stateUnknown, reason: earshot.ReasonTimeout},
		{name: "given up before by an earlier job", state: stateUnknown, earlier: true, found: "-", want: stateAnswered, submitted: 1},
		{name: "interrupted", state: stateSent, found: "-", want: stateUnknown, reason: earshot.ReasonUnavailable},
		{name: "interrupted, with a key", state: stateSent, found: "-", idempotent: true, want: stateAnswered, submitted: 1},
		{name: "interrupted and found", state: stateSent, found: "v1", want: stateAnswered},
		{name: "interrupted before it was sent", state: stateSent, found: "", want: stateAnswered, submitted: 1},
		{name: "failed before", state: stateFailed, found: "-", want: stateAnswered, submitted: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := routes(vendorClient(t, "x"))
				b := d.ordering()
				if c.state != "" {
					p := &outbound.Purchase{Number: 1, Key: "job-1", Item: itemOrder, Upstream: "via:x", VendorID: "v0", State: c.state, Job: "job", SentAt: time.Now(), Deadline: time.Now().Add(time.Hour)}
					if c.state == stateSent {
						p.VendorID = ""
					}
					if c.earlier {
						p.Job = "earlier"
					}
					if c.late {
						p.Deadline = time.Now().Add(-time.Second)
					}
					b = d.ordering(p)
				}
				submitted, cancelled := 0, 0
				order := &upstream.Order{
					Wait: time.Minute, Every: time.Second, Idempotent: c.idempotent,
					Submit: func(context.Context, string) (string, *upstream.USD, error) {
						submitted++
						if last := b.purchases[len(b.purchases)-1]; last.State != stateSent {
							t.Errorf("the order was stored as %q before it was submitted", last.State)
						}
						return "v1", nil, c.submit
					},
					Poll:   func(context.Context, string) ([]byte, error) { return []byte("document"), c.poll },
					Judge:  func([]byte) upstream.Verdict { return upstream.Verdict{Failure: c.judged} },
					Cancel: func(context.Context, string) error { cancelled++; return lostConnection },
				}
				if c.found != "-" {
					order.Find = func(context.Context, string, time.Time) (string, *upstream.USD, error) { return c.found, nil, nil }
				}
				err := d.order(t.Context(), b, order)
				if got := b.purchases[len(b.purchases)-1].State; got != c.want {
					t.Errorf("the order is %q, want %q", got, c.want)
				}
				if submitted != c.submitted {
					t.Errorf("the question was submitted %d times, want %d", submitted, c.submitted)
				}
				if (cancelled == 1) != c.cancelled {
					t.Errorf("the question was cancelled %d times", cancelled)
				}
				if _, pending := errors.AsType[*upstream.Pending](err); pending != c.pending {
					t.Errorf("the error is %v, want one that is pending: %t", err, c.pending)
				}
				failure, _ := errors.AsType[*upstream.Failure](err)
				if (failure == nil) != (c.reason == "") || failure != nil && failure.Reason != c.reason {
					t.Errorf("the failure is %v, want %q", err, c.reason)
				}
			})
		})
	}
}

// TestAnOpenOrderKeepsOthersFromBeingAsked proves that an attempt continues with the
// upstream that has an order, and asks no other until its deadline.
func TestAnOpenOrderKeepsOthersFromBeingAsked(t *testing.T) {
	t.Parallel()
	d := routes(vendorClient(t, "first"), vendorClient(t, "second"), vendorClient(t, "third"))
	b := d.ordering(&outbound.Purchase{Number: 1, Key: "job-1", Item: itemOrder, Upstream: "via:second", VendorID: "v1", State: stateOpen, SentAt: time.Now(), Deadline: time.Now().Add(time.Hour)})
	var asked []string
	a := d.attemptAt("")
	a.basket = b
	err := d.try(t.Context(), a, func(s *upstream.Session) error {
		asked = append(asked, s.Upstream())
		_, err := s.Order(t.Context(), &upstream.Order{Wait: time.Minute, Poll: func(context.Context, string) ([]byte, error) { return nil, upstream.ErrNotReady }})
		return err
	})
	if _, pending := errors.AsType[*upstream.Pending](err); !pending || len(asked) != 1 || asked[0] != "via:second" {
		t.Errorf("%v were asked, and the error is %v", asked, err)
	}
}

// TestSubmissionsDecideAboutTheCircuit proves that submissions without a clear answer open the
// circuit of a vendor, and that an accepted submission closes it before its answer is there.
func TestSubmissionsDecideAboutTheCircuit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := routes(vendorClient(t, "x"))
		var submit error = &upstream.Failure{Reason: earshot.ReasonUnavailable, Err: errors.New("connection reset")}
		submissions := 0
		ask := func() error {
			return d.order(t.Context(), d.ordering(), &upstream.Order{
				Wait: time.Hour, Idempotent: true,
				Submit: func(context.Context, string) (string, *upstream.USD, error) { submissions++; return "v1", nil, submit },
				Poll:   func(context.Context, string) ([]byte, error) { return nil, upstream.ErrNotReady },
			})
		}
		for range 5 {
			if _, pending := errors.AsType[*upstream.Pending](ask()); !pending {
				t.Fatal("a submission without a clear answer is not pending")
			}
		}
		if failure, ok := errors.AsType[*upstream.Failure](ask()); !ok || !failure.Skipped {
			t.Error("after five failures the circuit is not open")
		}
		time.Sleep(time.Minute)
		submit, submissions = nil, 0
		for range 3 {
			if err := ask(); err == nil {
				t.Error("there is an answer")
			}
		}
		if submissions != 3 {
			t.Errorf("%d questions were submitted after the vendor was back, want 3", submissions)
		}
	})
}

// TestAnInterruptedSubmissionIsLookedUpLater proves that a vendor whose list of questions
// lags is asked for it only when the list is complete, and again after each submission.
func TestAnInterruptedSubmissionIsLookedUpLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := routes(vendorClient(t, "x"))
		b := d.ordering()
		var looked, submitted []time.Duration // after the beginning
		began := time.Now()
		order := &upstream.Order{
			Wait: time.Hour, Every: time.Second, FindAfter: 3 * time.Minute,
			Submit: func(context.Context, string) (string, *upstream.USD, error) {
				if sent := b.purchases[0].SentAt; !sent.Equal(time.Now()) {
					t.Errorf("the stored order was submitted at %s, it is %s", sent, time.Now())
				}
				submitted = append(submitted, time.Since(began))
				return "", nil, &upstream.Failure{Reason: earshot.ReasonUnavailable, Err: errors.New("connection reset")}
			},
			Find: func(_ context.Context, _ string, at time.Time) (string, *upstream.USD, error) {
				looked = append(looked, at.Sub(began))
				return "", nil, nil
			},
		}
		for range 3 {
			if _, pending := errors.AsType[*upstream.Pending](d.order(t.Context(), b, order)); !pending {
				t.Fatal("a submission without a clear answer is not pending")
			}
			time.Sleep(time.Second)
			err := d.order(t.Context(), b, order)
			pending, ok := errors.AsType[*upstream.Pending](err)
			if !ok || pending.After != 3*time.Minute-time.Second {
				t.Fatalf("right after a submission: %v", err)
			}
			time.Sleep(pending.After)
		}
		if diff := cmp.Diff([]time.Duration{0, 3 * time.Minute, 6 * time.Minute}, submitted); diff != "" {
			t.Errorf("submissions (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]time.Duration{0, 3 * time.Minute}, looked); diff != "" {
			t.Errorf("lookups (-want +got):\n%s", diff)
		}
	})
}

// TestReportedChargesAreAdded proves that charges which a vendor reports when it accepts a question and
// with its answer are added, and that each counts once.
func TestReportedChargesAreAdded(t *testing.T) {
	t.Parallel()
	d := routes(vendorClient(t, "x"))
	b := d.ordering()
	for i, poll := range []error{upstream.ErrNotReady, upstream.ErrNotReady, nil, nil} {
		err := d.order(t.Context(), b, &upstream.Order{
			Wait: time.Minute, Poll: func(context.Context, string) ([]byte, error) { return []byte("document"), poll },
			Submit: func(context.Context, string) (string, *upstream.USD, error) {
				return "v1", new(upstream.USD(1200)), nil
			},
			Judge: func([]byte) upstream.Verdict { return upstream.Verdict{Charge: new(upstream.USD(34))} },
		})
		if sum, estimated := b.charged("via:x"); i >= 2 && (err != nil || sum != 1234 || estimated != 0) {
			t.Errorf("charged %d, %d estimates, %v", sum, estimated, err)
		}
	}
}

// TestUnreadablePollsEndTheWait polls an order whose vendor answers with something else: the job waits for
// a few of them, not until the deadline. A readable answer in between begins again.
func TestUnreadablePollsEndTheWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := routes(vendorClient(t, "x"))
		b := d.ordering()
		polls := 0
		order := &upstream.Order{
			Wait: time.Hour, Every: time.Second,
			Submit: func(context.Context, string) (string, *upstream.USD, error) { return "v1", nil, nil },
			Poll: func(context.Context, string) ([]byte, error) {
				if polls++; polls == maxGarbled {
					return nil, upstream.ErrNotReady
				}
				return nil, upstream.Fail(earshot.ReasonUnreadable, "no JSON")
			},
		}
		for {
			err := d.order(t.Context(), b, order)
			if pending, waits := errors.AsType[*upstream.Pending](err); waits {
				time.Sleep(pending.After)
				continue
			}
			failure, _ := errors.AsType[*upstream.Failure](err)
			if failure == nil || failure.Reason != earshot.ReasonUnreadable || !failure.Final || polls != 2*maxGarbled {
				t.Errorf("after %d polls: %v", polls, err)
			}
			break
		}
		if p := b.purchases[0]; p.State != stateOpen || len(b.purchases) != 1 {
			t.Errorf("%d orders, the first is %s", len(b.purchases), p.State)
		}
	})
}

// TestInterruptedCharge checks that a charge which the vendor has reported is booked, not the price.
func TestInterruptedCharge(t *testing.T) {
	t.Parallel()
	if e := interrupted(&outbound.Purchase{Charged: 12, Reserved: 40}); e.charged != 12 || e.estimated {
		t.Errorf("booked are %d, estimated: %v", e.charged, e.estimated)
	}
	if e := interrupted(&outbound.Purchase{Reserved: 40}); e.charged != 40 || !e.estimated {
		t.Errorf("without a report, booked are %d, estimated: %v", e.charged, e.estimated)
	}
}
