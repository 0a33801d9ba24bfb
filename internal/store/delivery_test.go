package store_test

import (
	"slices"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/storetest"
)

// announced ends n tasks that have a webhook with the given URL, and returns them.
func announced(t *testing.T, s *store.Store, o *account.Organization, node, url string, n int) []store.Job {
	t.Helper()
	tasks := someTasks(o, n)
	for i := range tasks {
		tasks[i].WebhookURL = &url
	}
	submit(t, s, o, tasks...)
	for range tasks {
		for _, job := range claimed(t, s, node, 1) {
			settle(t, s, completed(job, 5), time.Now())
		}
	}
	return tasks
}

// receivers leases the due receivers.
func receivers(t *testing.T, s *store.Store, now time.Time) []*store.Receiver {
	t.Helper()
	due, err := s.ClaimReceivers(10, 2, nil, time.Minute, now)
	if err != nil {
		t.Fatal(err)
	}
	return due
}

func tried(r *store.Receiver, delivered bool, next time.Time) (all []store.Tried) {
	for _, d := range r.Due {
		all = append(all, store.Tried{
			Delivery: d, Delivered: delivered, Next: next, Try: earshot.DeliveryTry{At: earshot.Timestamp{Time: time.Now()}, Status: 500},
		})
	}
	return all
}

func release(t *testing.T, s *store.Store, r *store.Receiver, tries []store.Tried) {
	t.Helper()
	if err := s.Release(r, tries); err != nil {
		t.Fatal(err)
	}
}

func TestDeliveriesAreLeasedByReceiver(t *testing.T) {
	t.Parallel()
	onEach(t, 5, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		announced(t, s, o, node, "https://slow.example.com/a", 3)
		announced(t, s, o, node, "https://quick.example.com/b", 1)
		now := time.Now().Add(time.Second)
		first := receivers(t, s, now)
		if len(first) != 2 || len(first[0].Due) != 2 || len(first[1].Due) != 1 {
			t.Fatalf("got %d receivers", len(first))
		}
		if again := receivers(t, s, now); len(again) != 0 {
			t.Errorf("%d leased receivers were leased again", len(again))
		}
		later := receivers(t, s, now.Add(2*time.Minute))
		if len(later) != 2 {
			t.Fatalf("%d receivers were leased after the lease had ended, want 2", len(later))
		}
		release(t, s, first[0], nil)
		if early := receivers(t, s, now.Add(2*time.Minute)); len(early) != 0 {
			t.Error("a node has ended the lease of another one")
		}
		slices.SortFunc(later, func(a, b *store.Receiver) int { return len(b.Due) - len(a.Due) })
		release(t, s, later[0], tried(later[0], true, time.Time{}))
		second := receivers(t, s, now)
		if len(second) != 1 || len(second[0].Due) != 1 {
			t.Fatalf("the third delivery did not follow: %d receivers", len(second))
		}
		release(t, s, second[0], tried(second[0], true, time.Time{}))
		if done := receivers(t, s, now); len(done) != 0 {
			t.Errorf("%d receivers are due after all was delivered", len(done))
		}
		storetest.Audited(t, s)
	})
}

func TestAFailedDeliveryIsRetriedWhenItIsDue(t *testing.T) {
	t.Parallel()
	onEach(t, 5, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		task := announced(t, s, o, node, "https://hooks.example.com/a", 1)[0]
		now := time.Now().Add(time.Second)
		r := receivers(t, s, now)[0]
		release(t, s, r, tried(r, false, now.Add(30*time.Second)))
		if early := receivers(t, s, now.Add(29*time.Second)); len(early) != 0 {
			t.Error("it came back early")
		}
		back := receivers(t, s, now.Add(30*time.Second))
		if len(back) != 1 || back[0].Due[0].Series != 1 || len(back[0].Due[0].Tries) != 1 || back[0].Due[0].Tries[0].Status != 500 {
			t.Fatalf("it came back as %+v", back)
		}
		release(t, s, back[0], tried(back[0], false, time.Time{})) // the last try
		d, err := s.Delivery(t.Context(), o.ID, task.ID)
		if err != nil || !d.DueAt.IsZero() || !d.DeliveredAt.IsZero() || d.Attempts != 2 {
			t.Errorf("it was given up as %+v, %v", d, err)
		}
		failed, err := s.Deliveries(t.Context(), o.ID, store.DeliveryFilter{State: "failed", Limit: 10})
		if err != nil || len(failed) != 1 {
			t.Errorf("%d deliveries have failed, %v", len(failed), err)
		}
		if _, err := s.Resend(t.Context(), o.ID, task.ID, now); err != nil {
			t.Fatal(err)
		}
		if again := receivers(t, s, now); len(again) != 1 || again[0].Due[0].Series != 0 || again[0].Due[0].Attempts != 2 {
			t.Errorf("it was resent as %+v", again)
		}
		storetest.Audited(t, s)
	})
}

