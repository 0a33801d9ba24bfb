package store

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
	upsertTickets = ticketsTable.Insert(`ON CONFLICT (organization, job, number) DO UPDATE SET vendor_id = excluded.vendor_id, state = excluded.state`)
)

// SaveTicket stores a ticket of a running job. Returns ErrLost if the job no longer
// belongs to its node: the node that took it over decides about the job's tickets.
func (s *Store) SaveTicket(job *Job, ticket Ticket) error {
	lost := false
	err := s.Commit(Change{Organization: job.Organization, job: job, Apply: func(_ context.Context, w *Work) error {
		if lost = !w.owns(job); !lost {
			w.tickets = append(w.tickets, &JobTicket{job.Organization, job.ID, ticket})
		}
		return nil
	}})
	if err == nil && lost {
		err = ErrLost
	}
	if err != nil {
		return fmt.Errorf("save a ticket of job %s: %w", job.ID, err)
	}
	return nil
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
	tickets, err := engine.FromAllShards(s.DB, func(p *engine.Shard) ([]*JobTicket, error) {
		return engine.FindRows(ctx, p.Lookups, ticketsTable, `WHERE state IN ('submitting', 'open')
			AND NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.organization = tickets.organization AND jobs.id = tickets.job)
			ORDER BY submitted_at LIMIT $1`, n)
	})
	if err != nil {
		return nil, fmt.Errorf("find late tickets: %w", err)
	}
	return tickets, nil
}

// CloseLateTicket stores the end of a ticket whose job has ended, and counts the uses of
// the upstream, unless another node closed the ticket meanwhile. A result that arrived is kept with the job, as long as the job itself is
// kept; the job stays failed and is not charged. The job is nil if it is no longer kept.
func (s *Store) CloseLateTicket(ticket *JobTicket, result []byte, job *Task, uses []Use) error {
	err := s.ShardOf(ticket.Organization).Execute(func(ctx context.Context, tx *engine.Tx) error {
		closed, err := tx.Run(ctx, `UPDATE tickets SET vendor_id = $4, state = $5
			WHERE organization = $1 AND job = $2 AND number = $3 AND state IN ('submitting', 'open')`, ticket.Organization, ticket.Job, ticket.Number, ticket.ID, ticket.State)
		if err != nil || closed == 0 || job == nil {
			return err
		}
		work := newWork(tx)
		for _, use := range uses {
			work.uses = append(work.uses, jobUse{job.Organization, job.Provider, s.Now(), use})
		}
		if err := work.countUpstreams(ctx); err != nil || result == nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE finished SET result = $3 WHERE organization = $1 AND id = $2 AND status = 'FAILED' AND result IS NULL`,
			ticket.Organization, ticket.Job, Pack(result))
		return err
	})
	if err != nil {
		return fmt.Errorf("close a late ticket: %w", err)
	}
	return nil
}

// OpenTickets returns how many tickets of an organization wait for an answer, by upstream.
func (s *Store) OpenTickets(ctx context.Context, organization string) (map[string]int, error) {
	open := map[string]int{}
	err := s.ShardOf(organization).Reports.Find(ctx, func(r engine.Scanner) error {
		var name string
		var count int
		err := r.Scan(&name, &count)
		open[name] = count
		return err
	}, `SELECT upstream, COUNT(*) FROM tickets WHERE organization = $1 AND state IN ('submitting', 'open') GROUP BY upstream`, organization)
	if err != nil {
		return nil, fmt.Errorf("count open tickets: %w", err)
	}
	return open, nil
}

// DeleteTickets deletes closed tickets that were submitted before a time.
func (s *Store) DeleteTickets(before time.Time) error {
	return s.runEverywhere("delete tickets", `DELETE FROM tickets WHERE submitted_at < $1 AND state NOT IN ('submitting', 'open')`, engine.Millis(before))
}

// runEverywhere runs a statement on every shard that answers.
func (s *Store) runEverywhere(what, text string, args ...any) error {
	_, err := s.sumOverShards(func(p *engine.Shard) (int, error) {
		n, err := p.Run(text, args...)
		return int(n), err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
