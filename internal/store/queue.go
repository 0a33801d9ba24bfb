package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"earshot"
)

// Submit queues tasks of one organization, in their order. refusals has an error for
// each task that was refused, and nil for the others. size is how many tasks the
// client handed in, faulty ones included: when the queue has no room for that many,
// err is CodeQueueLimit and none is queued. No credits are set aside for them.
func (s *Store) Submit(organization string, tasks []Job, size int, now time.Time) (refusals []error, err error) {
	return s.submit(organization, tasks, size, now, nil)
}

// submit is Submit, with what else is to be stored of the tasks in the same
// transaction.
func (s *Store) submit(
	organization string, tasks []Job, size int, now time.Time, more func(ctx context.Context, w *work, refusals []error) error,
) (refusals []error, err error) {
	var overflow error
	err = s.write(write{organization: organization, keys: keysOf(tasks...), jobs: len(tasks), counts: more == nil, blind: more == nil, apply: func(ctx context.Context, w *work) error {
		o, err := w.organization(organization, now)
		if err != nil {
			return err
		}
		if overflow = checkCapacity(o, size); overflow != nil {
			return nil //nolint:nilerr // a refusal, not a failure
		}
		refusals = make([]error, len(tasks))
		for i, task := range tasks {
			if refusals[i] = w.checkTask(o, task); refusals[i] == nil {
				task.Mode, task.Status = ModeAsync, earshot.StatusQueued
				w.insert(o, &task)
			}
		}
		if more != nil {
			return more(ctx, w, refusals)
		}
		return nil
	}})
	if errors.Is(err, ErrUnknownOutcome) && (overflow != nil || s.submitted(organization, tasks, refusals)) {
		err = nil
	}
	if err != nil {
		return nil, fmt.Errorf("submit tasks: %w", err)
	}
	return refusals, overflow
}

func checkCapacity(o *lockedOrganization, size int) error {
	room := max(0, o.Plan.QueueCapacity-o.Queued)
	if size <= room {
		return nil
	}
	return &earshot.Error{
		Code:    earshot.CodeQueueLimit,
		Message: fmt.Sprintf("the queue has room for %d more tasks", room),
		Details: earshot.QueueDetails{QueuedCount: o.Queued, BatchSize: size, MaxQueueSize: o.Plan.QueueCapacity, RemainingCapacity: room},
	}
}

// checkTask returns why a task cannot be queued, or nil.
func (w *work) checkTask(o *lockedOrganization, task Job) error {
	if task.IdempotencyKey != nil {
		if job, used := w.keys[taskKey{o.ID, *task.IdempotencyKey}]; used {
			return &earshot.Error{
				Code:    earshot.CodeAlreadyExists,
				Message: "a task with this idempotencyKey exists already",
				Details: earshot.DuplicateDetails{Field: "idempotencyKey", Value: *task.IdempotencyKey, TaskID: job},
			}
		}
	}
	if o.Balance < task.MaxCost {
		return errNoCredits(task, o)
	}
	return w.checkBudget(&task, task.CreatedAt)
}

// submitted reports whether a submission of unknown outcome did commit: one of
// its tasks is there, so all of them are.
func (s *Store) submitted(organization string, tasks []Job, refusals []error) bool {
	accepted := slices.Index(refusals, nil)
	if accepted < 0 {
		return false
	}
	// The lock waits for a commit that is still under way.
	if err := s.of(organization).commitTogether(&write{organization: organization, apply: func(context.Context, *work) error { return nil }}); err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), transactionTime)
	defer cancel()
	_, err := s.Task(ctx, organization, tasks[accepted].ID)
	return err == nil
}

// taskKey is an idempotency key of an organization.
type taskKey struct{ organization, key string }

// keyedTask is an idempotency key and the task or call that has it.
type keyedTask struct {
	taskKey
	job string
}

var (
	keysTable = newTable("idempotency_keys",
		field("organization", "uuid", func(k *keyedTask) *string { return &k.organization }),
		textField("key", func(k *keyedTask) *string { return &k.key }),
		field("job", "uuid", func(k *keyedTask) *string { return &k.job }))
	insertKeys = keysTable.insert("")
	selectKeys = newStatement(keysTable.only("organization", "key"), func(in input) string {
		return `SELECT ` + keysTable.list + ` FROM idempotency_keys WHERE ` + in.matching()
	})
	deleteKeys = newStatement(keysTable.columns, func(in input) string {
		return `DELETE FROM idempotency_keys WHERE ` + in.matching()
	})
)

