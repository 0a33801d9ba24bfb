package job

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"
	"golang.org/x/sync/errgroup"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/purchase"
	"earshot/internal/schema"
	"earshot/internal/store"
	"earshot/internal/store/orgs"
	"earshot/internal/store/storetest"
	"earshot/internal/upstream"
	"earshot/internal/upstream/capture"
	"earshot/internal/upstream/capture/capturetest"
)

// fake is a provider with prices and no behaviour.
type fake struct{}

func (fake) Definition() provider.Definition {
	return provider.Definition{Name: definition.Name, Prices: []provider.Price{{Item: provider.ItemBase, Credits: 5}}}
}

func (fake) Decode(*schema.Object) provider.Request { return nil }

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var definition = provider.Definition{Name: "fake"}

// script is a request that calls a function for each attempt.
type script func(ctx context.Context, up *upstream.Session) (*provider.Outcome, error)

func (s script) Bill() provider.Bill { return provider.Bill{provider.ItemBase: 1} }

func (s script) Locale() geo.Locale { return geo.Locale{Country: "US"} }

func (s script) Ask(ctx context.Context, up *upstream.Session) (*provider.Outcome, error) {
	return s(ctx, up)
}

// newRunner returns a node whose upstream is never contacted.
func newRunner(t *testing.T, s *store.Store, catalogue *provider.Catalogue, workers int, backoff []time.Duration) *Runner {
	t.Helper()
	client, err := upstream.NewClient(upstream.Config{})
	if err != nil {
		t.Fatal(err)
	}
	captures, err := capture.NewFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	desk := purchase.New(purchase.Config{
		Upstreams: map[string][]*upstream.Client{definition.Name: {client}}, Catalogue: catalogue, Store: s, Captures: captures, CaptureURL: "http://x/captures",
		Log: log, Backoff: backoff,
	})
	r, err := NewRunner(Config{
		Store: s, Orgs: orgs.New(s), Catalogue: catalogue, Desk: desk, Captures: captures, Host: "test", Log: log, Metrics: NewMetrics(prometheus.NewRegistry()), Workers: workers,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// stored counts the captures.
func stored(t *testing.T, r *Runner) int {
	t.Helper()
	n := 0
	for _, err := range r.Captures.Older(t.Context(), time.Now().Add(1_000_000*time.Hour)) { // the clock of a bubble is far behind
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

// runner is a node on a real store, and an organization with one slot.
func runner(t *testing.T, address string) (*Runner, *account.Principal) {
	t.Helper()
	s := storetest.Open(t, address)
	catalogue, err := provider.NewCatalogue([]provider.Provider{fake{}}, func(string) bool { return false }, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := newRunner(t, s, catalogue, 0, []time.Duration{})
	return r, &account.Principal{KeyID: "key", OrganizationID: storetest.Organization(t, s, 1, 100).ID}
}

func call(p *account.Principal, request provider.Request) *Call {
	return &Call{ID: uuid.Must(uuid.NewV7()).String(), Principal: p, Provider: &definition, Request: request, Body: []byte(`{}`), ReceivedAt: time.Now()}
}

func answers(result string) script {
	return func(context.Context, *upstream.Session) (*provider.Outcome, error) {
		return &provider.Outcome{Result: result, Bill: provider.Bill{provider.ItemBase: 1}}, nil
	}
}

// hangs is a script that closes began and waits for its context to end.
func hangs(began chan<- struct{}) script {
	return func(ctx context.Context, _ *upstream.Session) (*provider.Outcome, error) {
		close(began)
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
}

// Other nodes leave tasks to a node that runs tasks, but not to a node that drains.
func TestANodeThatDrainsTellsOthers(t *testing.T) {
	t.Parallel()
	address := storetest.Postgres(t)
	r, _ := runner(t, address)
	r.Workers = 3
	raw, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	beat := func(want int) {
		t.Helper()
		if err := r.beat(); err != nil {
			t.Fatal(err)
		}
		var told int
		if err := raw.QueryRowContext(t.Context(), `SELECT workers FROM nodes WHERE id = $1`, r.node.Load().id).Scan(&told); err != nil || told != want {
			t.Errorf("the node told others of %d workers, not of %d: %v", told, want, err)
		}
	}
	beat(3)
	r.Drain()
	beat(0)
}

func TestANodeIsReadyWhileItsHeartbeatIsWritten(t *testing.T) {
	t.Parallel()
	address := storetest.Postgres(t)
	r, _ := runner(t, address)
	writable := r.Store
	refuses := func(want string) {
		t.Helper()
		e, ok := errors.AsType[*earshot.Error](r.Ready())
		if !ok || e.Code != earshot.CodeServerUnavailable || !strings.Contains(e.Message, want) {
			t.Errorf("ready with %v, want an error about %q", e, want)
		}
	}
	r.beaten.Store(&heartbeat{at: time.Now()})
	if err := r.Ready(); err != nil {
		t.Errorf("a new node: %v", err)
	}
	r.Store = storetest.Open(t, storetest.With(t, address, "default_transaction_read_only", "on"))
	if err := r.Store.Ping(t.Context()); err != nil {
		t.Errorf("it can be read: %v", err)
	}
	r.noteBeat(r.beat())
	refuses("cannot be written to")
	r.Store = writable
	r.noteBeat(r.beat())
	if err := r.Ready(); err != nil {
		t.Errorf("once it can be written to: %v", err)
	}
	r.beaten.Store(&heartbeat{at: time.Now().Add(-2 * silentTime)}) // the heartbeat hangs
	refuses("cannot be written to")
}

func TestNothingIsTidiedUpAndANodeIsNotReadyWhileItsClockIsNotTrusted(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		r, _ := runner(t, address)
		tidied := func() (done bool) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel() // after the first time
			if err := r.every(ctx, time.Hour, func(context.Context, time.Time) error { done = true; return nil }); err != nil {
				t.Fatal(err)
			}
			return done
		}
		if err := r.Ready(); err != nil || !tidied() {
			t.Errorf("a node with a clock that is right: %v", err)
		}
		driver, source := "sqlite", address
		if store.Shared(address) {
			driver = "pgx"
		}
		raw, err := sql.Open(driver, source)
		if err != nil {
			t.Fatal(err)
		}
		defer raw.Close()
		if _, err := raw.ExecContext(t.Context(), `UPDATE nodes SET seen_at = seen_at + 3600000`); err != nil { // the clock was set back since
			t.Fatal(err)
		}
		r.Store = storetest.Open(t, address)
		e, ok := errors.AsType[*earshot.Error](r.Ready())
		if !ok || e.Code != earshot.CodeServerUnavailable || !strings.Contains(e.Message, "--accept-clock") {
			t.Errorf("ready with %v", e)
		}
		if tidied() {
			t.Error("it tidied up")
		}
		if said := r.reportClock(""); !strings.Contains(said, "behind the last heartbeat") || r.reportClock(said) != said {
			t.Errorf("it says %q", said)
		}
	})
}

func TestANodeThatWasDeclaredDeadLosesItsJobsAndGoesOn(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		r, principal := runner(t, address)
		first := r.node.Load().id
		began, ended := make(chan struct{}), make(chan error, 1)
		go func() {
			_, _, err := r.Call(t.Context(), call(principal, hangs(began)))
			ended <- err
		}()
		<-began
		if err := r.Store.RemoveNode(first); err != nil { // as another node does that declares it dead
			t.Fatal(err)
		}
		if n, err := r.Store.ReleaseLost(t.Context(), time.Now()); err != nil || n != 1 {
			t.Fatalf("released %d, %v", n, err)
		}
		if err := r.beat(); err != nil {
			t.Fatal(err)
		}
		if r.node.Load().id == first {
			t.Error("the node goes on under its old id")
		}
		if err := <-ended; earshot.ErrorCode(err) != earshot.CodeServerUnavailable {
			t.Errorf("the lost call ended with %v", err)
		}
		result, receipt, err := r.Call(t.Context(), call(principal, answers("again")))
		if err != nil || string(result) != `"again"` || receipt.Charged != 5 || receipt.Organization.Balance != 95 {
			t.Errorf("a new call: %s, %+v, %v", result, receipt, err)
		}
		storetest.Audited(t, r.Store)
	})
}

func TestStoppingEndsWhatDoesNotEndByItself(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		r, principal := runner(t, address)
		began, ended := make(chan struct{}), make(chan error, 1)
		go func() {
			_, _, err := r.Call(t.Context(), call(principal, hangs(began)))
			ended <- err
		}()
		<-began
		r.Drain()
		if _, _, err := r.Call(t.Context(), call(principal, answers("no"))); earshot.ErrorCode(err) != earshot.CodeServerUnavailable {
			t.Errorf("a call while draining: %v", err)
		}
		over, cancel := context.WithCancel(t.Context())
		cancel()
		r.Stop(over)
		if err := <-ended; earshot.ErrorCode(err) != earshot.CodeServerUnavailable {
			t.Errorf("the running call ended with %v", err)
		}
		o, err := r.Orgs.Organization(t.Context(), principal.OrganizationID, time.Now())
		if err != nil || o.Running != 0 || o.Balance != 100 {
			t.Errorf("after the stop: %+v, %v", o, err)
		}
		storetest.Audited(t, r.Store)
	})
}

