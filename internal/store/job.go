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
	"earshot/internal/store/outbound"
)

// Modes of a job.
const (
	ModeSync  = "sync"  // a call: the client waits for the answer
	ModeAsync = "async" // a task: it is queued, and the client polls it
)

// ErrLost is returned by Settle for a job that the node does not own: it was settled
// before, or another node took it over because its node seemed dead.
var ErrLost = errors.New("this node does not own the job")

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
	Node         string // the node that runs it
	Attempts     int    // started so far
	CreatedAt    time.Time
	StartedAt    time.Time // zero until the job starts

	// IdempotencyKey is reserved as long as the job is kept. The key of a failed call is free
	// again.
	IdempotencyKey *string

	// Tracker is the name of the tracker that the job belongs to, or "".
	Tracker string

	// For tasks only.
	Priority   int
	WebhookURL *string
}

// keptColumns are the columns that jobs and finished have in common.
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
	// owned are the columns that identify a job and its node.
	owned       = JobsTable.Only("organization", "id", "node")
	selectOwned = engine.NewStatement(owned, func(in engine.Input) string {
		return `SELECT jobs.id, jobs.node FROM jobs WHERE ` + in.Matching()
	})
)

// KeyTakenError is returned when another job has the idempotency key of a call.
type KeyTakenError struct{ JobID string }

func (e *KeyTakenError) Error() string { return "the idempotency key belongs to job " + e.JobID }

// Begin starts a synchronous job: it takes a slot and holds the maximum cost of the job. It
// refuses with *KeyTakenError, CodeNoCredits or CodeConcurrencyLimit. In both cases it returns the
// organization's current state. After ErrUnknownOutcome the job may or may not have begun; settle it
// as failed to be sure.
func (s *Store) Begin(job Job) (*account.Organization, error) {
	job.Mode, job.Status = ModeSync, earshot.StatusProcessing
	job.Attempts = 1
	var (
		after   account.Organization
		refusal error
	)
	err := s.Commit(Change{Organization: job.Organization, keys: keysOf(job), Apply: func(ctx context.Context, w *Work) error {
		o, err := w.Organization(job.Organization, job.CreatedAt)
		if err == nil {
			err = w.readBudgets(ctx, &job)
		}
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

// keysOf returns the idempotency keys of jobs.
func keysOf(jobs ...Job) (keys []string) {
	for _, job := range jobs {
		if job.IdempotencyKey != nil {
			keys = append(keys, *job.IdempotencyKey)
		}
	}
	return keys
}

// admit returns the reason why a job cannot begin, or nil.
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

// Settlement describes how a job ended.
type Settlement struct {
	Job      *Job           // as returned by Claim or Adopt, or passed to Begin
	Status   earshot.Status // COMPLETED or FAILED
	Charge   int64          // at most Job.MaxCost; 0 if it failed
	Attempts int            // number of attempts made
	Result   []byte         // JSON
	Error    *earshot.Error // reason of a failure
	Capture  *Capture       // stored pages, if any
	Uses     []outbound.Use // requests to upstreams other than the lab
}

// Settle ends a job. In one transaction it charges the job, releases its slot and its held
// credits, moves it to the finished jobs and plans its webhook. After an error it may be called
// again until it succeeds. It returns ErrLost if the node does not own the job.
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

// SettleLater is like Settle but does not wait: it calls done after the commit. done must not
// block. After any error, including ErrLost, call Settle with the same arguments: Settle finds
// out whether an earlier try was committed.
func (s *Store) SettleLater(end Settlement, now time.Time, done func(*account.Organization, error)) {
	end.Result = Pack(end.Result)
	last := &settling{Settlement: end, now: now, callback: done}
	w := Change{Organization: end.Job.Organization, job: end.Job, Apply: last.apply}.write()
	w.Done = last.done
	s.WriteLater(&w)
}

// settling is a settlement that waits for its commit.
type settling struct {
	Settlement
	now      time.Time
	callback func(*account.Organization, error)

	after account.Organization
	lost  bool // the node does not own the job
}

func (s *settling) apply(ctx context.Context, w *Work) error {
	o, err := w.Organization(s.Job.Organization, s.now)
	if err == nil {
		err = w.readBudgets(ctx, s.Job)
	}
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
	s.callback(&s.after, err)
}

// settledAlready returns nil if an earlier try of the same settlement was committed, and
// ErrLost if not. After any other error this is unknown.
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
