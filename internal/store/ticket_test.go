package store_test

import (
	"errors"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/outbound"
)

func checkMigratedUpstreams(t *testing.T, s *store.Store) {
	const organization = "00000000-0000-7000-8000-00000000000c"
	late, err := outbound.New(s.DB).LateTickets(t.Context(), 10)
	want := outbound.Ticket{
		Number: 1, Key: "job-1", Upstream: "via:cloro", ID: "vendor-7", State: "open",
		SubmittedAt: time.UnixMilli(1760000000000), Deadline: time.UnixMilli(1760000600000),
	}
	if err != nil || len(late) != 1 || late[0].Ticket != want {
		t.Errorf("late tickets: %v, %v", late, err)
	}
	day := time.UnixMilli(20370 * 86_400_000)
	usage, err := outbound.New(s.DB).UpstreamUsage(t.Context(), organization, day, day)
	equal(t, "the usage of upstreams", []earshot.UpstreamUsage{{
		Date: "2025-10-09", Upstream: "via:cloro", Provider: "chatassistant", Answered: 3, Failed: 2, ChargedFailures: 1, USD: 0.008, EstimatedUSD: 0.002,
	}}, usage, err)
	spent, err := outbound.New(s.DB).SpentOn(t.Context(), day)
	equal(t, "what was spent", map[string]int64{"via:cloro": 8000}, spent, err)
	stats, err := outbound.New(s.DB).UpstreamStats(t.Context(), organization, time.UnixMilli(488888*3_600_000))
	equal(t, "the statistics of upstreams", []outbound.UpstreamStats{
		{Upstream: "via:cloro", Provider: "chatassistant", Answered: 3, Failed: 2, P50Ms: new(int64(40)), P95Ms: new(int64(40))},
	}, stats, err)
}

// TestOnlyTheOwnerOfAJobSavesItsTickets proves that a node that was declared dead cannot
// store a ticket, and so cannot submit a question that the node that took over submits as well.
func TestOnlyTheOwnerOfAJobSavesItsTickets(t *testing.T) {
	t.Parallel()
	onEach(t, 5, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		job := aJob(o, node, 5)
		begin(t, s, job)
		ticket := outbound.Ticket{Number: 1, Key: job.ID + "-1", Upstream: "via:cloro", State: "submitting", SubmittedAt: time.UnixMilli(1000), Deadline: time.UnixMilli(2000)}
		if err := s.SaveTicket(&job, ticket); err != nil {
			t.Fatal(err)
		}
		ticket.ID, ticket.State, ticket.SubmittedAt = "vendor-1", "open", time.UnixMilli(1500) // it was submitted again
		if err := s.SaveTicket(&job, ticket); err != nil {
			t.Fatal(err)
		}
		stored, err := outbound.New(s.DB).Tickets(t.Context(), o.ID, job.ID)
		if err != nil || len(stored) != 1 || *stored[0] != ticket {
			t.Errorf("the tickets are %v, %v", stored, err)
		}
		stranger := job
		stranger.Node = aNode(t, s)
		if err := s.SaveTicket(&stranger, ticket); !errors.Is(err, store.ErrLost) {
			t.Errorf("a node that does not own the job got %v", err)
		}
		open, err := outbound.New(s.DB).OpenTickets(t.Context(), o.ID)
		if err != nil || open["via:cloro"] != 1 {
			t.Errorf("open tickets: %v, %v", open, err)
		}
	})
}

// TestALateTicketIsClosedOnce proves that two nodes that read the same late answer count its
// cost once.
func TestALateTicketIsClosedOnce(t *testing.T) {
	t.Parallel()
	onEach(t, 5, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		job := aJob(o, node, 5)
		begin(t, s, job)
		if err := s.SaveTicket(&job, outbound.Ticket{Number: 1, Key: job.ID + "-1", Upstream: "via:cloro", ID: "vendor-1", State: "open", SubmittedAt: time.UnixMilli(1000), Deadline: time.UnixMilli(2000)}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Settle(store.Settlement{Job: &job, Status: earshot.StatusFailed, Error: &earshot.Error{Code: earshot.CodeInternal, Message: "the client left"}}, s.Now()); err != nil {
			t.Fatal(err)
		}
		late, err := outbound.New(s.DB).LateTickets(t.Context(), 10)
		if err != nil || len(late) != 1 {
			t.Fatalf("late tickets: %v, %v", late, err)
		}
		late[0].State = "answered"
		task, err := s.Request(t.Context(), o.ID, job.ID)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := s.CloseLateTicket(late[0], []byte(`{"text":"late"}`), task, []outbound.Use{{Upstream: "via:cloro", Paid: true, MicroUSD: 2000}}); err != nil {
				t.Fatal(err)
			}
		}
		spent, err := outbound.New(s.DB).SpentOn(t.Context(), s.Now())
		equal(t, "what was spent", map[string]int64{"via:cloro": 2000}, spent, err)
		kept, err := s.Request(t.Context(), o.ID, job.ID)
		if err != nil || string(kept.Result) != `{"text":"late"}` {
			t.Errorf("the late answer is %s, %v", kept.Result, err)
		}
	})
}
