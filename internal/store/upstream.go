package store

import (
	"context"

	"earshot/internal/store/engine"
	"earshot/internal/store/outbound"
)

// SaveTicket stores a ticket of a running job. Returns ErrLost if the job no longer
// belongs to its node: the node that took it over decides about the job's tickets.
func (s *Store) SaveTicket(job *Job, ticket outbound.Ticket) error {
	lost := false
	err := s.Commit(Change{Organization: job.Organization, job: job, Apply: func(_ context.Context, w *Work) error {
		if lost = !w.owns(job); !lost {
			w.tickets = append(w.tickets, &outbound.JobTicket{Organization: job.Organization, Job: job.ID, Ticket: ticket})
		}
		return nil
	}})
	if err == nil && lost {
		err = ErrLost
	}
	return engine.Wrap(err, "save a ticket of job %s", job.ID)
}

// CountUses counts requests to upstreams of a job that has not ended.
func (s *Store) CountUses(job *Job, uses []outbound.Use) error {
	err := s.ShardOf(job.Organization).Execute(func(ctx context.Context, tx *engine.Tx) error {
		return outbound.CountUses(ctx, tx, outbound.UsesOf(job.Organization, job.Provider, s.Now(), uses))
	})
	return engine.Wrap(err, "count requests to upstreams")
}

// CloseLateTicket stores the end of a ticket whose job has ended, and counts the uses of the
// upstream, unless another node closed the ticket meanwhile. A result that arrived is kept with
// the job, as long as the job itself is kept; the job stays failed and is not charged. The job is
// nil if it is no longer kept.
func (s *Store) CloseLateTicket(ticket *outbound.JobTicket, result []byte, job *Task, uses []outbound.Use) error {
	err := s.ShardOf(ticket.Organization).Execute(func(ctx context.Context, tx *engine.Tx) error {
		closed, err := outbound.CloseTicket(ctx, tx, ticket)
		if err != nil || !closed || job == nil {
			return err
		}
		if err := outbound.CountUses(ctx, tx, outbound.UsesOf(job.Organization, job.Provider, s.Now(), uses)); err != nil || result == nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE finished SET result = $3 WHERE organization = $1 AND id = $2 AND status = 'FAILED' AND result IS NULL`,
			ticket.Organization, ticket.Job, Pack(result))
		return err
	})
	return engine.Wrap(err, "close a late ticket")
}

// SaveShadowPair stores a pair and counts what the second upstream was asked and charged.
func (s *Store) SaveShadowPair(pair *outbound.ShadowPair, uses []outbound.Use) error {
	err := s.Commit(Change{Organization: pair.Organization, Apply: func(_ context.Context, w *Work) error {
		w.shadowPairs = append(w.shadowPairs, pair)
		w.uses = append(w.uses, outbound.UsesOf(pair.Organization, pair.Provider, pair.At, uses)...)
		return nil
	}})
	return engine.Wrap(err, "save a shadow pair of job %s", pair.Job)
}