func (w *work) storeKeys(ctx context.Context) error {
	var keyed []*keyedTask
	for _, job := range w.inserted {
		if job.IdempotencyKey != nil {
			keyed = append(keyed, &keyedTask{taskKey{job.Organization, *job.IdempotencyKey}, job.ID})
		}
	}
	return each(ctx, w.tx, insertKeys, keyed, nil)
}

// ClaimLimits say what a node may start.
type ClaimLimits struct {
	Tasks int // in all
	// Room is how many more tasks of an organization the node may run; nil means any
	// number. At most Full organizations have none.
	Room func(organization string) int
	Full int
}

// maxTurns is how many organizations have their turn in one claim. Where more than that
// wait, each starts a few tasks, and not one: what a turn costs is shared by them, and the
// others' turn comes as soon.
const maxTurns = 125

// maxShare is how many tasks of one organization a claim starts. While they are settled and
// make room, others of it run.
const maxShare = 500

// Claim starts queued tasks for a node, within limits: organizations take turns, the one
// that was served longest ago first, and each gives its best tasks, by priority
// and then age, as far as its slots go. A task that its organization cannot pay
// ends FAILED instead. handled counts both: as long as there were any, there may
// be more. With an error come the tasks that were started for certain; there may
// be others, which Owned knows.
func (s *Store) Claim(ctx context.Context, node string, limits ClaimLimits, now time.Time) (started []*Job, handled int, err error) {
	n, room := limits.Tasks, limits.Room
	turns := min(n, maxTurns)
	ready, err := s.nextOrganizations(ctx, turns+limits.Full)
	if err != nil {
		return nil, 0, fmt.Errorf("claim tasks: %w", err)
	}
	if room != nil {
		ready = slices.DeleteFunc(ready, func(id string) bool { return room(id) <= 0 })
		ready = ready[:min(turns, len(ready))]
	}
	// Each lane starts the tasks of its own organizations, together with whatever
	// else it has to do for them.
	share := min(max(1, n/max(1, len(ready))), maxShare)
	claims := map[*lane]*claim{}
	for _, id := range ready {
		l := s.of(id).laneOf(id)
		if claims[l] == nil {
			claims[l] = &claim{node: node, share: share, room: room, now: now}
		}
		claims[l].organizations = append(claims[l].organizations, id)
	}
	var group errgroup.Group
	for _, c := range claims {
		group.Go(func() error {
			err := s.write(write{organization: c.organizations[0], others: c.organizations[1:], optional: true, counts: true, jobs: share * len(c.organizations), apply: c.apply})
			if err != nil {
				c.started, c.handled = nil, 0
				return fmt.Errorf("claim tasks: %w", err)
			}
			return nil
		})
	}
	err = group.Wait()
	for _, c := range claims {
		started = append(started, c.started...)
		handled += c.handled
	}
	return started, handled, err
}

// nextOrganizations are those that have a task and a slot for it and waited longest, at most n.
func (s *Store) nextOrganizations(ctx context.Context, n int) ([]string, error) {
	type waiting struct {
		id    string
		since int64
	}
	all, err := everywhere(s, func(p *part) (all []waiting, err error) {
		err = p.lookups.find(ctx, func(r scanner) error {
			var w waiting
			err := r.Scan(&w.id, &w.since)
			all = append(all, w)
			return err
		}, `SELECT id, served_at FROM organizations WHERE ready ORDER BY served_at LIMIT $1`, n)
		return all, err
	})
	if len(s.parts) > 1 {
		slices.SortStableFunc(all, func(a, b waiting) int { return cmp.Compare(a.since, b.since) })
	}
	ids := make([]string, min(n, len(all)))
	for i := range ids {
		ids[i] = all[i].id
	}
	return ids, err
}

// claim is the part of a claim that one lane does.
type claim struct {
	node          string
	organizations []string
	share         int                           // tasks of each organization
	room          func(organization string) int // how many of them the node may run; nil for all
	now           time.Time

	started []*Job
	handled int
}

