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
	Most         int64  // the most it can cost
	Node         string // who runs it
	Attempts     int    // begun so far
	CreatedAt    time.Time
	StartedAt    time.Time // zero until then

	// Of tasks only.
	Priority       int
	IdempotencyKey *string
	WebhookURL     *string
}

const jobColumns = `organization, id, key_id, provider, mode, status, request, most, node, attempts, created_at, started_at,
	priority, idempotency_key, webhook_url`

func scanJob(found scanner) (job Job, err error) {
	var node *string
	var created int64
	var started *int64
	err = found.Scan(&job.Organization, &job.ID, &job.KeyID, &job.Provider, &job.Mode, &job.Status, &job.Request, &job.Most, &node,
		&job.Attempts, &created, &started, &job.Priority, &job.IdempotencyKey, &job.WebhookURL)
	if node != nil {
		job.Node = *node
	}
	if started != nil {
		job.StartedAt = time.UnixMilli(*started)
	}
	job.CreatedAt = time.UnixMilli(created)
	return job, err
}

// Begin starts a synchronous job: it takes a slot and sets aside the most that
// the job can cost, or refuses with CodeNoCredits or CodeConcurrencyLimit. Either
// way it tells how the organization stands. After any other error the job may or
// may not have begun; settling it as failed makes sure.
func (s *Store) Begin(job Job) (*account.Organization, error) {
	job.Mode, job.Status = ModeSync, earshot.StatusProcessing
	job.Attempts = 1
	var (
		stands  account.Organization
		refusal error
	)
	err := s.write(write{organization: job.Organization, apply: func(_ context.Context, w *work) error {
		o, err := w.organization(job.Organization, job.CreatedAt)
		if err != nil {
			return err
		}
		if refusal = admit(o, job); refusal == nil {
			w.insert(o, job)
		}
		stands = o.Organization
		return nil
	}})
	if err != nil {
		return nil, fmt.Errorf("begin job: %w", err)
	}
	return &stands, refusal
}

// admit tells why a job cannot begin, or nil.
func admit(o *row, job Job) error {
	switch {
	case o.Available() < job.Most:
		return errNoCredits(job, o.Available())
	case o.Running >= o.Plan.Slots:
		return &earshot.Error{
			Code:    earshot.CodeConcurrencyLimit,
			Message: fmt.Sprintf("all %d concurrency slots are busy", o.Plan.Slots),
			Details: earshot.LimitDetails{Limit: o.Plan.Slots},
		}
	}
	return nil
}

func errNoCredits(job Job, remaining int64) *earshot.Error {
	return &earshot.Error{
		Code:    earshot.CodeNoCredits,
		Message: fmt.Sprintf("this can cost %d credits, but only %d are left", job.Most, remaining),
		Details: earshot.CreditDetails{Required: job.Most, Remaining: remaining},
	}
}

// Settlement is how a job ended.
type Settlement struct {
	Job      Job            // as it was begun, claimed or adopted
	Status   earshot.Status // COMPLETED or FAILED
	Charge   int64          // at most Job.Most; 0 when it failed
	Attempts int            // that were made
	Result   []byte         // JSON; kept for tasks
	Error    *earshot.Error // why it failed
	Capture  *Capture       // what it stored, if anything
}

// Settle ends a job: it charges, gives back the slot and what was held, moves the
// job to the finished ones and plans its webhook, all or nothing. It may be
// repeated after an error until it succeeds. Returns ErrLost when the job is not
// the node's.
func (s *Store) Settle(end Settlement, now time.Time) (*account.Organization, error) {
	var (
		stands account.Organization
		lost   bool
	)
	end.Job.Status, end.Result = earshot.StatusProcessing, pack(end.Result)
	err := s.write(write{organization: end.Job.Organization, job: &end.Job, apply: func(_ context.Context, w *work) error {
		o, err := w.organization(end.Job.Organization, now)
		if err != nil {
			return err
		}
		job := w.jobs[end.Job.ID]
		if lost = job == nil; !lost {
			w.end(o, job, end, now)
		}
		stands = o.Organization
		return nil
	}})
	if err == nil && lost {
		err = s.settledAlready(end)
	}
	if err != nil {
		return nil, fmt.Errorf("settle job %s: %w", end.Job.ID, err)
	}
	return &stands, nil
}

