package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"earshot"
	"earshot/internal/account"
)

// ModeSync is the mode of a job whose client waits for the answer.
const ModeSync = "sync"

// ErrLost is returned when a job is settled that the node does not own: it was
// settled before, or taken from a node that seemed dead.
var ErrLost = errors.New("the job is not this node's")

// Job is one extraction for one organization.
type Job struct {
	ID           string
	Organization string
	KeyID        string
	Provider     string
	Mode         string
	Request      []byte // as the client sent it
	Most         int64  // the most it can cost
	Node         string // who runs it
	CreatedAt    time.Time
}

// Begin starts a job: it takes a slot and sets aside the most that the job can
// cost, or refuses with CodeNoCredits or CodeConcurrencyLimit. Either way it
// tells how the organization stands. After any other error the job may or may
// not have begun; settling it as failed makes sure.
func (s *Store) Begin(job Job) (*account.Organization, error) {
	var (
		o       *account.Organization
		refusal error
	)
	err := s.write(job.Organization, func(ctx context.Context, tx *tx) (err error) {
		if o, refusal, err = s.admit(ctx, tx, job); err != nil || refusal != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			INSERT INTO jobs (id, organization, key_id, provider, mode, status, request, most, node, created_at, started_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
			job.ID, job.Organization, job.KeyID, job.Provider, job.Mode, earshot.StatusProcessing,
			string(job.Request), job.Most, job.Node, millis(job.CreatedAt), millis(job.CreatedAt))
		if err != nil {
			return fmt.Errorf("insert job %s: %w", job.ID, err)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("begin job: %w", err)
	}
	return o, refusal
}

// admit takes the slot and the hold in one statement. Only when that finds no
// room is the row locked and read, to tell why, or to begin a cycle that is due
// and try again.
func (s *Store) admit(ctx context.Context, tx *tx, job Job) (o *account.Organization, refusal, err error) {
	for {
		o, err = scanOrganization(tx.QueryRowContext(ctx, `
			UPDATE organizations SET running = running + 1, held = held + $2
			WHERE id = $1 AND running < slots AND balance - held >= $2 AND cycle_resets_at > $3
			RETURNING `+organizationColumns, job.Organization, job.Most, millis(job.CreatedAt)))
		if err == nil || !errors.Is(err, ErrNotFound) {
			return o, nil, err
		}
		if o, err = s.lockOrganization(ctx, tx, job.Organization, job.CreatedAt); err != nil {
			return nil, nil, err
		}
		switch {
		case o.Available() < job.Most:
			return o, &earshot.Error{
				Code:    earshot.CodeNoCredits,
				Message: fmt.Sprintf("this call can cost %d credits, but only %d are left", job.Most, o.Available()),
				Details: earshot.CreditDetails{Required: job.Most, Remaining: o.Available()},
			}, nil
		case o.Running >= o.Plan.Slots:
			return o, &earshot.Error{
				Code:    earshot.CodeConcurrencyLimit,
				Message: fmt.Sprintf("all %d concurrency slots are busy", o.Plan.Slots),
				Details: earshot.LimitDetails{Limit: o.Plan.Slots},
			}, nil
		}
	}
}

// Settlement is how a job ended.
type Settlement struct {
	Job      Job
	Status   earshot.Status // COMPLETED or FAILED
	Charge   int64          // at most Job.Most; 0 when it failed
	Attempts int
	Error    *earshot.Error // why it failed
	Capture  *Capture       // what it stored, if anything
}

// Settle ends a job: it charges, gives back the slot and what was held, and
// moves the job to the finished ones, all or nothing. It may be repeated after
// an error until it succeeds. Returns ErrLost when the job is not the node's.
func (s *Store) Settle(end Settlement, now time.Time) (*account.Organization, error) {
	var o *account.Organization
	err := s.write(end.Job.Organization, func(ctx context.Context, tx *tx) (err error) {
		if o, err = s.release(ctx, tx, end, now); err != nil {
			return err
		}
		return s.finish(ctx, tx, end, max(millis(now), o.CycleStartedAt))
	})
	if errors.Is(err, ErrLost) && s.settledAlready(end) {
		return s.Organization(context.Background(), end.Job.Organization, now)
	}
	if err != nil {
		return nil, fmt.Errorf("settle job %s: %w", end.Job.ID, err)
	}
	return o, nil
}

// release gives back the slot and the hold, takes the charge, and removes the
// job, provided that the node owns it.
func (s *Store) release(ctx context.Context, tx *tx, end Settlement, now time.Time) (*account.Organization, error) {
	job := end.Job
	o, err := s.giveBack(ctx, tx, end, now)
	if errors.Is(err, ErrNotFound) {
		// Either a cycle is due, or the job is not there yet: its begin may still be
		// committing, and holds the organization's row as long as it does.
		if _, err := s.lockOrganization(ctx, tx, job.Organization, now); err != nil {
			return nil, err
		}
		o, err = s.giveBack(ctx, tx, end, now)
	}
	if errors.Is(err, ErrNotFound) {
		return nil, ErrLost
	}
	if err != nil {
		return nil, fmt.Errorf("release: %w", err)
	}
	result, err := tx.ExecContext(ctx, `DELETE FROM jobs WHERE id = $1 AND node = $2`, job.ID, job.Node)
	if err != nil {
		return nil, fmt.Errorf("remove job: %w", err)
	}
	// Another node may have taken it between the two statements.
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return nil, errors.Join(err, ErrLost)
	}
	return o, nil
}

// giveBack changes the organization's row for a job that the node owns. Returns
// ErrNotFound when it does not, or when the organization's cycle is over.
func (s *Store) giveBack(ctx context.Context, tx *tx, end Settlement, now time.Time) (*account.Organization, error) {
	job := end.Job
	return scanOrganization(tx.QueryRowContext(ctx, `
		UPDATE organizations SET running = running - 1, held = held - $2, balance = balance - $3, cycle_used = cycle_used + $3
		WHERE id = $1 AND cycle_resets_at > $4 AND EXISTS (SELECT 1 FROM jobs WHERE id = $5 AND node = $6)
		RETURNING `+organizationColumns, job.Organization, job.Most, end.Charge, millis(now), job.ID, job.Node))
}

// finish writes down how the job ended.
func (s *Store) finish(ctx context.Context, tx *tx, end Settlement, now int64) error {
	job := end.Job
	var failure *string
	if end.Error != nil {
		text, err := json.Marshal(end.Error)
		if err != nil {
			return fmt.Errorf("encode the job's error: %w", err)
		}
		failure = new(string(text))
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO finished (id, organization, key_id, provider, mode, status, request, charged, attempts, node,
			created_at, started_at, finished_at, error)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
		job.ID, job.Organization, job.KeyID, job.Provider, job.Mode, end.Status, string(job.Request), end.Charge, end.Attempts, job.Node,
		millis(job.CreatedAt), millis(job.CreatedAt), now, failure)
	if err != nil {
		return fmt.Errorf("insert into finished: %w", err)
	}
	if end.Status == earshot.StatusCompleted {
		if err := enter(ctx, tx, job.Organization, kindCharge, -end.Charge, &job.ID, now); err != nil {
			return err
		}
	}
	if end.Capture != nil {
		return insertCapture(ctx, tx, job, *end.Capture)
	}
	return nil
}

// settledAlready tells that an earlier try of the same settlement, whose outcome
// was unknown, did commit.
func (s *Store) settledAlready(end Settlement) bool {
	ctx, cancel := context.WithTimeout(context.Background(), transactionTime)
	defer cancel()
	var status earshot.Status
	var charged int64
	err := s.reads.QueryRowContext(ctx, `SELECT status, charged FROM finished WHERE id = $1 AND node = $2`, end.Job.ID, end.Job.Node).
		Scan(&status, &charged)
	return err == nil && status == end.Status && charged == end.Charge
}