func (c *claim) apply(ctx context.Context, w *work) error {
	// Not before the end of the jobs that made room, which may share the transaction.
	if now := w.clock.now(); now.After(c.now) {
		c.now = now
	}
	best, err := c.startBest(ctx, w)
	if err != nil {
		return err
	}
	c.started, c.handled = nil, len(best)
	var unpaid []*unpaidJob
	for _, job := range best {
		o, err := w.organization(job.Organization, c.now)
		if err != nil {
			return err
		}
		if o.Available() < job.MaxCost {
			unpaid = append(unpaid, &unpaidJob{job, errNoCredits(*job, o)})
			continue
		}
		if over, ok := errors.AsType[*earshot.Error](w.checkBudget(job, c.now)); ok {
			unpaid = append(unpaid, &unpaidJob{job, over})
			continue
		}
		o.Queued--
		w.hold(o, job)
		c.started = append(c.started, job)
	}
	return w.failUnpaid(unpaid, c.now)
}

// startBest gives the node the next tasks of the organizations, each
// organization's in the order in which they are to start.
func (c *claim) startBest(ctx context.Context, w *work) (jobs []*Job, err error) {
	var turns []*turn
	for _, id := range c.organizations {
		// Somebody may have been faster.
		if o := w.organizations[id]; o != nil && o.Queued > 0 && o.Running < o.Plan.Slots {
			o.served = true
			tasks := min(c.share, o.Plan.Slots-o.Running, o.Queued)
			if c.room != nil {
				tasks = min(tasks, c.room(id))
			}
			turns = append(turns, &turn{id, int64(tasks), c.node, c.now})
		}
	}
	if w.dialect.arrays {
		err = each(ctx, w.tx, startBest, turns, collect(jobsTable, &jobs))
	} else if err = each(ctx, w.tx, selectBest, turns, collect(jobsTable, &jobs)); err == nil {
		err = c.start(ctx, w, jobs)
	}
	if err != nil {
		return nil, fmt.Errorf("start the best tasks: %w", err)
	}
	slices.SortFunc(jobs, func(a, b *Job) int { return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.ID, b.ID)) })
	return jobs, nil
}

// turn is how many tasks an organization may start now, and who is to run them.
type turn struct {
	organization string
	tasks        int64
	node         string
	at           time.Time
}

var turnColumns = []column[turn]{
	field("organization", "uuid", func(t *turn) *string { return &t.organization }),
	intField("tasks", func(t *turn) *int64 { return &t.tasks }),
	field("node", "uuid", func(t *turn) *string { return &t.node }),
	timeField("at", func(t *turn) *time.Time { return &t.at }),
}

// On PostgreSQL one statement finds the best tasks of all organizations and starts
// them. SQLite has no LATERAL, and an UPDATE that returns rows makes a table for
// them at every run: there each organization's are read, and then started by id.
var (
	startBest = newStatement(turnColumns, func(in input) string {
		return `
			WITH best AS MATERIALIZED (
				SELECT q.place, r.node, r.at FROM ` + in.rows() + ` CROSS JOIN LATERAL (
					SELECT ctid AS place FROM jobs WHERE organization = r.organization AND status = 'QUEUED' ORDER BY priority DESC, id LIMIT r.tasks) AS q)
			UPDATE jobs SET status = 'PROCESSING', node = best.node, attempts = attempts + 1, started_at = best.at
			FROM best WHERE jobs.ctid = best.place
			RETURNING ` + jobsTable.list
	})
	selectBest = newStatement(turnColumns[:2], func(in input) string {
		return `
			SELECT ` + jobsTable.list + ` FROM jobs WHERE organization = ` + in.value("organization") + ` AND status = 'QUEUED'
			ORDER BY priority DESC, id LIMIT 0 + ` + in.value("tasks") // for a mere parameter SQLite would plan anew at every run
	})
	startJobs = newStatement(jobsTable.only("organization", "id", "status", "node", "attempts", "started_at"), func(in input) string {
		return `UPDATE jobs SET ` + in.assign("status", "node", "attempts", "started_at") + ` ` + in.where("jobs", "organization", "id")
	})
)

