package chaos

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"earshot/test/harness/program"
	"earshot/test/harness/tool"
)

const (
	// dayVariable is how long the long version takes.
	dayVariable = "EARSHOT_SOAK_DAY"
	// shortQuarter is how long each quarter of the short version takes.
	shortQuarter = 2 * time.Second
	// clockStep is more than a clock may jump.
	clockStep = 2 * time.Hour
)

// figures are measurements at the end of a part of the day. All of them should stay where they are.
type figures struct {
	memory, files, goroutines float64            // of both nodes
	tables                    map[string]float64 // bytes of tables whose rows are deleted after the retention
	median, slow              time.Duration      // of calls; slow is the 95th percentile
}

// TestADayInAnHour runs two nodes with all kinds of work while an upstream fails, the clock of the
// database jumps, its disk is full, and it fails over to a standby. The second and the last
// quarter have no fault; the long version compares them.
func TestADayInAnHour(t *testing.T) {
	t.Parallel()
	scale := scaleOf(t)
	part := shortQuarter
	whole, err := time.ParseDuration(os.Getenv(dayVariable))
	if scale.long = err == nil; scale.long {
		part = whole / 8
	}
	s := newStage(t, scale, program.Earshot(t))
	p := newPair(t)
	s.books, s.studies = p.books, true
	s.database = &database{wire: new(wire)}
	s.where = []string{"--data", t.TempDir(), "--database", p.address}
	// Longer than a part, whose tasks are looked up at its end.
	s.flags = []string{"--exports", t.TempDir(), "--retention", (3*part + 2*time.Minute).String()}
	s.add("left")
	s.add("right")
	s.populate()
	s.track(3)
	s.tell()
	parts := []func(*pair, time.Duration){s.outage, s.stepOfClock, s.fullDisk, s.failover}
	if scale.long { // a quarter of the day is two parts
		parts = []func(*pair, time.Duration){s.outage, s.stepOfClock, s.calm, s.calm, s.fullDisk, s.failover, s.calm, s.calm}
	}
	var all []figures
	for _, run := range parts {
		s.people = s.newPeople()
		s.begin()
		stop := s.load()
		run(p, part)
		stop()
		s.check()
		s.outages.Store(false)
		all = append(all, s.measure())
		if s.Failed() {
			break
		}
	}
	if len(all) == 8 {
		s.checkFlat(all[2:4], all[6:])
	}
	for _, n := range s.nodes {
		n.stop()
	}
	s.Logf("%v; %d tasks; %d violations", s.counts(), len(s.known), s.violations)
}

// wait lets the load go on.
func (s *stage) wait(d time.Duration) {
	select {
	case <-time.After(d):
	case <-s.Context().Done():
	}
}

func (s *stage) calm(_ *pair, part time.Duration) { s.wait(part) }

// outage lets the upstream answer every second question with an error.
func (s *stage) outage(_ *pair, part time.Duration) {
	s.outages.Store(true)
	s.failing.Store(true)
	s.wait(part / 2)
	s.failing.Store(false)
	s.wait(part / 2)
}

func (s *stage) stepOfClock(p *pair, part time.Duration) {
	s.wait(part / 4)
	back := p.stepClock(s.T, clockStep)
	s.wait(part / 4)
	back()
	s.wait(part / 2)
}

func (s *stage) fullDisk(p *pair, part time.Duration) {
	s.wait(part / 4)
	if p.disk == "" {
		if s.long {
			tool.Need(s.T, os.ErrPermission)
		}
		return
	}
	free := p.fill(s.T)
	s.wait(part / 4)
	free()
	s.wait(part / 2)
}

func (s *stage) failover(p *pair, part time.Duration) {
	s.wait(part / 4)
	p.failOver(s.T)
	s.wait(3 * part / 4)
}