// settledAlready returns nil when an earlier try of the same settlement, whose
// outcome was unknown, did commit, and ErrLost when it did not. With any other
// error nobody knows.
func (s *Store) settledAlready(end Settlement) error {
	ctx, cancel := context.WithTimeout(context.Background(), transactionTime)
	defer cancel()
	var status earshot.Status
	var charged int64
	err := s.first(ctx, func(r scanner) error { return r.Scan(&status, &charged) },
		`SELECT status, charged FROM finished WHERE organization = $1 AND id = $2 AND node = $3`,
		end.Job.Organization, end.Job.ID, end.Job.Node)
	if errors.Is(err, ErrNotFound) || (err == nil && (status != end.Status || charged != end.Charge)) {
		return ErrLost
	}
	return err
}

// ending is a settlement as it is stored.
type ending struct {
	Settlement
	at    int64
	event *int64 // its place among the organization's ended tasks
}

func (w *work) storeInserted(ctx context.Context) error {
	jobs := w.inserted
	return w.each(ctx, table(len(jobs)).
		uuid("organization", func(i int) string { return jobs[i].Organization }).
		uuid("id", func(i int) string { return jobs[i].ID }).
		text("key_id", func(i int) string { return jobs[i].KeyID }).
		text("provider", func(i int) string { return jobs[i].Provider }).
		text("mode", func(i int) string { return jobs[i].Mode }).
		text("status", func(i int) string { return string(jobs[i].Status) }).
		text("request", func(i int) string { return string(jobs[i].Request) }).
		int("most", func(i int) int64 { return jobs[i].Most }).
		maybeUUID("node", func(i int) *string { return ifSet(jobs[i].Node) }).
		int("attempts", func(i int) int64 { return int64(jobs[i].Attempts) }).
		int("created_at", func(i int) int64 { return millis(jobs[i].CreatedAt) }).
		maybeInt("started_at", func(i int) *int64 { return ifPast(jobs[i].StartedAt) }).
		int("priority", func(i int) int64 { return int64(max(1, jobs[i].Priority)) }).
		maybeText("idempotency_key", func(i int) *string { return jobs[i].IdempotencyKey }).
		maybeText("webhook_url", func(i int) *string { return jobs[i].WebhookURL }), `
		INSERT INTO jobs (`+jobColumns+`) SELECT `+jobColumns+` FROM $rows`, nil)
}

// storeEndings adds to the finished jobs.
func (w *work) storeEndings(ctx context.Context) error {
	ends := w.endings
	failures := make([]*string, len(ends))
	for i, end := range ends {
		if end.Error == nil {
			continue
		}
		text, err := json.Marshal(end.Error)
		if err != nil {
			return fmt.Errorf("encode the job's error: %w", err)
		}
		failures[i] = new(string(text))
	}
	const columns = `organization, id, key_id, provider, mode, status, request, most, charged, attempts, node,
		created_at, started_at, finished_at, error, priority, idempotency_key, event, result`
	return w.each(ctx, table(len(ends)).
		uuid("organization", func(i int) string { return ends[i].Job.Organization }).
		uuid("id", func(i int) string { return ends[i].Job.ID }).
		text("key_id", func(i int) string { return ends[i].Job.KeyID }).
		text("provider", func(i int) string { return ends[i].Job.Provider }).
		text("mode", func(i int) string { return ends[i].Job.Mode }).
		text("status", func(i int) string { return string(ends[i].Status) }).
		text("request", func(i int) string { return string(ends[i].Job.Request) }).
		int("most", func(i int) int64 { return ends[i].Job.Most }).
		int("charged", func(i int) int64 { return ends[i].Charge }).
		int("attempts", func(i int) int64 { return int64(ends[i].Attempts) }).
		maybeUUID("node", func(i int) *string { return ifSet(ends[i].Job.Node) }).
		int("created_at", func(i int) int64 { return millis(ends[i].Job.CreatedAt) }).
		maybeInt("started_at", func(i int) *int64 { return ifPast(ends[i].Job.StartedAt) }).
		int("finished_at", func(i int) int64 { return ends[i].at }).
		maybeText("error", func(i int) *string { return failures[i] }).
		int("priority", func(i int) int64 { return int64(max(1, ends[i].Job.Priority)) }).
		maybeText("idempotency_key", func(i int) *string { return ends[i].Job.IdempotencyKey }).
		maybeInt("event", func(i int) *int64 { return ends[i].event }).
		bytes("result", func(i int) []byte { return ends[i].Result }),
		`INSERT INTO finished (`+columns+`) SELECT `+columns+` FROM $rows`, nil)
}

func ifSet(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func ifPast(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	return new(millis(t))
}
