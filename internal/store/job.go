package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store/engine"
)

// Modes of a job.
const (
	ModeSync  = "sync"  // its client waits for the answer
	ModeAsync = "async" // a task: it waits in the queue and is polled
)

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
	Status       earshot.Status
	Request      []byte // as the client sent it
	MaxCost      int64  // credits
	Node         string // who runs it
	Attempts     int    // begun so far
	CreatedAt    time.Time
	StartedAt    time.Time // zero until then

	// IdempotencyKey belongs to the job for as long as it is kept; that of a call
	// that failed is free again.
	IdempotencyKey *string

	// Tracker is the name of the tracker that it was asked for, "" for none.
	Tracker string

	// Of tasks only.
	Priority   int
	WebhookURL *string
}

// keptColumns are those that a job keeps when it moves from jobs to finished.
var keptColumns = []engine.Column[Job]{
	engine.Field("organization", "uuid", func(j *Job) *string { return &j.Organization }),
	engine.Field("id", "uuid", func(j *Job) *string { return &j.ID }),
	engine.TextField("key_id", func(j *Job) *string { return &j.KeyID }),
	engine.TextField("provider", func(j *Job) *string { return &j.Provider }),
	engine.TextField("mode", func(j *Job) *string { return &j.Mode }),
	engine.TextField("status", func(j *Job) *earshot.Status { return &j.Status }),
	engine.BytesAsText("request", func(j *Job) *[]byte { return &j.Request }),
	engine.IntField("most", func(j *Job) *int64 { return &j.MaxCost }),
	engine.NullField("node", "uuid", func(j *Job) *string { return &j.Node }),
	engine.IntField("attempts", func(j *Job) *int { return &j.Attempts }),
	engine.TimeField("created_at", func(j *Job) *time.Time { return &j.CreatedAt }),
	engine.TimeField("started_at", func(j *Job) *time.Time { return &j.StartedAt }),
	engine.IntField("priority", func(j *Job) *int { return &j.Priority }),
	engine.Field("idempotency_key", "text", func(j *Job) **string { return &j.IdempotencyKey }),
	engine.NullField("tracker", "text", func(j *Job) *string { return &j.Tracker }),
}

var (
	// JobsTable has the jobs that are queued or running.
	JobsTable = engine.NewTable("jobs", append(slices.Clip(keptColumns),
		engine.Field("webhook_url", "text", func(j *Job) **string { return &j.WebhookURL }))...)
	insertJobs = JobsTable.Insert("")
	// owned are the columns that tell whose job it is.
	owned       = JobsTable.Only("organization", "id", "node")
	selectOwned = engine.NewStatement(owned, func(in engine.Input) string {
		return `SELECT jobs.id, jobs.node FROM jobs WHERE ` + in.Matching()
	})
)

// KeyTakenError is returned when a call has the idempotency key of another job.
type KeyTakenError struct{ JobID string }

func (e *KeyTakenError) Error() string { return "the idempotency key is that of job " + e.JobID }

// Begin starts a synchronous job: it takes a slot and sets aside the most that
// the job can cost, or refuses with *KeyTakenError, CodeNoCredits or
// CodeConcurrencyLimit. Either way it returns the organization as it is then. After any other error the job may or
// may not have begun; settling it as failed makes sure.
func (s *Store) Begin(job Job) (*account.Organization, error) {
	job.Mode, job.Status = ModeSync, earshot.StatusProcessing
	job.Attempts = 1
	var (
		after   account.Organization
		refusal error
	)
	err := s.Commit(Change{Organization: job.Organization, keys: keysOf(job), Apply: func(_ context.Context, w *Work) error {
		o, err := w.Organization(job.Organization, job.CreatedAt)
		if err != nil {
			return err
		}
		if refusal = w.admit(o, job); refusal == nil {
			w.Insert(o, &job)
		}
		after = o.Organization
		return nil
	}})
	if err != nil {
		return nil, fmt.Errorf("begin job: %w", err)
	}
	return &after, refusal
}

// keysOf are the idempotency keys of jobs.
func keysOf(jobs ...Job) (keys []string) {
	for _, job := range jobs {
		if job.IdempotencyKey != nil {
			keys = append(keys, *job.IdempotencyKey)
		}
	}
	return keys
}

