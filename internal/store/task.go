package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

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
			return `DELETE FROM jobs USING ` + in.Rows() + ` WHERE ` + isOwner
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

	// TaskTables are the tables with tasks. A task moves only from the first to the second, so a
	// reader that looks in this order finds every task.
	TaskTables = []*engine.Table[Task]{engine.NewTable("jobs", engine.Lift(JobsTable.Columns, jobOf)...), FinishedTable}
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

// Unpack sets Result from Packed.
func (t *Task) Unpack() (err error) {
	t.Result, err = Unpack(t.Packed)
	t.Packed = nil
	return err
}

// Request returns a call or task of an organization with its result. It returns ErrNotFound.
func (s *Store) Request(ctx context.Context, organization, id string) (*Task, error) {
	id, err := CanonicalID(id)
	if err != nil {
		return nil, fmt.Errorf("request: %w", err)
	}
	for _, from := range TaskTables {
		found, err := engine.FindRows(ctx, s.ShardOf(organization).Lookups, from, `WHERE organization = $1 AND id = $2`, organization, id)
		if err == nil && len(found) > 0 {
			err = found[0].Unpack()
		}
		if err != nil {
			return nil, fmt.Errorf("request %s: %w", id, err)
		}
		if len(found) > 0 {
			return found[0], nil
		}
	}
	return nil, fmt.Errorf("request %s: %w", id, ErrNotFound)
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

const (
	// ScannedRows limits the rows that one page of a list reads, whatever the filter, so that no
	// request makes the database read a long history.
	ScannedRows = 1000
	// ScanBatch is the number of rows that are read at once.
	ScanBatch = 200
	// EventBytes is the size of ended tasks that are read at once.
	EventBytes = 256 << 10
	// IDEarlier is how much the time in an id may precede the creation of its job.
	IDEarlier = time.Second
	// IDLater is how much it may follow the creation: a task gets its id after its body has arrived.
	IDLater = time.Minute
)
