package outbound

import (
	"context"
	"fmt"
	"time"

	"earshot/internal/store/engine"
)

// Ticket is a question that was submitted to a vendor that answers later. It has the
// same fields and states as upstream.Ticket.
type Ticket struct {
	Number      int
	Key         string
	Upstream    string
	ID          string
	State       string
	SubmittedAt time.Time
	Deadline    time.Time
}

// JobTicket is a ticket of a job.
type JobTicket struct {
	Organization string
	Job          string
	Ticket
}

var (
	ticketsTable = engine.NewTable("tickets",
		engine.Field("organization", "uuid", func(t *JobTicket) *string { return &t.Organization }),
		engine.Field("job", "uuid", func(t *JobTicket) *string { return &t.Job }),
		engine.IntField("number", func(t *JobTicket) *int { return &t.Number }),
		engine.TextField("ticket_key", func(t *JobTicket) *string { return &t.Key }),
		engine.TextField("upstream", func(t *JobTicket) *string { return &t.Upstream }),
		engine.TextField("vendor_id", func(t *JobTicket) *string { return &t.ID }),
		engine.TextField("state", func(t *JobTicket) *string { return &t.State }),
		engine.TimeField("submitted_at", func(t *JobTicket) *time.Time { return &t.SubmittedAt }),
		engine.TimeField("deadline", func(t *JobTicket) *time.Time { return &t.Deadline }))
	upsertTickets = ticketsTable.Insert(`ON CONFLICT (organization, job, number) DO UPDATE SET vendor_id = excluded.vendor_id, state = excluded.state, submitted_at = excluded.submitted_at`)
)

// SaveTickets inserts or updates tickets.
func SaveTickets(ctx context.Context, tx *engine.Tx, tickets []*JobTicket) error {
	return engine.Each(ctx, tx, upsertTickets, tickets, nil)
}

// CloseTicket stores the end of a pending ticket, and reports whether the ticket was still pending.
func CloseTicket(ctx context.Context, tx *engine.Tx, ticket *JobTicket) (bool, error) {
	closed, err := tx.Run(ctx, `UPDATE tickets SET vendor_id = $4, state = $5
			WHERE organization = $1 AND job = $2 AND number = $3 AND state IN ('submitting', 'open')`, ticket.Organization, ticket.Job, ticket.Number, ticket.ID, ticket.State)
	return closed > 0, err
}

// Tickets returns the tickets of a job, oldest first.
func (s *Store) Tickets(ctx context.Context, organization, job string) ([]*Ticket, error) {
	rows, err := engine.FindRows(ctx, s.ShardOf(organization).Lookups, ticketsTable, `WHERE organization = $1 AND job = $2 ORDER BY number`, organization, job)
	if err != nil {
		return nil, fmt.Errorf("read tickets: %w", err)
	}
	tickets := make([]*Ticket, len(rows))
	for i, row := range rows {
		tickets[i] = &row.Ticket
	}
	return tickets, nil
}

// LateTickets returns up to n pending tickets whose job has ended, oldest first.
func (s *Store) LateTickets(ctx context.Context, n int) ([]*JobTicket, error) {
	tickets, err := engine.RowsFromAllShards(ctx, s.DB, ticketsTable, `WHERE state IN ('submitting', 'open')
		AND NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.organization = tickets.organization AND jobs.id = tickets.job)
		ORDER BY submitted_at LIMIT $1`, n)
	return tickets, engine.Wrap(err, "find late tickets")
}

// OpenTickets returns how many tickets of an organization wait for an answer, by upstream.
func (s *Store) OpenTickets(ctx context.Context, organization string) (map[string]int, error) {
	open, err := engine.FindMap[string, int](ctx, s.ShardOf(organization).Reports, `SELECT upstream, COUNT(*) FROM tickets WHERE organization = $1 AND state IN ('submitting', 'open') GROUP BY upstream`, organization)
	return open, engine.Wrap(err, "count open tickets")
}

// DeleteTickets deletes a batch of closed tickets that were submitted before a time, and returns
// their number.
func (s *Store) DeleteTickets(before time.Time) (deleted int, err error) {
	counts, err := engine.FromAllShards(s.DB, func(p *engine.Shard) ([]int64, error) {
		n, err := p.Run(`DELETE FROM tickets WHERE (organization, job, number) IN (
			SELECT organization, job, number FROM tickets WHERE submitted_at < $1 AND state NOT IN ('submitting', 'open') LIMIT 500)`, engine.Millis(before))
		return []int64{n}, err
	})
	for _, n := range counts {
		deleted += int(n)
	}
	return deleted, engine.Wrap(err, "delete tickets")
}
