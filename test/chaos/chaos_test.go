package chaos

import (
	"database/sql"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"earshot/internal/store/storetest"
	"earshot/test/harness/program"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

func TestNothingIsLostOrDoubledWhenNodesAreKilled(t *testing.T) {
	t.Parallel()
	scale := scaleOf(t)
	binary := program.Earshot(t)
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, scale, binary)
		folder := t.TempDir()
		s.where = []string{"--data", folder}
		s.books = open(t, "sqlite", "file:"+filepath.Join(folder, "earshot.db")+"?mode=ro&_pragma=busy_timeout(10000)")
		s.play(scale.sqlite, s.faultOnSQLite, "node")
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		d := newDatabase(t)
		s := newStage(t, scale, binary)
		s.database, s.books = d, d.books
		s.where = []string{"--data", t.TempDir(), "--database", d.address} // the folder for captures is shared
		s.mayCrash = scale.long && d.ours(t)
		s.play(scale.postgres, s.faultOnPostgres, "left", "right")
	})
	t.Run("citus", func(t *testing.T) {
		t.Parallel()
		address := storetest.Citus(t)
		s := newStage(t, scale, binary)
		s.database = &database{admin: open(t, "pgx", address), wire: new(wire)} // nothing stands between
		s.where = []string{"--data", t.TempDir(), "--database", address}
		s.books = s.database.spread(t, address)
		s.limit *= 5 // a server takes seconds to come back
		s.play(scale.postgres, s.faultOnCitus(servers(t, s.database.admin)), "left", "right")
	})
}

// scale is how much of it there is.
type scale struct {
	sqlite   int // cycles
	postgres int
	round    int // cycles before a check
	limit    time.Duration
	seed     uint64
	long     bool
}

// scaleOf reads the variables that ask for the long version.
func scaleOf(t *testing.T) scale {
	t.Helper()
	how := scale{sqlite: 4, postgres: 3, round: 4, limit: 6 * time.Second, seed: rand.Uint64()}
	if text := os.Getenv("EARSHOT_SOAK_SEED"); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		how.seed = seed
	}
	if text := os.Getenv("EARSHOT_SOAK_CYCLES"); text != "" {
		cycles, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		how.sqlite, how.postgres, how.round, how.limit, how.long = cycles, max(1, cycles/2), 50, time.Hour, true
	}
	if text := os.Getenv("EARSHOT_SOAK_TIME"); text != "" {
		limit, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		how.limit = limit
	}
	return how
}

// stage is a service under load, whose nodes are killed.
type stage struct {
	*testing.T
	scale
	binary   string
	where    []string // the flags that name the database
	flags    []string // further flags of serve
	env      []string // further environment variables of the nodes
	database *database
	mayCrash bool    // the database is ours to crash
	books    *sql.DB // the database, to read the ledger
	client   *http.Client
	hooks    *receiver
	random   *rand.Rand // of the test itself; others have their own

	nodes         []*node
	organizations []*organization
	tracking      *tracking
	told          *told
	people        *people         // of this round, or nil
	known         map[string]bool // tasks of all rounds
	starts        []time.Duration // from start to ready

	serial   atomic.Int64  // of what is asked, so that no two are the same
	sources  atomic.Uint64 // of randomness that were handed out
	killed   atomic.Int64  // when a node was, last; in milliseconds
	takeover atomic.Int64  // when a node took over jobs, last
	hopeless atomic.Bool   // tasks that cannot succeed may be submitted
	failing  atomic.Bool   // every second task of others than the calm ones cannot succeed
	outages  atomic.Bool   // upstreams failed in this round
	studies  bool          // trackers are also read and changed

	mu         sync.Mutex
	tallies    map[string]int
	violations int
	took       []time.Duration // successful calls
}

func newStage(t *testing.T, how scale, binary string) *stage {
	t.Helper()
	t.Logf("EARSHOT_SOAK_SEED=%d", how.seed)
	s := &stage{
		T: t, scale: how, binary: binary, known: map[string]bool{}, tallies: map[string]int{},
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}, Timeout: 8 * time.Second},
	}
	t.Cleanup(s.client.CloseIdleConnections)
	s.random = s.source()
	s.hooks = s.newReceiver()
	return s
}

// open opens a database for as long as the test runs.
func open(t *testing.T, driver, address string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		db.Close()
	})
	return db
}

// source is randomness for one goroutine.
func (s *stage) source() *rand.Rand { return rand.New(rand.NewPCG(s.seed, s.sources.Add(1))) }

// mostReported keeps a broken run readable.
const mostReported = 40

// violation reports a broken invariant.
func (s *stage) violation(format string, args ...any) {
	s.Helper()
	s.mu.Lock()
	s.violations++
	n := s.violations
	s.mu.Unlock()
	if n <= mostReported {
		s.Errorf(format, args...)
	}
}

// tally counts things that happened, for the log.
func (s *stage) tally(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tallies[what]++
}

// counts returns how often things happened.
func (s *stage) counts() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.tallies)
}

// play runs rounds of faults, each of which ends with a check.
func (s *stage) play(cycles int, fault func(), names ...string) {
	began := time.Now()
	for _, name := range names {
		s.add(name)
	}
	s.populate()
	s.track(2*len(names) - 1)
	s.tell()
	done := 0
	for done < cycles && time.Since(began) < s.limit && !s.Failed() {
		s.people = s.newPeople()
		s.begin()
		stop := s.load()
		for range min(s.round, cycles-done) {
			// The short version has no time to see them through later on.
			s.hopeless.Store(s.long || s.database == nil && done == 0)
			fault()
			if done++; time.Since(began) > s.limit {
				break
			}
		}
		stop()
		s.Logf("%d cycles in %s", done, time.Since(began).Round(time.Second))
		s.check()
	}
	for _, n := range s.nodes {
		n.stop()
	}
	if s.database != nil {
		s.tallies["commits without an answer"] = int(s.database.wire.broken.Load())
	}
	slices.Sort(s.starts)
	s.Logf("%d starts: ready in %s at the median, %s at most; %d tasks; %v; %d violations", len(s.starts),
		s.starts[len(s.starts)/2].Round(time.Millisecond), s.starts[len(s.starts)-1].Round(time.Millisecond), len(s.known), s.tallies, s.violations)
	if s.database == nil && s.tallies["500"] > 0 {
		s.violation("%d requests were answered with 500", s.tallies["500"])
	}
}

