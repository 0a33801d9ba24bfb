package upstream_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"earshot"
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

// TestRedeem checks the state transitions of a ticket. state is the state that an earlier
// node stored, or "" without a ticket.
func TestRedeem(t *testing.T) {
	t.Parallel()
	refused := &upstream.Failure{Reason: earshot.ReasonBlocked, Err: errors.New("status 400"), Refused: true}
	taken := &upstream.Failure{Reason: earshot.ReasonUnavailable, Err: errors.New("status 409"), Refused: true, Status: http.StatusConflict}
	lostConnection := &upstream.Failure{Reason: earshot.ReasonUnavailable, Err: errors.New("connection reset")}
	gaveUp := &upstream.Failure{Reason: earshot.ReasonUnavailable, Err: errors.New("FAILED"), NoAnswer: true}
	for _, c := range []struct {
		name       string
		state      upstream.TicketState
		late       bool // the deadline has passed
		submit     error
		poll       error
		idempotent bool
		found      string // what Find returns; "-" for a vendor without Find
		want       upstream.TicketState
		submitted  int
		pending    bool
		reason     earshot.Reason
	}{
		{name: "answered at once", found: "-", want: upstream.TicketAnswered, submitted: 1},
		{name: "not ready", found: "-", poll: upstream.ErrNotReady, want: upstream.TicketOpen, submitted: 1, pending: true},
		{name: "refused", found: "-", submit: refused, want: upstream.TicketFailed, submitted: 1, reason: earshot.ReasonBlocked},
		{name: "connection lost", found: "-", submit: lostConnection, want: upstream.TicketUncertain, submitted: 1, reason: earshot.ReasonUnavailable},
		{name: "connection lost, with a key", found: "-", idempotent: true, submit: lostConnection, want: upstream.TicketSubmitting, submitted: 1, pending: true},
		{name: "interrupted, connection lost", state: upstream.TicketSubmitting, found: "-", idempotent: true, submit: lostConnection, want: upstream.TicketSubmitting, submitted: 1, pending: true},
		{name: "interrupted, connection lost until the deadline", state: upstream.TicketSubmitting, late: true, found: "-", idempotent: true, submit: lostConnection, want: upstream.TicketAbandoned, submitted: 1, reason: earshot.ReasonTimeout},
		{name: "interrupted, and the key is taken", state: upstream.TicketSubmitting, found: "-", idempotent: true, submit: taken, want: upstream.TicketUncertain, submitted: 1, reason: earshot.ReasonUnavailable},
		{name: "the vendor gave up", found: "-", poll: gaveUp, want: upstream.TicketFailed, submitted: 1, reason: earshot.ReasonUnavailable},
		{name: "a poll fails", found: "-", poll: lostConnection, want: upstream.TicketOpen, submitted: 1, pending: true},
		{name: "taken over", state: upstream.TicketOpen, found: "-", want: upstream.TicketAnswered},
		{name: "taken over after the answer", state: upstream.TicketAnswered, found: "-", want: upstream.TicketAnswered},
		{name: "taken over too late", state: upstream.TicketOpen, late: true, found: "-", poll: upstream.ErrNotReady, want: upstream.TicketAbandoned, reason: earshot.ReasonTimeout},
		{name: "abandoned before", state: upstream.TicketAbandoned, found: "-", want: upstream.TicketAbandoned, reason: earshot.ReasonTimeout},
		{name: "interrupted", state: upstream.TicketSubmitting, found: "-", want: upstream.TicketUncertain, reason: earshot.ReasonUnavailable},
		{name: "interrupted, with a key", state: upstream.TicketSubmitting, found: "-", idempotent: true, want: upstream.TicketAnswered, submitted: 1},
		{name: "interrupted and found", state: upstream.TicketSubmitting, found: "v1", want: upstream.TicketAnswered},
		{name: "interrupted before it was sent", state: upstream.TicketSubmitting, found: "", want: upstream.TicketAnswered, submitted: 1},
		{name: "failed before", state: upstream.TicketFailed, found: "-", want: upstream.TicketAnswered, submitted: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				stored := map[int]upstream.Ticket{}
				tickets := &upstream.Tickets{Job: "job", Save: func(_ context.Context, ticket *upstream.Ticket) error {
					stored[ticket.Number] = *ticket
					return nil
				}}
				if c.state != "" {
					ticket := &upstream.Ticket{Number: 1, Key: "job-1", Upstream: "via:x", ID: "v0", State: c.state, SubmittedAt: time.Now(), Deadline: time.Now().Add(time.Hour)}
					if c.late {
						ticket.Deadline = time.Now().Add(-time.Second)
					}
					tickets.List, stored[1] = []*upstream.Ticket{ticket}, *ticket
				}
				submitted, cancelled := 0, 0
				async := &upstream.Async{
					Wait: time.Minute, Every: time.Second, Idempotent: c.idempotent,
					Submit: func(context.Context, string) (string, error) {
						submitted++
						if last := stored[len(stored)]; last.State != upstream.TicketSubmitting {
							t.Errorf("the ticket was stored as %q before it was submitted", last.State)
						}
						return "v1", c.submit
					},
					Poll:   func(context.Context, string) error { return c.poll },
					Cancel: func(context.Context, string) error { cancelled++; return lostConnection },
				}
				if c.found != "-" {
					async.Find = func(context.Context, string, time.Time) (string, error) { return c.found, nil }
				}
				routes := upstream.NewRoutes(map[string][]*upstream.Client{"chat": {vendorClient(t, "x")}}, slog.New(slog.DiscardHandler))
				err := routes.Try(t.Context(), &upstream.Attempt{Provider: "chat", Number: 1, Tickets: tickets}, func(s *upstream.Session) error { return s.Redeem(t.Context(), async) })
				if got := stored[len(stored)].State; got != c.want {
					t.Errorf("the ticket is %q, want %q", got, c.want)
				}
				if submitted != c.submitted {
					t.Errorf("the question was submitted %d times, want %d", submitted, c.submitted)
				}
				if late := c.late && c.want == upstream.TicketAbandoned; (cancelled == 1) != late {
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

// TestAPendingTicketKeepsOthersFromBeingAsked proves that an attempt continues with the
// upstream that has a ticket, and asks no other while the ticket is pending.
func TestAPendingTicketKeepsOthersFromBeingAsked(t *testing.T) {
	t.Parallel()
	tickets := &upstream.Tickets{Job: "job", Save: func(context.Context, *upstream.Ticket) error { return nil }, List: []*upstream.Ticket{
		{Number: 1, Key: "job-1", Upstream: "via:second", ID: "v1", State: upstream.TicketOpen, SubmittedAt: time.Now(), Deadline: time.Now().Add(time.Hour)},
	}}
	routes := upstream.NewRoutes(map[string][]*upstream.Client{"chat": {vendorClient(t, "first"), vendorClient(t, "second"), vendorClient(t, "third")}}, slog.New(slog.DiscardHandler))
	var asked []string
	err := routes.Try(t.Context(), &upstream.Attempt{Provider: "chat", Number: 1, Tickets: tickets}, func(s *upstream.Session) error {
		asked = append(asked, s.Upstream())
		return s.Redeem(t.Context(), &upstream.Async{Wait: time.Minute, Poll: func(context.Context, string) error { return upstream.ErrNotReady }})
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
		client := vendorClient(t, "x")
		routes := upstream.NewRoutes(map[string][]*upstream.Client{"chat": {client}}, slog.New(slog.DiscardHandler))
		var submit error = &upstream.Failure{Reason: earshot.ReasonUnavailable, Err: errors.New("connection reset")}
		submissions := 0
		ask := func() error {
			tickets := &upstream.Tickets{Job: "job", Save: func(context.Context, *upstream.Ticket) error { return nil }}
			return routes.Try(t.Context(), &upstream.Attempt{Provider: "chat", Number: 1, Tickets: tickets}, func(s *upstream.Session) error {
				return s.Redeem(t.Context(), &upstream.Async{
					Wait: time.Hour, Idempotent: true,
					Submit: func(context.Context, string) (string, error) { submissions++; return "v1", submit },
					Poll:   func(context.Context, string) error { return upstream.ErrNotReady },
				})
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
		var saved upstream.Ticket
		tickets := &upstream.Tickets{Job: "job", Save: func(_ context.Context, ticket *upstream.Ticket) error {
			saved = *ticket
			return nil
		}}
		var looked []time.Duration // after the beginning
		var submitted []time.Duration
		began := time.Now()
		async := &upstream.Async{
			Wait: time.Hour, Every: time.Second, FindAfter: 3 * time.Minute,
			Submit: func(context.Context, string) (string, error) {
				if !saved.SubmittedAt.Equal(time.Now()) {
					t.Errorf("the stored ticket was submitted at %s, it is %s", saved.SubmittedAt, time.Now())
				}
				submitted = append(submitted, time.Since(began))
				return "", &upstream.Failure{Reason: earshot.ReasonUnavailable, Err: errors.New("connection reset")}
			},
			Find: func(_ context.Context, _ string, at time.Time) (string, error) {
				looked = append(looked, at.Sub(began))
				return "", nil
			},
		}
		routes := upstream.NewRoutes(map[string][]*upstream.Client{"chat": {vendorClient(t, "x")}}, slog.New(slog.DiscardHandler))
		for range 3 {
			err := routes.Try(t.Context(), &upstream.Attempt{Provider: "chat", Number: 1, Tickets: tickets}, func(s *upstream.Session) error { return s.Redeem(t.Context(), async) })
			if _, pending := errors.AsType[*upstream.Pending](err); !pending {
				t.Fatalf("a submission without a clear answer is not pending: %v", err)
			}
			time.Sleep(time.Second)
			err = routes.Try(t.Context(), &upstream.Attempt{Provider: "chat", Number: 1, Tickets: tickets}, func(s *upstream.Session) error { return s.Redeem(t.Context(), async) })
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

// TestAChargeAtSubmissionIsCountedOnce proves that a charge which the vendor reports when
// it accepts a question is counted when the ticket ends.
func TestAChargeAtSubmissionIsCountedOnce(t *testing.T) {
	t.Parallel()
	tickets := &upstream.Tickets{Job: "job", Save: func(context.Context, *upstream.Ticket) error { return nil }}
	routes := upstream.NewRoutes(map[string][]*upstream.Client{"chat": {vendorClient(t, "x")}}, slog.New(slog.DiscardHandler))
	var uses []upstream.Use
	for _, poll := range []error{upstream.ErrNotReady, upstream.ErrNotReady, nil, nil} {
		attempt := &upstream.Attempt{Provider: "chat", Number: 1, Tickets: tickets}
		_ = routes.Try(t.Context(), attempt, func(s *upstream.Session) error {
			return s.Redeem(t.Context(), &upstream.Async{
				Wait: time.Minute, Every: time.Second, Poll: func(context.Context, string) error { return poll },
				Submit: func(context.Context, string) (string, error) {
					s.Charge(0.0012)
					return "v1", nil
				},
			})
		})
		uses = append(uses, attempt.Uses...)
	}
	if len(uses) != 2 || uses[0].MicroUSD != 1200 || uses[0].Estimated || uses[1].MicroUSD != 0 {
		t.Errorf("the uses are %+v", uses)
	}
}
