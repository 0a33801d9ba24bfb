package track_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/analysing"
	"earshot/internal/store/engine"
	"earshot/internal/store/orgs"
	"earshot/internal/store/storetest"
	"earshot/internal/store/tracking"
	"earshot/internal/track"
)

// analysed counts the analyses of each answer, whose result cannot be read: each analysis logs an
// error. It also notes how many there were when each reanalysis was finished.
type analysed struct {
	slog.Handler
	mu       sync.Mutex
	byAnswer map[string]int
	all      int
	atEnd    map[string]int    // by tracker
	each     func(answers int) // called after each analysis
}

func newAnalysed() *analysed {
	return &analysed{Handler: slog.DiscardHandler, byAnswer: map[string]int{}, atEnd: map[string]int{}, each: func(int) {}}
}

func (*analysed) Enabled(context.Context, slog.Level) bool { return true }

func (h *analysed) Handle(_ context.Context, r slog.Record) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	r.Attrs(func(a slog.Attr) bool {
		switch {
		case r.Message == "an answer cannot be analysed" && a.Key == "answer":
			h.byAnswer[a.Value.String()]++
			h.all++
			h.each(h.all)
		case r.Message == "finished a reanalysis" && a.Key == "tracker":
			h.atEnd[a.Value.String()] = h.all
		}
		return true
	})
	return nil
}

const ofWork = "prompts: [a]\ntargets: [{provider: chatassistant, country: US}]\n"

// history creates a tracker with answers whose results cannot be read, in sweeps of at most 1,000,
// and then changes its brands. It returns the id of the tracker.
func (w *world) history(organization, name string, answers int) string {
	w.Helper()
	apply := func(brand string) {
		if _, err := w.services[0].Apply(w.Context(), organization, name, []byte(ofWork+"brands: [{name: "+brand+"}]\n"), true, false, account.Operator(), w.now); err != nil {
			w.Fatal(err)
		}
	}
	apply("Acme")
	t, err := tracking.New(w.store).Tracker(w.Context(), organization, name)
	if err != nil {
		w.Fatal(err)
	}
	for first := 0; first < answers; first += 1000 {
		n := min(1000, answers-first)
		at := w.now.Add(-time.Duration(answers-first) * time.Minute)
		sweep := &tracking.Sweep{
			Organization: organization, Tracker: t.ID, ID: uuid.Must(uuid.NewV7()).String(), Slot: fmt.Sprint(first), State: earshot.SweepClosed, Version: 1, Month: "2026-03",
			DueAt: at, StartedAt: at, EndsAt: at, ClosedAt: at, Planned: n, Submitted: n, Answered: n,
		}
		var all []*tracking.Answer
		for i := range n {
			all = append(all, &tracking.Answer{
				Organization: organization, Tracker: t.ID, ID: uuid.Must(uuid.NewV7()).String(), Sweep: sweep.ID, Prompt: 1, Target: 1, Sample: i + 1,
				Outcome: earshot.OutcomeAnswered, Surface: "lab", AskedAt: at, FinishedAt: at, Attempts: 1, Result: fmt.Appendf(nil, "not JSON %d", first+i),
			})
		}
		if err := tracking.New(w.store).InsertHistory(t, []*tracking.Sweep{sweep}, all); err != nil {
			w.Fatal(err)
		}
	}
	// Without work, only the change of the brands is left to do.
	w.exec(organization, `DELETE FROM tracker_work WHERE tracker = $1`, t.ID)
	w.exec(organization, `UPDATE sweeps SET pruned = 1 WHERE tracker = $1`, t.ID) // counting would analyse them, too
	apply("Globex")
	return t.ID
}

func (w *world) exec(organization, text string, args ...any) {
	w.Helper()
	if _, err := w.store.ShardOf(organization).Run(text, args...); err != nil {
		w.Fatal(err)
	}
}

// two returns two organizations, in the order of their ids.
func (w *world) two() (first, second string) {
	w.Helper()
	other, err := orgs.New(w.store).CreateOrganization(orgs.NewOrganization{
		Name: "other", Plan: account.Plan{Name: "wide", Slots: 1, CreditsPerCycle: 1, RequestsPerSecond: 1, QueueCapacity: 1}, WebhookSecret: account.NewWebhookSecret(), Key: account.NewKey(),
	}, account.Operator(), w.now)
	if err != nil {
		w.Fatal(err)
	}
	return min(w.organization, other.ID), max(w.organization, other.ID)
}