// admit returns why a job cannot begin, or nil.
func (w *Work) admit(o *LockedOrganization, job Job) error {
	if job.IdempotencyKey != nil {
		if other, used := w.keys[taskKey{o.ID, *job.IdempotencyKey}]; used {
			return &KeyTakenError{other}
		}
	}
	if _, why := w.checkPaid(o, &job, job.CreatedAt); why != nil {
		return why
	}
	if o.Running >= o.Plan.Slots {
		return &earshot.Error{
			Code:    earshot.CodeConcurrencyLimit,
			Message: busyMessage(o.Plan.Slots),
			Details: earshot.LimitDetails{Limit: o.Plan.Slots},
		}
	}
	return nil
}

func busyMessage(slots int) string {
	if slots == 1 {
		return "the only concurrency slot is busy"
	}
	return fmt.Sprintf("all %d concurrency slots are busy", slots)
}

func errNoCredits(job Job, o *LockedOrganization) *earshot.Error {
	message := fmt.Sprintf("this can cost %d credits, and the balance is %d", job.MaxCost, o.Balance)
	if o.Held > 0 {
		message += fmt.Sprintf(", of which %d are held for running jobs", o.Held)
	}
	return &earshot.Error{
		Code: earshot.CodeNoCredits, Message: message,
		Details: earshot.CreditDetails{Required: job.MaxCost, Remaining: o.Balance, Held: o.Held},
	}
}

// Settlement is how a job ended.
type Settlement struct {
	Job      *Job           // as it was begun, claimed or adopted
	Status   earshot.Status // COMPLETED or FAILED
	Charge   int64          // at most Job.MaxCost; 0 when it failed
	Attempts int            // that were made
	Result   []byte         // JSON
	Error    *earshot.Error // why it failed
	Capture  *Capture       // what it stored, if anything
	Uses     []Use          // the requests that it made to upstreams other than the lab
}

// Settle ends a job: it charges, gives back the slot and what was held, moves the
// job to the finished ones and plans its webhook, all or nothing. It may be
// repeated after an error until it succeeds. Returns ErrLost when the job is not
// the node's.
func (s *Store) Settle(end Settlement, now time.Time) (after *account.Organization, err error) {
	settled := make(chan struct{})
	s.SettleLater(end, now, func(o *account.Organization, failure error) {
		after, err = o, failure
		close(settled)
	})
	<-settled
	if errors.Is(err, ErrLost) {
		err = s.settledAlready(end)
	}
	if err != nil {
		return nil, fmt.Errorf("settle job %s: %w", end.Job.ID, err)
	}
	return after, nil
}

// SettleLater is Settle for who does not wait for it: done is called when it is
// committed, and must not wait for anything. After any error, ErrLost too, call Settle
// with the same: it finds out whether an earlier try did commit.
func (s *Store) SettleLater(end Settlement, now time.Time, done func(*account.Organization, error)) {
	end.Result = Pack(end.Result)
	last := &settling{Settlement: end, now: now, tell: done}
	w := Change{Organization: end.Job.Organization, job: end.Job, Apply: last.apply}.write()
	w.Done = last.done
	s.WriteLater(&w)
}

// settling is a settlement on its way.
type settling struct {
	Settlement
	now  time.Time
	tell func(*account.Organization, error)

	after account.Organization
	lost  bool // the job is not the node's
}

func (s *settling) apply(_ context.Context, w *Work) error {
	o, err := w.Organization(s.Job.Organization, s.now)
	if err != nil {
		return err
	}
	if s.lost = !w.owns(s.Job); !s.lost {
		err = w.end(o, s.Job, &s.Settlement, s.now)
	}
	s.after = o.Organization
	return err
}

func (s *settling) done(err error) {
	if err == nil && s.lost {
		err = ErrLost
	}
	s.tell(&s.after, err)
}

// settledAlready returns nil when an earlier try of the same settlement, whose
// outcome was unknown, did commit, and ErrLost when it did not. With any other
// error nobody knows.
func (s *Store) settledAlready(end Settlement) error {
	ctx, cancel := context.WithTimeout(context.Background(), engine.TransactionTime)
	defer cancel()
	var status earshot.Status
	var charged int64
	err := engine.First(ctx, s.ShardOf(end.Job.Organization).Lookups, func(r engine.Scanner) error { return r.Scan(&status, &charged) },
		`SELECT status, charged FROM finished WHERE organization = $1 AND id = $2 AND node = $3`,
		end.Job.Organization, end.Job.ID, end.Job.Node)
	if errors.Is(err, ErrNotFound) || (err == nil && (status != end.Status || charged != end.Charge)) {
		return ErrLost
	}
	return err
}
