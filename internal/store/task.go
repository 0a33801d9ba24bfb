package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store/engine"
)

// Task is a job in the form that its organization sees. Calls have no Event and no Delivery.
type Task struct {
	Job
	Charged    *int64
	FinishedAt time.Time       // zero until the job has ended
	Error      json.RawMessage // of a failed job
	Result     json.RawMessage // of a completed job
	Event      int64           // sequence number among the ended tasks of the organization
	Delivery   *Delivery       // the webhook

	Packed []byte // the compressed result
	owner  string // the node in the row of jobs that is deleted when the job ends
}

var (
	// FinishedTable has the jobs that have ended.
	FinishedTable = engine.NewTable("finished", append(engine.Lift(keptColumns, jobOf),
		engine.Field("charged", "bigint", func(t *Task) **int64 { return &t.Charged }),
		engine.TimeField("finished_at", func(t *Task) *time.Time { return &t.FinishedAt }),
		engine.BytesAsText("error", func(t *Task) *[]byte { return (*[]byte)(&t.Error) }),
		engine.NullField("event", "bigint", func(t *Task) *int64 { return &t.Event }),
		engine.Field("result", "bytea", func(t *Task) *[]byte { return &t.Packed }))...)
	insertFinished = FinishedTable.Insert("")

	ownerColumns = append(engine.Lift(JobsTable.Only("organization", "id"), jobOf), engine.Field("owner", "uuid", func(t *Task) *string { return &t.owner }))
	takeEnded    = engine.NewStatement(ownerColumns, func(in engine.Input) string {
		if in.Arrays {
			return `DELETE FROM jobs USING ` + in.Rows() + ` WHERE ` + isOwner + ` RETURNING 1`
		}
		return `DELETE FROM jobs WHERE organization = ` + in.Value("organization") + ` AND id = ` + in.Value("id") + ` AND node = ` + in.Value("owner")
	})
	// moveEnded moves rows within the server: only the columns in endColumns are sent.
	endColumns = []string{"status", "attempts", "node", "started_at", "charged", "finished_at", "error", "event", "result"}
	moveEnded  = endStatement(func(in engine.Input, into, ended string) string {
		return `WITH taken AS (DELETE FROM jobs USING ` + in.Rows() + ` WHERE ` + isOwner + ` RETURNING ` + ended + `)
			` + into + ` SELECT * FROM taken`
	})
	// copyEnded and takeEnded replace moveEnded on Citus, which would split that statement.
	copyEnded = endStatement(func(in engine.Input, into, ended string) string {
		return into + ` SELECT ` + ended + ` FROM jobs, ` + in.Rows() + ` WHERE ` + isOwner
	})
	deleteFinished = FinishedTable.Delete("organization", "id")

	// taskTables are the tables with tasks. A task moves only from the first to the second, so a
	// reader that looks in this order finds every task.
	taskTables = []*engine.Table[Task]{engine.NewTable("jobs", engine.Lift(JobsTable.Columns, jobOf)...), FinishedTable}
	// listedTables omit the columns that a list does not need.
	listedTables = []*engine.Table[Task]{taskTables[0], FinishedTable.Without("result")}
)

func jobOf(t *Task) *Job { return &t.Job }

// isOwner is the condition that a job still belongs to the node in r.
const isOwner = `jobs.organization = r.organization AND jobs.id = r.id AND jobs.node = r.owner`

// endStatement returns a PostgreSQL statement that inserts ended jobs into finished. Columns in
// endColumns come from r, the others from the row in jobs.
func endStatement(write func(in engine.Input, into, ended string) string) engine.Statement[Task] {
	return engine.NewStatement(append(slices.Clip(ownerColumns), FinishedTable.Only(endColumns...)...), func(in engine.Input) string {
		if !in.Arrays {
			return ""
		}
		var into, ended []string
		for _, c := range FinishedTable.Columns {
			from := "jobs."
			if slices.Contains(endColumns, c.Name) {
				from = "r."
			}
			into, ended = append(into, c.Name), append(ended, from+c.Name)
		}
		return write(in, `INSERT INTO finished (`+strings.Join(into, ", ")+`)`, strings.Join(ended, ", "))
	})
}

// findRequests reads the calls and tasks that match a condition.
func findRequests(ctx context.Context, in engine.Querier, from *engine.Table[Task], condition string, args ...any) ([]*Task, error) {
	tasks, err := engine.FindRows(ctx, in, from, `WHERE `+condition, args...)
	if err != nil {
		return nil, err
	}
	for _, t := range tasks {
		if err := t.Unpack(); err != nil {
			return nil, err
		}
	}
	return tasks, nil
}

// Unpack sets Result from Packed.
func (t *Task) Unpack() (err error) {
	t.Result, err = Unpack(t.Packed)
	t.Packed = nil
	return err
}

// Task returns a task of an organization. It returns ErrNotFound.
func (s *Store) Task(ctx context.Context, organization, id string) (*Task, error) {
	task, err := s.Request(ctx, organization, id)
	if err == nil && task.Mode != ModeAsync {
		err = fmt.Errorf("task %s: %w", id, ErrNotFound)
	}
	if err != nil {
		return nil, err
	}
	return task, s.addDelivery(ctx, task)
}