func (w *world) clock() (time.Time, error) { return w.now, nil }

// doWork lets services do all work at the same time.
func (w *world) doWork(services ...*track.Service) {
	w.Helper()
	var all sync.WaitGroup
	for _, s := range services {
		all.Go(func() {
			if err := s.Work(w.Context(), w.clock); err != nil {
				w.Error(err)
			}
		})
	}
	all.Wait()
}

// current returns the version of the current rules of a tracker.
func (w *world) current(organization, id string) int {
	w.Helper()
	all, err := analysing.New(w.store).Rules(w.Context(), organization, id)
	if err != nil {
		w.Fatal(err)
	}
	for _, r := range all {
		if r.State == analysing.RulesCurrent {
			return r.Version
		}
	}
	return 0
}

// newWorkWorld is newWorld with counted analyses. Its time is close to the real one, like the ids
// of answers.
func newWorkWorld(t *testing.T, address string) (*world, *analysed) {
	t.Helper()
	log := newAnalysed()
	return newWorld(t, address, time.Now().UTC().Truncate(time.Second), func(cfg *track.Config) { cfg.Log = slog.New(log) }), log
}

// One node, or two that share the work, do none of it twice. The organization that is served first
// has a long history.
func TestALongReanalysisIsDoneOnceAndDelaysNobody(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		w, log := newWorkWorld(t, address)
		first, second := w.two()
		for nodes := range len(w.services) {
			const many, few, step = 3200, 30, 1000
			name := fmt.Sprint("shoes-", nodes)
			long, small := w.history(first, name, many), w.history(second, name, few)
			before := log.all
			w.doWork(w.services[:nodes+1]...)
			if log.all != before+many+few || w.current(first, long) != 2 || w.current(second, small) != 2 {
				t.Errorf("%d answers were analysed; the rules are %d and %d", log.all-before, w.current(first, long), w.current(second, small))
			}
			if n := log.atEnd[small]; n == 0 || n > before+(nodes+1)*step+few {
				t.Errorf("%d answers were analysed before the short history was done", n-before)
			}
			if list, err := w.services[0].TrackerWork(t.Context(), first, name); err != nil || len(list.Work) > 0 {
				t.Errorf("the work is %+v, %v", list, err)
			}
		}
		for answer, n := range log.byAnswer {
			if n != 1 {
				t.Errorf("the answer %s was analysed %d times", answer, n)
			}
		}
	})
}

// A node that dies in a step loses its work to another one when its lease ends, and changes
// nothing afterwards.
func TestWorkOfADeadNodeIsTakenOver(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		w, log := newWorkWorld(t, address)
		id := w.history(w.organization, "shoes", 1200)
		ctx, kill := context.WithCancel(t.Context())
		log.each = func(n int) {
			if n == 1050 { // in the second step
				kill()
			}
		}
		if err := w.services[0].Work(ctx, w.clock); err != nil {
			t.Error(err)
		}
		store := analysing.New(w.store)
		w.exec(w.organization, `DELETE FROM tracker_work WHERE tracker = $1 AND kind <> 'analyse'`, id)
		dead, err := store.ClaimWork(t.Context(), uuid.Nil.String(), time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		if dead.Done != 1000 || dead.Total != 1200 {
			t.Errorf("%d of %d answers are done after a step", dead.Done, dead.Total)
		}
		w.doWork(w.services...)
		if w.current(w.organization, id) != 1 {
			t.Error("another node did the work during the lease")
		}
		w.exec(w.organization, `UPDATE tracker_work SET free_at = free_at - 3600000`)
		w.doWork(w.services...)
		if w.current(w.organization, id) != 2 || log.all > 1200+100 { // the dead node had not stored its last 100
			t.Errorf("the rules are %d after %d analyses", w.current(w.organization, id), log.all)
		}
		dead.Done = 7
		w.exec(w.organization, `INSERT INTO tracker_work (organization, tracker, kind, wanted, free_at, served_at, done, total) VALUES ($1, $2, 'analyse', 1, 0, 0, 1, 2)`, w.organization, id)
		for what, err := range map[string]error{"end": store.EndStep(dead, false), "done": store.EndStep(dead, true), "renew": store.RenewWork(dead, time.Hour)} {
			if !errors.Is(err, engine.ErrChanged) {
				t.Errorf("%s of a lost lease: %v", what, err)
			}
		}
		if all, _, err := store.WorkOf(t.Context(), w.organization, id); err != nil || len(all) != 1 || all[0].Done != 1 {
			t.Errorf("the work is %+v, %v", all, err)
		}
	})
}