func TestARefusedCallSaysHowTheOrganizationStands(t *testing.T) {
	t.Parallel()
	r, principal := runner(t, storetest.SQLite(t))
	began, ended := make(chan struct{}), make(chan struct{})
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		defer close(ended)
		_, _, _ = r.Call(ctx, call(principal, hangs(began)))
	}()
	<-began
	_, receipt, err := r.Call(t.Context(), call(principal, answers("no")))
	if earshot.ErrorCode(err) != earshot.CodeConcurrencyLimit || receipt.Running != 1 || receipt.Organization.Balance != 100 || receipt.Charged != 0 {
		t.Errorf("got %+v, %v", receipt, err)
	}
	leave()
	<-ended
	if _, receipt, err := r.Call(t.Context(), call(principal, answers("yes"))); err != nil || receipt.Running != 1 {
		t.Errorf("after it left: %+v, %v", receipt, err)
	}
}

// keeps answers with one page to capture.
func keeps(_ context.Context, up *upstream.Session) (*provider.Outcome, error) {
	up.Keep([]byte("page"))
	return &provider.Outcome{Result: 1, Bill: provider.Bill{provider.ItemBase: 1}}, nil
}

func TestTidyingRemovesWhatIsPastItsTime(t *testing.T) {
	t.Parallel()
	capturetest.OnEach(t, func(t *testing.T, captures capture.Store) {
		r, principal := runner(t, storetest.SQLite(t))
		r.Captures, r.Desk.Captures = captures, captures
		if _, _, err := r.Call(t.Context(), call(principal, script(keeps))); err != nil {
			t.Fatal(err)
		}
		if err := captures.Put(t.Context(), "orphan", [][]byte{[]byte("page")}); err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			after time.Duration
			left  int
		}{
			{0, 2},
			{23 * time.Hour, 2},
			{24*time.Hour + time.Minute, 1}, // the row and its pages were deleted
			{26 * time.Hour, 0},             // the orphan, too
		} {
			now := time.Now().Add(step.after)
			if err := errors.Join(r.tidy(t.Context(), now), r.dropOrphans(t.Context(), now)); err != nil || stored(t, r) != step.left {
				t.Errorf("%d captures after %s, %v; want %d", stored(t, r), step.after, err, step.left)
			}
		}
		if n, err := r.Store.DeleteFinished(t.Context(), time.Now().Add(time.Hour), time.Now().Add(time.Hour)); err != nil || n != 0 {
			t.Errorf("%d finished jobs were left, %v", n, err)
		}
	})
}

