package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"earshot"
	"earshot/internal/store/engine"
)

// ClaimLimits limits the tasks that a node may start.
type ClaimLimits struct {
	Tasks int // in total
	// Room returns how many more tasks of an organization the node may run; nil means no limit.
	// It returns 0 for at most Full organizations.
	Room func(organization string) int
	Full int
}

// maxTurns limits the organizations that one claim serves. When more are waiting, each of the
// served ones starts several tasks instead of one: the cost of locking an organization is
// shared by its tasks, and the others do not wait longer for it.
const maxTurns = 125

// maxShare limits the tasks of one organization that a claim starts, so that some run while
// others are settled.
const maxShare = 500

// Claim starts queued tasks for a node, within limits. Organizations take turns: the one that
// was served longest ago comes first. Each starts its next tasks, by priority and then age, as
// far as its slots allow. A task that its organization cannot pay for ends FAILED instead. A task
// that lacks only credits held by running jobs stays queued with all tasks behind it (see
// shortage.go).
//
// handled counts the tasks that started or ended and the organizations that turned out to wait
// for credits. While it is not 0, another call may find more. If err is not nil, started holds the tasks
// that were certainly started; more may have been, and Owned returns them.
func (s *Store) Claim(ctx context.Context, node string, limits ClaimLimits, now time.Time) (started []*Job, handled int, err error) {
	chooser := &chooser{node: node, limits: limits, short: &s.short}
	if nodes := s.nodes.Load(); nodes != nil {
		chooser.nodes = *nodes
	}
	waiting, err := engine.FromAllShards(s.DB, func(p *engine.Shard) ([]candidate, error) { return chooser.candidates(ctx, p, p.Lookups) })
	if err != nil {
		return nil, 0, fmt.Errorf("claim tasks: %w", err)
	}
	ready := chooser.choose(waiting)
	// Each writer starts the tasks of its own organizations, in one transaction with its other
	// writes.
	share := min(limits.Tasks/max(1, len(ready)), maxShare)
	claims := map[*engine.Writer]*claim{}
	for _, id := range ready {
		l := s.ShardOf(id).WriterOf(id)
		if claims[l] == nil {
			claims[l] = &claim{chooser: chooser, writer: l, chosen: time.Now(), now: now}
		}
		claims[l].organizations = append(claims[l].organizations, id)
	}
	var group errgroup.Group
	for _, c := range claims {
		c.tasks = share * len(c.organizations)
		group.Go(func() error {
			err := s.Write(engine.Write{Organization: c.organizations[0], Choose: c.chooseAgain, Optional: true, Jobs: c.tasks, Apply: InWork(c.apply)})
			if err != nil {
				c.started, c.handled = nil, 0
				return fmt.Errorf("claim tasks: %w", err)
			}
			s.short.note(c.waiting)
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

// chooser chooses the organizations that may start tasks on a node.
type chooser struct {
	node   string
	nodes  map[string]int // number of workers of each known node
	limits ClaimLimits
	short  *shortages
}

// candidate is an organization that has a queued task and a free slot.
type candidate struct {
	id            string
	waited        int64 // since its last turn, in milliseconds
	queued        int
	balance, held int64
}

// candidates returns the organizations of a shard that have waited longest.
func (c *chooser) candidates(ctx context.Context, p *engine.Shard, in engine.Querier) ([]candidate, error) {
	targets := func(c *candidate) []any { return []any{&c.id, &c.waited, &c.queued, &c.balance, &c.held} }
	return engine.FindAll(ctx, in, targets, `SELECT id, `+p.Dialect.Now+` - served_at, queued, balance, held FROM organizations WHERE ready ORDER BY served_at LIMIT $1`,
		c.turns()+c.limits.Full+c.short.count())
}

// turns returns the maximum number of organizations to choose.
func (c *chooser) turns() int { return min(c.limits.Tasks, maxTurns) }

// choose returns the candidates that have waited longest, without organizations for which the
// node has no room or whose next task waits for credits.
//
// With several nodes, each node serves the organizations that it is the home of, so that nodes
// do not wait for each other's locks. An organization does not depend on its home: any node
// serves it after homeTime, or when the node has nothing else to do.
func (c *chooser) choose(waiting []candidate) []string {
	slices.SortStableFunc(waiting, func(a, b candidate) int { return cmp.Compare(b.waited, a.waited) })
	room := c.limits.Room
	waiting = slices.DeleteFunc(waiting, func(one candidate) bool { return room != nil && room(one.id) <= 0 || c.short.lasts(one) })
	own := slices.DeleteFunc(slices.Clone(waiting), func(one candidate) bool {
		return one.waited < homeTime.Milliseconds() && !isHome(c.node, one.id, c.nodes)
	})
	if len(own) == 0 {
		own = waiting
	}
	ids := make([]string, min(c.turns(), len(own)))
	for i := range ids {
		ids[i] = own[i].id
	}
	return ids
}

// homeTime is how long other nodes leave an organization to its home. It is longer than a busy
// node takes from one claim to the next.
const homeTime = 300 * time.Millisecond

// isHome reports whether node is the home of an organization: the node with the highest score
// in weighted rendezvous hashing. The nodes need no agreement, each is the home of organizations in
// proportion to its workers, and when a node joins or leaves, only its own organizations move.
func isHome(node, organization string, nodes map[string]int) bool {
	score := func(node string, workers int) float64 {
		hash := sha256.Sum256([]byte(node + organization))
		return float64(workers) / -math.Log((float64(binary.BigEndian.Uint64(hash[:])>>11)+0.5)/(1<<53)) // logarithm of a number between 0 and 1
	}
	own := score(node, nodes[node])
	for other, workers := range nodes {
		if score(other, workers) > own {
			return false
		}
	}
	return true
}

// claim is the part of a Claim that one writer applies.
type claim struct {
	*chooser

	writer        *engine.Writer
	organizations []string
	chosen        time.Time // when organizations was chosen
	tasks         int       // the maximum for all organizations together
	now           time.Time

	started []*Job
	handled int
	waiting map[string]shortage // by organization
}

// freshTime is how long a choice of organizations is considered current.
const freshTime = 2 * time.Millisecond

// chooseAgain returns the organizations to serve. If the claim had to wait for its writer, it
// chooses again, since other nodes may have served some organizations meanwhile and others may have
// waited longer. It reads through the writer's pool, on SQLite not through the readers' pool.
func (c *claim) chooseAgain() []string {
	if time.Since(c.chosen) < freshTime {
		return c.organizations
	}
	ctx, cancel := context.WithTimeout(context.Background(), engine.TransactionTime)
	defer cancel()
	p := c.writer.Shard
	waiting, err := c.candidates(ctx, p, engine.Pool{DB: p.Queue, Dialect: p.Dialect})
	if err == nil { // after an error, the transaction fails too
		ready := slices.DeleteFunc(c.choose(waiting), func(id string) bool { return p.WriterOf(id) != c.writer })
		c.organizations = ready[:min(len(ready), c.tasks)]
	}
	return c.organizations
}

func (c *claim) apply(ctx context.Context, w *Work) error {
	// The start must not be before the end of jobs in the same transaction that freed slots.
	if now := w.Clock.Now(); now.After(c.now) {
		c.now = now
	}
	best, err := c.startBest(ctx, w)
	if err == nil {
		err = w.readBudgets(ctx, best...)
	}
	if err != nil {
		return err
	}
	c.started, c.waiting = nil, map[string]shortage{}
	var unpaid []*unpaidJob
	for _, job := range best {
		o, err := w.Organization(job.Organization, c.now)
		if err != nil {
			return err
		}
		_, waits := c.waiting[o.ID] // an earlier task of the organization waits
		if !waits {
			waits, err = w.checkPaid(o, job, c.now)
		}
		why, short := errors.AsType[*earshot.Error](err)
		switch {
		case waits:
			c.waiting[o.ID] = shortage{} // filled below, when all started tasks hold their credits
			w.putBack(job)
		case short:
			unpaid = append(unpaid, &unpaidJob{job, why})
		default:
			o.Queued--
			w.hold(o, job)
			c.started = append(c.started, job)
		}
	}
	c.handled = len(c.started) + len(unpaid) + len(c.waiting)
	for id := range c.waiting {
		o := w.organizations[id]
		c.waiting[id] = shortage{queued: o.Queued, balance: o.Balance, held: o.Held}
	}
	return w.failUnpaid(unpaid, c.now)
}

// startBest assigns the next tasks of the organizations to the node. The tasks of each
// organization are in the order in which they must start.
func (c *claim) startBest(ctx context.Context, w *Work) (jobs []*Job, err error) {
	share := min(c.tasks/max(1, len(c.organizations)), maxShare)
	var turns []*turn
	for _, id := range c.organizations {
		// Another node may have started its tasks meanwhile.
		if o := w.organizations[id]; o != nil && o.Queued > 0 && o.Running < o.Plan.Slots {
			o.served = true
			tasks := min(share, o.Plan.Slots-o.Running, o.Queued)
			if o.Held > 0 { // do not start many tasks that would only be put back
				tasks = min(tasks, max(fewTasks, int(o.Available())))
			}
			if room := c.limits.Room; room != nil {
				tasks = min(tasks, room(id))
			}
			turns = append(turns, &turn{id, int64(tasks), c.node, c.now})
		}
	}
	if w.Dialect.Arrays {
		err = engine.Each(ctx, w.Tx, startBest, turns, engine.Collect(JobsTable, &jobs))
	} else if err = engine.Each(ctx, w.Tx, selectBest, turns, engine.Collect(JobsTable, &jobs)); err == nil {
		err = c.start(ctx, w, jobs)
	}
	if err != nil {
		return nil, fmt.Errorf("start the next tasks: %w", err)
	}
	slices.SortFunc(jobs, func(a, b *Job) int { return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.ID, b.ID)) })
	return jobs, nil
}

// turn is the number of tasks that an organization may start now on a node.
type turn struct {
	organization string
	tasks        int64
	node         string
	at           time.Time
}

var turnColumns = []engine.Column[turn]{
	engine.Field("organization", "uuid", func(t *turn) *string { return &t.organization }),
	engine.IntField("tasks", func(t *turn) *int64 { return &t.tasks }),
	engine.Field("node", "uuid", func(t *turn) *string { return &t.node }),
	engine.TimeField("at", func(t *turn) *time.Time { return &t.at }),
}

// On PostgreSQL one statement finds and starts the next tasks of all organizations.
//
// SQLite has no LATERAL, and its UPDATE ... RETURNING creates a temporary table at every run.
// There the tasks of each organization are read first and then started by id.
var (
	startBest = engine.NewStatement(turnColumns, func(in engine.Input) string {
		return `
			WITH best AS MATERIALIZED (
				SELECT q.place, r.node, r.at FROM ` + in.Rows() + ` CROSS JOIN LATERAL (
					SELECT ctid AS place FROM jobs WHERE organization = r.organization AND status = 'QUEUED'
					ORDER BY priority DESC, id LIMIT r.tasks) AS q)
			UPDATE jobs SET status = 'PROCESSING', node = best.node, attempts = attempts + 1, started_at = best.at
			FROM best WHERE jobs.ctid = best.place
			RETURNING ` + JobsTable.List
	})
	selectBest = engine.NewStatement(turnColumns[:2], func(in engine.Input) string {
		return `
			SELECT ` + JobsTable.List + ` FROM jobs WHERE organization = ` + in.Value("organization") + ` AND status = 'QUEUED'
			ORDER BY priority DESC, id LIMIT 0 + ` + in.Value("tasks") // SQLite would plan a plain parameter again at every run
	})
	// assignJobs writes which node runs a task, or that it is queued.
	assignJobs = engine.NewStatement(JobsTable.Only("organization", "id", "status", "node", "attempts", "started_at"), func(in engine.Input) string {
		return `UPDATE jobs SET ` + in.Assign("status", "node", "attempts", "started_at") + ` ` + in.Where("jobs", "organization", "id")
	})
)

// start assigns queued tasks to the node, in the database and in jobs.
func (c *claim) start(ctx context.Context, w *Work, jobs []*Job) error {
	for _, job := range jobs {
		job.Status, job.Node, job.StartedAt, job.Attempts = earshot.StatusProcessing, c.node, c.now, job.Attempts+1
	}
	return engine.Each(ctx, w.Tx, assignJobs, jobs, nil)
}

// unpaidJob is a task that a claim has started, and the reason why it cannot be paid.
type unpaidJob struct {
	*Job
	why *earshot.Error
}

// failUnpaid ends tasks that a claim has started and that cannot be paid.
func (w *Work) failUnpaid(unpaid []*unpaidJob, now time.Time) error {
	for _, u := range unpaid {
		job := u.Job
		o, err := w.Organization(job.Organization, now)
		if err != nil {
			return err
		}
		owner := job.Node
		job.neverStarted()
		if err := w.end(o, job, &Settlement{Status: earshot.StatusFailed, Error: u.why}, now); err != nil {
			return err
		}
		w.ended[len(w.ended)-1].owner = owner // the stored row still names this node
	}
	return nil
}