// start makes queued tasks the node's, in the rows and in jobs.
func (c *claim) start(ctx context.Context, w *work, jobs []*Job) error {
	for _, job := range jobs {
		job.Status, job.Node, job.StartedAt, job.Attempts = earshot.StatusProcessing, c.node, c.now, job.Attempts+1
	}
	return each(ctx, w.tx, startJobs, jobs, nil)
}

// unpaidJob is a task that was about to start, and why it cannot be paid.
type unpaidJob struct {
	*Job
	why *earshot.Error
}

// failUnpaid ends tasks that were about to start and cannot be paid.
func (w *work) failUnpaid(unpaid []*unpaidJob, now time.Time) error {
	for _, u := range unpaid {
		job := u.Job
		o, err := w.organization(job.Organization, now)
		if err != nil {
			return err
		}
		// It never was under way.
		owner := job.Node
		job.Status, job.Node, job.StartedAt, job.Attempts = earshot.StatusQueued, "", time.Time{}, job.Attempts-1
		if err := w.end(o, job, &Settlement{Status: earshot.StatusFailed, Error: u.why}, now); err != nil {
			return err
		}
		w.ended[len(w.ended)-1].owner = owner // as the row has it
	}
	return nil
}

// NoteAttempt notes that a task's node makes another attempt.
func (s *Store) NoteAttempt(job *Job, attempt int) error {
	_, err := s.of(job.Organization).exec(`UPDATE jobs SET attempts = $4 WHERE organization = $1 AND id = $2 AND node = $3`, job.Organization, job.ID, job.Node, attempt)
	if err != nil {
		return fmt.Errorf("note an attempt: %w", err)
	}
	return nil
}

// clearBatch keeps each transaction of a clear short.
const clearBatch = 5000

// Clear removes the queued tasks of an organization, frees their keys, and
// returns how many there were.
func (s *Store) Clear(organization string, now time.Time) (cleared int, err error) {
	for {
		n, err := s.drop(organization, now, `id IN (SELECT id FROM jobs WHERE organization = $1 AND status = 'QUEUED' LIMIT $2)`, clearBatch)
		if err != nil {
			return cleared, fmt.Errorf("clear the queue: %w", err)
		}
		if cleared += n; n < clearBatch {
			return cleared, nil
		}
	}
}

// Cancel removes one queued task and frees its key. Returns ErrNotFound, or
// CodeConflict when the task is no longer queued.
func (s *Store) Cancel(ctx context.Context, organization, id string, now time.Time) error {
	task, err := s.Task(ctx, organization, id) // also checks that it is an id
	if err != nil {
		return err
	}
	n, err := s.drop(organization, now, `id = $2 AND status = 'QUEUED'`, task.ID)
	if err != nil {
		return fmt.Errorf("cancel task %s: %w", id, err)
	}
	if n > 0 {
		return nil
	}
	if task, err = s.Task(ctx, organization, id); err != nil {
		return err
	}
	return &earshot.Error{
		Code: earshot.CodeConflict, Message: "only a queued task can be canceled",
		Details: earshot.ConflictDetails{ID: task.ID, Status: task.Status},
	}
}

// drop removes the queued tasks of an organization, $1, that the condition picks,
// and frees their keys.
func (s *Store) drop(organization string, now time.Time, condition string, arg any) (n int, err error) {
	err = s.write(write{organization: organization, apply: func(ctx context.Context, w *work) error {
		o, err := w.organization(organization, now)
		if err != nil {
			return err
		}
		var keys []*keyedTask
		var dropped []*batchTask
		n = 0
		err = w.find(ctx, func(r scanner) error {
			var id string
			var key *string
			err := r.Scan(&id, &key)
			if key != nil {
				keys = append(keys, &keyedTask{taskKey{organization, *key}, id})
			}
			dropped = append(dropped, &batchTask{organization: organization, job: id})
			n++
			return err
		}, `DELETE FROM jobs WHERE organization = $1 AND `+condition+` RETURNING id, idempotency_key`, organization, arg)
		if err != nil {
			return err
		}
		o.Queued -= n
		if err := each(ctx, w.tx, deleteBatchTasks, dropped, nil); err != nil {
			return err
		}
		return each(ctx, w.tx, deleteKeys, keys, nil)
	}})
	return n, err
}