func TestTidyingWritesUsesOfKeysAndDropsStatsOfPastHours(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		r, principal := runner(t, address)
		other, now := orgs.New(storetest.Open(t, address)), time.Now()
		if _, _, err := r.Call(t.Context(), call(principal, answers("x"))); err != nil {
			t.Fatal(err)
		}
		keys, err := r.Orgs.Keys(t.Context(), principal.OrganizationID, now)
		if err != nil || len(keys) != 1 {
			t.Fatalf("%d keys, %v", len(keys), err)
		}
		r.Orgs.NoteKeyUse(keys[0].ID, now)
		for _, step := range []struct {
			after time.Duration
			hours int
		}{{0, 1}, {24 * time.Hour, 1}, {28 * time.Hour, 0}} {
			if err := r.tidy(t.Context(), now.Add(step.after)); err != nil {
				t.Fatal(err)
			}
			keys, err := other.Keys(t.Context(), principal.OrganizationID, now)
			if err != nil || len(keys) != 1 || keys[0].LastUsedAt == nil || keys[0].LastUsedAt.UnixMilli() != now.UnixMilli() {
				t.Errorf("after %s the keys are %+v, %v", step.after, keys, err)
			}
			hours, err := other.Stats(t.Context(), principal.OrganizationID, now.Add(-time.Hour))
			if err != nil || len(hours) != step.hours {
				t.Errorf("after %s there are statistics of %d hours, %v; want %d", step.after, len(hours), err, step.hours)
			}
			usage, err := other.Usage(t.Context(), principal.OrganizationID, now, now.AddDate(0, 0, 1))
			if err != nil || len(usage) != 1 || usage[0].Completed != 1 {
				t.Errorf("after %s the usage is %+v, %v", step.after, usage, err)
			}
		}
	})
}