// Work that is entered while a node does it is repeated. Work that failed waits, but not after it
// was entered again.
func TestWorkIsRepeatedAfterAChange(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		w, _ := newWorkWorld(t, address)
		w.apply("shoes", ofWork)
		tracker, err := tracking.New(w.store).Tracker(t.Context(), w.organization, "shoes")
		if err != nil {
			t.Fatal(err)
		}
		s := analysing.New(w.store)
		enter := func() {
			if err := s.EnterWork(w.organization, tracker.ID, earshot.WorkReview); err != nil {
				t.Fatal(err)
			}
		}
		claim := func() *analysing.Work {
			t.Helper()
			work, err := s.ClaimWork(t.Context(), uuid.Nil.String(), time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			return work
		}
		shown := func() earshot.TrackerWork {
			t.Helper()
			list, err := w.services[1].TrackerWork(t.Context(), w.organization, "shoes")
			if err != nil || len(list.Work) != 1 {
				t.Fatalf("the work is %+v, %v", list, err)
			}
			return list.Work[0]
		}
		enter()
		if got := shown(); got.State != earshot.WorkWaiting || got.Total != nil || got.SecondsLeft != nil {
			t.Errorf("new work is %+v", got)
		}
		work := claim()
		enter()
		work.Done = 3
		if err := s.EndStep(work, true); err != nil {
			t.Fatal(err)
		}
		if got := shown(); got.Done != 0 || got.State != earshot.WorkRunning {
			t.Errorf("repeated work is %+v", got)
		}
		work = claim()
		work.Done, work.Total = 1, 4
		if err := s.EndStep(work, false); err != nil {
			t.Fatal(err)
		}
		w.exec(w.organization, `UPDATE tracker_work SET began_at = began_at - 10000`)
		if got := shown(); *got.Total != 4 || got.SecondsLeft == nil || *got.SecondsLeft < 30 || *got.SecondsLeft > 300 {
			t.Errorf("after 10 s, a quarter is done, and it shows %+v", got)
		}
		if err := s.FailStep(claim(), "no space", time.Hour); err != nil {
			t.Fatal(err)
		}
		if got := shown(); got.State != earshot.WorkFailed || got.Error != "no space" || got.SecondsLeft != nil {
			t.Errorf("failed work is %+v", got)
		}
		if _, err := s.ClaimWork(t.Context(), uuid.Nil.String(), time.Hour); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("failed work is free at once: %v", err)
		}
		enter()
		if err := s.EndStep(claim(), true); err != nil {
			t.Fatal(err)
		}
		if list, err := w.services[0].TrackerWork(t.Context(), w.organization, "shoes"); err != nil || len(list.Work) > 0 {
			t.Errorf("after its end, the work is %+v, %v", list, err)
		}
	})
}

// A step that fails delays no other work, and clients see no internals.
func TestAFailedStepIsShown(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		w, _ := newWorkWorld(t, address)
		first, second := w.two()
		failing, other := w.history(first, "shoes", 10), w.history(second, "shoes", 10)
		w.exec(first, `UPDATE tracker_work SET state = '{' WHERE tracker = $1 AND kind = 'analyse'`, failing)
		if err := w.services[0].Work(t.Context(), w.clock); err == nil || !strings.Contains(err.Error(), "JSON") {
			t.Errorf("the step returns %v", err)
		}
		w.doWork(w.services...)
		if w.current(first, failing) != 1 || w.current(second, other) != 2 {
			t.Errorf("the rules are %d and %d", w.current(first, failing), w.current(second, other))
		}
		list, err := w.services[1].TrackerWork(t.Context(), first, "shoes")
		if err != nil || len(list.Work) != 1 || list.Work[0].State != earshot.WorkFailed || !strings.Contains(list.Work[0].Error, "operator's log") {
			t.Errorf("the work is %+v, %v", list, err)
		}
	})
}

