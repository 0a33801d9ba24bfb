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
// ends FAILED instead. One that lacks only credits which running jobs hold stays queued, and
// so do those behind it, see shortage.go. handled counts the tasks that started or
// ended and the organizations found to wait for credits: as long as there were any, there may
// be more. With an error come the tasks that were started for certain; there may
// be others, which Owned knows.
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
	// Each writer starts the tasks of its own organizations, together with whatever
	// else it has to do for them.
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
			err := s.Write(engine.Write{Organization: c.organizations[0], Choose: c.chooseAgain, Optional: true, Jobs: c.tasks, Apply: inWork(c.apply)})
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

// chooser chooses the organizations whose turn it is to start tasks on a node.
type chooser struct {
	node   string
	nodes  map[string]int // that there are, as far as is known, and how many tasks each runs at once
	limits ClaimLimits
	short  *shortages
}

// candidate is an organization that has a task and a slot for it.
type candidate struct {
	id            string
	waited        int64 // since its last turn, in milliseconds
	queued        int
	balance, held int64
}

// candidates are those in a part that waited longest.
func (c *chooser) candidates(ctx context.Context, p *engine.Shard, in engine.Querier) (all []candidate, err error) {
	err = in.Find(ctx, func(r engine.Scanner) error {
		var one candidate
		err := r.Scan(&one.id, &one.waited, &one.queued, &one.balance, &one.held)
		all = append(all, one)
		return err
	}, `SELECT id, `+p.Dialect.Now+` - served_at, queued, balance, held FROM organizations WHERE ready ORDER BY served_at LIMIT $1`,
		c.turns()+c.limits.Full+c.short.count())
	return all, err
}

// turns is how many organizations are chosen at most.
func (c *chooser) turns() int { return min(c.limits.Tasks, maxTurns) }

// choose gives those that waited longest, for which the node has room and whose next task
// does not wait for credits.
//
// Where there are several nodes, each serves the organizations that it is the home of, so
// that nodes do not wait for one another's locks. But
// nobody waits for a home that is busy, or gone: after homeTime, or when a node has nothing
// else to do, any node serves an organization.
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

// homeTime is how long an organization's turn is left to the node that is its home. It is longer
// than a busy node takes from one turn to the next.
const homeTime = 300 * time.Millisecond

// isHome tells whether a node is the home of an organization: the one with the highest score for
// it, by rendezvous hashing with weights. So nodes need not agree on anything, each is the home of as
// many as it has workers for, and when one comes or goes, only what it is the home of moves.
func isHome(node, organization string, nodes map[string]int) bool {
	score := func(node string, workers int) float64 {
		hash := sha256.Sum256([]byte(node + organization))
		return float64(workers) / -math.Log((float64(binary.BigEndian.Uint64(hash[:])>>11)+0.5)/(1<<53)) // of a number between 0 and 1
	}
	own := score(node, nodes[node])
	for other, workers := range nodes {
		if score(other, workers) > own {
			return false
		}
	}
	return true
}

// claim is the part of a claim that one writer does.
type claim struct {
	*chooser

	writer        *engine.Writer
	organizations []string
	chosen        time.Time // when they were
	tasks         int       // that all of them may start together
	now           time.Time

	started []*Job
	handled int
	waiting map[string]shortage // by organization
}

// freshTime is how long those that were chosen are taken for the ones whose turn it is.
const freshTime = 2 * time.Millisecond

// chooseAgain gives the organizations of a claim that has waited for its writer: others had
// their turn meanwhile, and some have come that waited longer. It asks through the connections
// that the writer's transactions have, on SQLite not through those of readers.
func (c *claim) chooseAgain() []string {
	if time.Since(c.chosen) < freshTime {
		return c.organizations
	}
	ctx, cancel := context.WithTimeout(context.Background(), engine.TransactionTime)
	defer cancel()
	p := c.writer.Shard
	waiting, err := c.candidates(ctx, p, engine.Pool{DB: p.Queue, Dialect: p.Dialect})
	if err == nil { // or else the transaction will tell
		ready := slices.DeleteFunc(c.choose(waiting), func(id string) bool { return p.WriterOf(id) != c.writer })
		c.organizations = ready[:min(len(ready), c.tasks)]
	}
	return c.organizations
}

func (c *claim) apply(ctx context.Context, w *Work) error {
	// Not before the end of the jobs that made room, which may share the transaction.
	if now := w.Clock.Now(); now.After(c.now) {
		c.now = now
	}
	best, err := c.startBest(ctx, w)
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
		_, waits := c.waiting[o.ID] // behind another
		if !waits {
			waits, err = w.checkPaid(o, job, c.now)
		}
		why, short := errors.AsType[*earshot.Error](err)
		switch {
		case waits:
			c.waiting[o.ID] = shortage{} // until all that start now hold their credits
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

// startBest gives the node the next tasks of the organizations, each
// organization's in the order in which they are to start.
func (c *claim) startBest(ctx context.Context, w *Work) (jobs []*Job, err error) {
	share := min(c.tasks/max(1, len(c.organizations)), maxShare)
	var turns []*turn
	for _, id := range c.organizations {
		// Somebody may have been faster.
		if o := w.organizations[id]; o != nil && o.Queued > 0 && o.Running < o.Plan.Slots {
			o.served = true
			tasks := min(share, o.Plan.Slots-o.Running, o.Queued)
			if o.Held > 0 { // many would only be put back
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

var turnColumns = []engine.Column[turn]{
	engine.Field("organization", "uuid", func(t *turn) *string { return &t.organization }),
	engine.IntField("tasks", func(t *turn) *int64 { return &t.tasks }),
	engine.Field("node", "uuid", func(t *turn) *string { return &t.node }),
	engine.TimeField("at", func(t *turn) *time.Time { return &t.at }),
}

// On PostgreSQL one statement finds the best tasks of all organizations and starts them.
//
// SQLite has no LATERAL, and an UPDATE that returns rows makes a table for
// them at every run: there each organization's are read, and then started by id.
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
			ORDER BY priority DESC, id LIMIT 0 + ` + in.Value("tasks") // for a mere parameter SQLite would plan anew at every run
	})
	// placeJobs makes tasks a node's, or nobody's.
	placeJobs = engine.NewStatement(JobsTable.Only("organization", "id", "status", "node", "attempts", "started_at"), func(in engine.Input) string {
		return `UPDATE jobs SET ` + in.Assign("status", "node", "attempts", "started_at") + ` ` + in.Where("jobs", "organization", "id")
	})
)

// start makes queued tasks the node's, in the rows and in jobs.
func (c *claim) start(ctx context.Context, w *Work, jobs []*Job) error {
	for _, job := range jobs {
		job.Status, job.Node, job.StartedAt, job.Attempts = earshot.StatusProcessing, c.node, c.now, job.Attempts+1
	}
	return engine.Each(ctx, w.Tx, placeJobs, jobs, nil)
}

// unpaidJob is a task that was about to start, and why it cannot be paid.
type unpaidJob struct {
	*Job
	why *earshot.Error
}

// failUnpaid ends tasks that were about to start and cannot be paid.
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
		w.ended[len(w.ended)-1].owner = owner // as the row has it
	}
	return nil
}