func TestNodesMayTidyAtOnce(t *testing.T) {
	t.Parallel()
	capturetest.OnEach(t, func(t *testing.T, captures capture.Store) {
		r, principal := runner(t, storetest.SQLite(t))
		r.Captures, r.Desk.Captures = captures, captures
		for n := range 10 {
			if _, _, err := r.Call(t.Context(), call(principal, script(keeps))); err != nil {
				t.Fatal(err)
			}
			if err := captures.Put(t.Context(), "orphan-"+strconv.Itoa(n), [][]byte{nil}); err != nil {
				t.Fatal(err)
			}
		}
		var nodes errgroup.Group
		for range 4 {
			nodes.Go(func() error {
				later := time.Now().Add(26 * time.Hour)
				return errors.Join(r.tidy(t.Context(), later), r.dropOrphans(t.Context(), later))
			})
		}
		if err := nodes.Wait(); err != nil || stored(t, r) != 0 {
			t.Errorf("%d captures were left, %v", stored(t, r), err)
		}
	})
}

func TestAPanicGivesBackWhatTheCallTook(t *testing.T) {
	t.Parallel()
	r, principal := runner(t, storetest.SQLite(t))
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is gone")
			}
		}()
		broken := call(principal, answers("x"))
		r.Desk.Captures = nil // storing a page panics
		broken.Request = script(func(_ context.Context, up *upstream.Session) (*provider.Outcome, error) {
			up.Keep([]byte("page"))
			return &provider.Outcome{Result: 1, Bill: provider.Bill{provider.ItemBase: 1}}, nil
		})
		_, _, _ = r.Call(t.Context(), broken)
	}()
	r.Drain()
	r.Stop(t.Context()) // waits for the tidying up
	o, err := r.Orgs.Organization(t.Context(), principal.OrganizationID, time.Now())
	if err != nil || o.Running != 0 || o.Held != 0 || o.Balance != 100 {
		t.Errorf("after the panic: %+v, %v", o, err)
	}
	storetest.Audited(t, r.Store)
}

func TestAProviderThatSaysNothingFails(t *testing.T) {
	t.Parallel()
	r, principal := runner(t, storetest.SQLite(t))
	_, receipt, err := r.Call(t.Context(), call(principal, script(func(context.Context, *upstream.Session) (*provider.Outcome, error) {
		return nil, nil
	})))
	if earshot.ErrorCode(err) != earshot.CodeInternal || receipt.Charged != 0 {
		t.Errorf("got %+v, %v", receipt, err)
	}
}

func TestAnAnswerThatNobodyWaitsForIsNotCharged(t *testing.T) {
	t.Parallel()
	r, principal := runner(t, storetest.SQLite(t))
	ctx, leave := context.WithCancel(t.Context())
	_, receipt, err := r.Call(ctx, call(principal, script(func(context.Context, *upstream.Session) (*provider.Outcome, error) {
		leave()
		return &provider.Outcome{Result: 1, Bill: provider.Bill{provider.ItemBase: 1}}, nil
	})))
	if earshot.ErrorCode(err) != earshot.CodeCanceled || receipt.Charged != 0 || receipt.Organization.Balance != 100 {
		t.Errorf("got %+v, %v", receipt, err)
	}
}