// populate makes the organizations: two with room, one with few slots, one with a
// single slot, and one that runs out of credits.
func (s *stage) populate() {
	for _, one := range []struct {
		*organization
		plan, credits string
	}{
		{&organization{name: "large", clients: 2, pace: 80 * time.Millisecond}, "enterprise-3k", "5000000"},
		{&organization{name: "second", clients: 2, pace: 120 * time.Millisecond}, "business", "5000000"},
		{&organization{name: "narrow", clients: 1, pace: 150 * time.Millisecond, calm: true}, "lite", "5000000"},
		{&organization{name: "single", clients: 1, pace: time.Second, calm: true}, "free", "5000000"},
		{&organization{name: "poor", clients: 1, pace: 150 * time.Millisecond, calm: true, grant: 200}, "hobby", "0"},
	} {
		made := s.create(one.name, one.plan, one.credits)
		one.id, one.key, one.booked = made.id, made.key, map[string]bool{}
		s.organizations = append(s.organizations, one.organization)
	}
}

// create makes an organization.
func (s *stage) create(name, plan, credits string) *organization {
	text, err := s.run("org", "create", name, "--plan", plan, "--credits", credits, "--json")
	var made struct {
		Organization struct{ ID string }
		Key          string
	}
	if err == nil {
		err = json.Unmarshal([]byte(text), &made)
	}
	if err != nil {
		s.Fatalf("make an organization: %v", err)
	}
	return &organization{name: name, id: made.Organization.ID, key: made.Key}
}

// begin notes how everybody stands before a round.
func (s *stage) begin() {
	for _, o := range s.organizations {
		if o.grant > 0 {
			if text, err := s.run("credits", "grant", "--org", o.name, strconv.FormatInt(o.grant, 10)); err != nil {
				s.Fatalf("grant credits: %v\n%s", err, text)
			}
		}
		o.forget()
		var ok bool
		if o.before, o.balance, ok = s.standing(s.random, o); !ok {
			s.FailNow()
		}
		o.usage = maps.Clone(o.before)
	}
}

// within is a random part of a time.
func (s *stage) within(most time.Duration) time.Duration {
	return time.Duration(s.random.Int64N(int64(most)))
}

// pause lets the load go on for a random part of a time.
func (s *stage) pause(most time.Duration) { time.Sleep(s.within(most)) }

const (
	// life is how long a node lives at most before the next fault.
	life = 1500 * time.Millisecond
	// frozen is past the takeover, also by a node that has only just started: it
	// waits for five beats, 10 s, and then finds the silence of 10 s.
	frozen = 16 * time.Second
)

// restart kills a node and starts it again. Now and then it is killed once more
// while it starts, in the middle of its recovery.
func (s *stage) restart(n *node) {
	n.kill()
	for s.random.IntN(8) == 0 {
		s.tally("kill at start")
		n.spawn()
		s.pause(200 * time.Millisecond)
		n.kill()
	}
	n.start()
}

func (s *stage) faultOnSQLite() {
	s.pause(life)
	s.tally("kill")
	s.restart(s.nodes[0])
}

// faultOnPostgres harms one of two nodes, both, or what they have in common.
func (s *stage) faultOnPostgres() {
	s.pause(life)
	one := s.nodes[s.random.IntN(len(s.nodes))]
	switch n := s.random.IntN(100); {
	case s.long && n < 2:
		s.tally("freeze")
		s.freeze(one)
	case s.mayCrash && n < 8:
		s.tally("crash of the database")
		s.database.crash(s.T)
	case n < 30:
		for range 2 + s.random.IntN(7) { // what follows one cut is met by the next
			s.tally("cut")
			s.database.wire.hold(s.random.Int64N(3), s.random.Int64N(5))
			s.pause(60 * time.Millisecond)
			s.database.cut(s.T)
		}
		s.database.wire.hold(0, 0)
	case n < 40:
		s.tally("kill of both")
		for _, n := range s.nodes {
			n.kill()
		}
		for _, n := range s.nodes {
			s.restart(n)
		}
	default:
		s.tally("kill")
		s.restart(one)
	}
}

// faultOnCitus harms nodes as on PostgreSQL, and the coordinator and the workers, one after
// the other.
func (s *stage) faultOnCitus(all []server) func() {
	cycle := 0
	return func() {
		s.pause(life)
		one := all[cycle/2%len(all)]
		switch cycle++; {
		case cycle%2 == 0:
			s.tally("crash of a server")
			one.kill(s.T)
			s.pause(life)
			one.start(s.T)
		case s.random.IntN(3) == 0:
			s.tally("cut")
			s.database.cutAll(s.T)
		default:
			s.tally("kill")
			s.restart(s.nodes[s.random.IntN(len(s.nodes))])
		}
	}
}

// freeze stops a node for so long that its jobs are taken from it, and lets it go
// on as if nothing had been.
func (s *stage) freeze(n *node) {
	p, _ := n.current()
	n.signal(p, syscall.SIGSTOP)
	defer n.signal(p, syscall.SIGCONT)
	time.Sleep(frozen + s.within(time.Second))
}