// CanonicalID returns an id in the form in which it is stored, or ErrNotFound if id is not valid.
func CanonicalID(id string) (string, error) {
	parsed, err := uuid.Parse(id)
	if err != nil || len(id) != len(parsed.String()) {
		return "", ErrNotFound
	}
	return parsed.String(), nil
}

// Queued returns a job that was just queued in the form that its organization sees.
func Queued(job Job) *Task { return &Task{Job: job, Delivery: plannedDelivery(&job)} }

// plannedDelivery returns the webhook of a job that has not ended, or nil.
func plannedDelivery(job *Job) *Delivery {
	if job.WebhookURL == nil {
		return nil
	}
	return &Delivery{Job: job.ID, URL: *job.WebhookURL}
}

// addDelivery adds the state of the task's webhook.
func (s *Store) addDelivery(ctx context.Context, t *Task) error {
	if t.WebhookURL != nil {
		t.Delivery = plannedDelivery(&t.Job)
		return nil
	}
	if t.FinishedAt.IsZero() {
		return nil
	}
	d, err := s.Delivery(ctx, t.Organization, t.ID)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	t.Delivery = d
	return err
}

// EventBytes is the size of stored tasks that Events reads at once.
const EventBytes = 256 << 10

// Events returns tasks of an organization in the order in which they ended, beginning after
// the sequence number after. last is the number of the last task, or after if there is none.
// The iterator reads the tasks in chunks of at most EventBytes (but at least one task) and unpacks results one
// by one. So it needs little memory whatever the limit, and no connection while the caller
// processes a task.
func (s *Store) Events(ctx context.Context, organization string, after int64, limit int) (last int64, tasks iter.Seq2[*Task, error], err error) {
	last = after
	var chunks chunks
	err = s.ShardOf(organization).Lookups.Find(ctx, func(r engine.Scanner) error {
		var bytes int64
		if err := r.Scan(&last, &bytes); err != nil {
			return err
		}
		chunks.add(last, bytes)
		return nil
	}, `
		SELECT event, octet_length(request) + COALESCE(octet_length(error), 0) + COALESCE(octet_length(result), 0)
		FROM finished WHERE organization = $1 AND event > $2 ORDER BY event LIMIT $3`, organization, after, limit)
	if err != nil {
		return 0, nil, fmt.Errorf("list events: %w", err)
	}
	return last, func(yield func(*Task, error) bool) {
		for _, chunk := range chunks {
			if !s.readChunk(ctx, yield, organization, `WHERE organization = $1 AND event >= $2 AND event <= $3 ORDER BY event`, chunk.first, chunk.last) {
				return
			}
		}
	}, nil
}

// chunks are ranges of sequence numbers or positions of ended tasks. Each chunk is read at once.
type chunks []chunk

type chunk struct{ first, last, bytes int64 }

// add adds a task to the last chunk, or to a new one if the last chunk is full.
func (c *chunks) add(number, bytes int64) {
	if n := len(*c); n > 0 && (*c)[n-1].bytes+bytes <= EventBytes {
		last := &(*c)[n-1]
		last.last, last.bytes = number, last.bytes+bytes
		return
	}
	*c = append(*c, chunk{number, number, bytes})
}

// readChunk yields the ended tasks of an organization ($1) in a chunk and reports whether to
// continue. It omits tasks that were deleted meanwhile.
func (s *Store) readChunk(ctx context.Context, yield func(*Task, error) bool, organization, clause string, args ...any) bool {
	tasks, err := engine.FindRows(ctx, s.ShardOf(organization).Lookups, FinishedTable, clause, append([]any{organization}, args...)...)
	if err != nil {
		return yield(nil, fmt.Errorf("read ended tasks: %w", err))
	}
	for i, task := range tasks {
		tasks[i] = nil // free the memory: the task may be large and the caller slow
		if err := task.Unpack(); err != nil {
			return yield(nil, err)
		}
		if !yield(task, nil) {
			return false
		}
	}
	return true
}

// QueueStatus is the state of an organization's queue.
type QueueStatus struct {
	Organization *account.Organization
	Processing   int                     // number of running tasks, without calls
	Queued       []earshot.PriorityCount // by priority, highest first
}

// QueueStatus returns a consistent view of an organization's queue.
func (s *Store) QueueStatus(ctx context.Context, organization string) (status QueueStatus, err error) {
	err = s.ShardOf(organization).Lookups.Snapshot(ctx, func(now engine.Snapshot) (err error) {
		status, err = queueStatus(ctx, now, organization)
		return err
	})
	return status, engine.Wrap(err, "read the queue's status")
}

func queueStatus(ctx context.Context, now engine.Snapshot, organization string) (status QueueStatus, err error) {
	status.Organization, err = engine.FirstRow(ctx, now, OrganizationsTable, `WHERE id = $1`, organization)
	if err != nil {
		return status, err
	}
	err = engine.First(ctx, now, func(r engine.Scanner) error { return r.Scan(&status.Processing) },
		`SELECT COUNT(*) FROM jobs WHERE organization = $1 AND status = 'PROCESSING' AND mode = 'async'`, organization)
	if err != nil {
		return status, err
	}
	status.Queued, err = engine.FindAll(ctx, now, func(p *earshot.PriorityCount) []any { return []any{&p.Priority, &p.Count} },
		`SELECT priority, COUNT(*) FROM jobs WHERE organization = $1 AND status = 'QUEUED' GROUP BY priority ORDER BY priority DESC`, organization)
	return status, err
}