// study reads and changes a tracker while its sweeps run: exports, metrics and new rules, which are
// applied to all answers again.
func (s *stage) study(r *rand.Rand, tracker string, ended <-chan struct{}) {
	path := "/v1/trackers/" + tracker
	pause := 4 * time.Second
	if s.long {
		pause = 20 * time.Second
	}
	for i := 0; ; i++ {
		select {
		case <-ended:
			return
		case <-time.After(time.Duration(r.Int64N(int64(pause)))):
		}
		definition := trackerDefinition()
		definition["brands"] = []map[string]string{{"name": "Ollaro"}, {"name": []string{"Kestrin", "Nordvale"}[i%2]}}
		definition["exports"] = map[string]any{"tables": []string{"answers", "metrics"}}
		for _, one := range []struct {
			method, path string
			body         any
		}{
			{http.MethodPut, path, definition},
			{http.MethodPost, path + "/reanalysis", nil},
			{http.MethodGet, path + "/export?table=answers&format=csv", nil},
			{http.MethodGet, path + "/metrics", nil},
		} {
			a, err := s.send(r, s.tracking.organization, one.method, one.path, one.body)
			if err == nil && a.status >= 400 && a.status != http.StatusConflict && a.status != http.StatusTooManyRequests && a.status < 500 {
				s.violation("%s %s is answered with %d %.300s", one.method, one.path, a.status, a.body)
			}
		}
	}
}

// measure reads the figures of a part.
func (s *stage) measure() figures {
	f := figures{tables: map[string]float64{}}
	for _, n := range s.nodes {
		_, base := n.current()
		resp, err := s.client.Get(base + "/metrics")
		if err != nil {
			s.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			s.Fatal(err)
		}
		f.memory += gauge(string(text), "process_resident_memory_bytes")
		f.files += gauge(string(text), "process_open_fds")
		f.goroutines += gauge(string(text), "go_goroutines")
	}
	for _, table := range []string{"jobs", "finished", "idempotency_keys", "deliveries", "batches", "batch_tasks"} {
		var size float64
		if err := s.books.QueryRowContext(s.Context(), `SELECT pg_total_relation_size($1::text::regclass)`, table).Scan(&size); err != nil {
			s.Fatal(err)
		}
		f.tables[table] = size
	}
	s.mu.Lock()
	took := s.took
	s.took = nil
	s.mu.Unlock()
	slices.Sort(took)
	if n := len(took); n > 0 {
		f.median, f.slow = took[n/2], took[n*95/100]
	}
	s.Logf("%.0f MB, %.0f files, %.0f goroutines; calls %s, 95%% %s; tables %v", f.memory/1e6, f.files, f.goroutines,
		f.median.Round(time.Millisecond), f.slow.Round(time.Millisecond), f.tables)
	return f
}

// gauge returns the value of a metric without labels, or 0.
func gauge(metrics, name string) float64 {
	_, rest, _ := strings.Cut(metrics, "\n"+name+" ")
	text, _, _ := strings.Cut(rest, "\n")
	value, _ := strconv.ParseFloat(text, 64) // 0 fails the comparison
	return value
}

// checkFlat checks that nothing grows from one quarter to another. The bounds leave room for garbage
// that is not collected yet, and for a busy machine.
func (s *stage) checkFlat(before, after []figures) {
	compare := func(what string, most float64, of func(f figures) float64) {
		was, is := max(of(before[0]), of(before[1])), min(of(after[0]), of(after[1]))
		s.Logf("%s: %.0f before, %.0f at the end", what, was, is)
		if was == 0 || is > most*was {
			s.violation("%s grew from %.0f to %.0f", what, was, is)
		}
	}
	compare("memory", 1.5, func(f figures) float64 { return f.memory })
	compare("open files", 1.5, func(f figures) float64 { return f.files })
	compare("goroutines", 1.5, func(f figures) float64 { return f.goroutines })
	compare("median of calls", 3, func(f figures) float64 { return f.median.Seconds() * 1e6 })
	compare("95th percentile of calls", 3, func(f figures) float64 { return f.slow.Seconds() * 1e6 })
	for table := range before[0].tables {
		compare(fmt.Sprintf("table %s", table), 2.5, func(f figures) float64 { return f.tables[table] })
	}
}