// Work that a node of an older release did not enter is found.
func TestWorkThatNobodyEnteredIsFound(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		w, _ := newWorkWorld(t, address)
		w.apply("shoes", strings.Replace(ofWork, "[a]", "[a, b, c, d, e, f]", 1)+"brands: [{name: Acme, own: true}]\n") // some tasks fail
		w.sweep("shoes")
		w.doWork(w.services...)
		counts := func() (n []int) {
			t.Helper()
			for _, table := range []string{"counted", "reviewed_sweeps", "tracker_work"} {
				found, err := engine.FindValues[int](t.Context(), w.store.ShardOf(w.organization).Reports, `SELECT COUNT(*) FROM `+table)
				if err != nil {
					t.Fatal(err)
				}
				n = append(n, found[0])
			}
			return n
		}
		if got := fmt.Sprint(counts()); got != "[1 1 0]" {
			t.Fatalf("counted, reviewed sweeps and work: %s", got)
		}
		w.exec(w.organization, `DELETE FROM counted`)
		w.exec(w.organization, `DELETE FROM reviewed_sweeps`)
		w.doWork(w.services...)
		if got := fmt.Sprint(counts()); got != "[0 0 0]" {
			t.Fatalf("nobody entered work, and counted, reviewed sweeps and work are %s", got)
		}
		if err := w.services[1].FindWork(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.doWork(w.services...)
		if got := fmt.Sprint(counts()); got != "[1 1 0]" {
			t.Errorf("counted, reviewed sweeps and work: %s", got)
		}
	})
}

// countedConn counts the statements of a connection.
type countedConn struct {
	driver.Conn
	taken      *sql.Conn
	statements *atomic.Int64
}

// Close returns the connection to its pool.
func (c countedConn) Close() error { return c.taken.Close() }

func (c countedConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	c.statements.Add(1)
	return c.Conn.(driver.QueryerContext).QueryContext(ctx, query, args) //nolint:errcheck,forcetypeassert // both drivers have it
}

func (c countedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	c.statements.Add(1)
	return c.Conn.(driver.ExecerContext).ExecContext(ctx, query, args) //nolint:errcheck,forcetypeassert // both drivers have it
}

func (c countedConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	c.statements.Add(1)
	return c.Conn.(driver.ConnPrepareContext).PrepareContext(ctx, query) //nolint:errcheck,forcetypeassert // both drivers have it
}

// countedPool takes its connections from another pool.
type countedPool struct {
	from       *sql.DB
	statements *atomic.Int64
}

func (p countedPool) Connect(ctx context.Context) (conn driver.Conn, err error) {
	taken, err := p.from.Conn(ctx)
	if err == nil {
		err = taken.Raw(func(raw any) error {
			conn = countedConn{raw.(driver.Conn), taken, p.statements} //nolint:errcheck,forcetypeassert // it is one
			return nil
		})
	}
	return conn, err
}

// Driver is for sql.OpenDB.
func (p countedPool) Driver() driver.Driver { return p.from.Driver() }

// Nodes that have nothing to do ask the database the same few questions, however many trackers
// and sweeps there are.
func TestIdleNodesAskLittle(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		if strings.Contains(t.Name(), "citus") {
			t.Skip("each shard is asked")
		}
		w, _ := newWorkWorld(t, address)
		idle := func() int64 {
			w.doWork(w.services[0])
			var statements atomic.Int64
			for _, pool := range []*engine.Pool{&w.store.Lookups, &w.store.Reports} {
				was := pool.DB
				pool.DB = sql.OpenDB(countedPool{was, &statements})
				defer func() { _, pool.DB = pool.Close(), was }()
			}
			w.doWork(w.services[0])
			return statements.Load()
		}
		if n := idle(); n != 1 {
			t.Errorf("without trackers, %d statements", n)
		}
		for i := range 12 {
			name := fmt.Sprint("shoes-", i)
			w.apply(name, ofWork+"brands: [{name: Acme}]\n")
			w.sweep(name)
		}
		if n := idle(); n != 1 {
			t.Errorf("with trackers, %d statements", n)
		}
	})
}