func TestDeliveriesAreListedByStateNewestFirst(t *testing.T) {
	t.Parallel()
	onEach(t, 5, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		tasks := announced(t, s, o, node, "https://hooks.example.com/a", 4)
		r := receivers(t, s, time.Now().Add(time.Second))[0]
		tries := tried(r, false, time.Time{})
		tries[0].Delivered = true
		release(t, s, r, tries)
		for state, want := range map[string]int{"pending": 2, "delivered": 1, "failed": 1, "": 4} {
			var listed []string
			for before := ""; ; before = listed[len(listed)-1] {
				page, err := s.Deliveries(t.Context(), o.ID, store.DeliveryFilter{State: state, Before: before, Limit: 1})
				if err != nil {
					t.Fatal(err)
				}
				if len(page) == 0 {
					break
				}
				listed = append(listed, page[0].Job)
			}
			if len(listed) != want || state == "" && (listed[0] != tasks[3].ID || listed[3] != tasks[0].ID) {
				t.Errorf("%q: %q are listed, want %d of %q", state, listed, want, ids(tasks))
			}
		}
	})
}

func TestAResendDuringATryIsNotLost(t *testing.T) {
	t.Parallel()
	onEach(t, 5, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		task := announced(t, s, o, node, "https://hooks.example.com/a", 1)[0]
		now := time.Now().Add(time.Second)
		r := receivers(t, s, now)[0]
		if _, err := s.Resend(t.Context(), o.ID, task.ID, now); err != nil {
			t.Fatal(err)
		}
		release(t, s, r, tried(r, true, time.Time{}))
		if again := receivers(t, s, now); len(again) != 1 || len(again[0].Due) != 1 {
			t.Errorf("it was not sent again: %+v", again)
		}
	})
}

func TestARotatedSecretStaysValidForADay(t *testing.T) {
	t.Parallel()
	onEach(t, 5, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		announced(t, s, o, node, "https://hooks.example.com/a", 1)
		rotated := time.Now().Add(time.Second)
		if err := s.RotateSecret(o.ID, "new", account.Operator(), rotated); err != nil {
			t.Fatal(err)
		}
		for after, want := range map[time.Duration]int{time.Hour: 2, 25 * time.Hour: 1} {
			due := receivers(t, s, rotated.Add(after))
			if len(due) != 1 || len(due[0].Secrets) != want || due[0].Secrets[0] != "new" {
				t.Fatalf("%s later: %+v, want %d secrets", after, due, want)
			}
			release(t, s, due[0], tried(due[0], false, rotated))
		}
	})
}

func TestATaskIsKeptUntilItsWebhookIsDone(t *testing.T) {
	t.Parallel()
	onEach(t, 5, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		task := announced(t, s, o, node, "https://hooks.example.com/a", 1)[0]
		later := time.Now().Add(time.Hour)
		if n, err := s.DeleteFinished(t.Context(), later, later); err != nil || n != 0 {
			t.Errorf("deleted %d with a webhook to send, %v", n, err)
		}
		r := receivers(t, s, later)[0]
		release(t, s, r, tried(r, true, time.Time{}))
		if n, err := s.DeleteFinished(t.Context(), later, later); err != nil || n != 1 {
			t.Errorf("deleted %d, %v; want 1", n, err)
		}
		if _, err := s.Delivery(t.Context(), o.ID, task.ID); err == nil {
			t.Error("the delivery outlives its task")
		}
		storetest.Audited(t, s)
	})
}

func TestAnIdempotencyKeyIsFreeWhenItsTaskIsDeleted(t *testing.T) {
	t.Parallel()
	onEach(t, 5, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		keyed := func() store.Job {
			task := aTask(o, 1)
			task.IdempotencyKey = new("key")
			return task
		}
		submit(t, s, o, keyed())
		job := claimed(t, s, node, 1)[0]
		settle(t, s, completed(job, 5), time.Now())
		if refusals, err := s.Submit(o.ID, []store.Job{keyed()}, 1, time.Now()); err != nil || earshot.ErrorCode(refusals[0]) != earshot.CodeAlreadyExists {
			t.Errorf("while it is kept: %v, %v", refusals, err)
		}
		later := time.Now().Add(time.Hour)
		if n, err := s.DeleteFinished(t.Context(), later, later); err != nil || n != 1 {
			t.Errorf("deleted %d, %v", n, err)
		}
		submit(t, s, o, keyed())
		if n, err := s.Clear(o.ID, account.Operator(), time.Now()); err != nil || n != 1 { // also releases the key, with a similar statement
			t.Errorf("cleared %d, %v", n, err)
		}
		submit(t, s, o, keyed())
		storetest.Audited(t, s)
	})
}
