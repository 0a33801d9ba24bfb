package chaos

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"earshot"
)

// tracking is an organization that runs sweeps, and what it remembers of them.
type tracking struct {
	*organization
	trackers []string

	mu   sync.Mutex
	keys map[string]string // of sweeps that were asked for -> their id, "" while nobody knows
}

// trackedCells is how many questions a sweep asks.
const trackedCells = 12

// track makes trackers of an organization that does nothing else.
func (s *stage) track(trackers int) {
	made := s.create("tracking", "business", "5000000")
	s.tracking = &tracking{organization: made, keys: map[string]string{}}
	for i := range trackers {
		name := fmt.Sprintf("tracker-%d", i)
		definition := trackerDefinition()
		if s.long { // it takes a minute to end
			soon := time.Now().Add(time.Duration(2+i) * time.Minute)
			definition["schedule"] = map[string]string{"cron": fmt.Sprintf("%d * * * *", soon.Minute()), "within": "1m"}
		}
		if a := s.ask(s.random, made, http.MethodPut, "/v1/trackers/"+name, definition); a == nil || a.status != http.StatusOK {
			s.Fatalf("make a tracker: %+v", a)
		}
		s.tracking.trackers = append(s.tracking.trackers, name)
	}
}

func trackerDefinition() map[string]any {
	return map[string]any{
		"prompts": []string{"one", "two [[delay=50ms]]", "three", "four [[delay=300ms]]", "five", "six [[delay=150ms]]"},
		"targets": []map[string]string{{"provider": "chatassistant", "country": "US"}, {"provider": "websearch", "country": "DE"}},
		"ceiling": map[string]int{"creditsPerMonth": 4_000_000},
		"brands":  []map[string]string{{"name": "Ollaro"}, {"name": "Kestrin"}},
	}
}

// sweep starts sweeps of a tracker one after the other, many of them more than once. A long day has
// fewer: the change detectors read all sweeps of a tracker for each new one, so a tracker with
// thousands of them, as in years, would keep both processors busy.
func (s *stage) sweep(r *rand.Rand, tracker string, ended <-chan struct{}) {
	pause := time.Second
	if s.long && s.studies {
		pause = 10 * time.Second
	}
	for {
		select {
		case <-ended:
			return
		case <-time.After(time.Duration(r.Int64N(int64(pause)))):
		}
		key := fmt.Sprintf("%s/%d", tracker, s.serial.Add(1))
		for again := true; again; again = r.IntN(2) == 0 {
			s.startSweep(r, tracker, key)
		}
	}
}

func (s *stage) startSweep(r *rand.Rand, tracker, key string) {
	t := s.tracking
	t.mu.Lock()
	if _, known := t.keys[key]; !known {
		t.keys[key] = ""
	}
	t.mu.Unlock()
	a, err := s.send(r, t.organization, http.MethodPost, "/v1/trackers/"+tracker+"/sweeps", map[string]string{"idempotencyKey": key})
	if err == nil && a.body != nil {
		s.takeSweep(key, a)
	}
}

// takeSweep notes which sweep a key stands for: the same every time.
func (s *stage) takeSweep(key string, a *answer) {
	var started earshot.SweepStarted
	if a.status == http.StatusConflict { // enough of them run
		s.tracking.mu.Lock()
		delete(s.tracking.keys, key)
		s.tracking.mu.Unlock()
		return
	}
	if a.status != http.StatusOK {
		if a.status < http.StatusInternalServerError && a.status != http.StatusTooManyRequests {
			s.violation("a sweep was refused with %d %.300s", a.status, a.body)
		}
		return
	}
	if err := json.Unmarshal(a.body, &started); err != nil {
		s.violation("%v in %.300s", err, a.body)
		return
	}
	t := s.tracking
	t.mu.Lock()
	defer t.mu.Unlock()
	if before := t.keys[key]; before != "" && before != started.Sweep.ID || before == started.Sweep.ID && !started.Replayed {
		s.violation("key %s stands for sweep %s and for %s, replayed: %t", key, before, started.Sweep.ID, started.Replayed)
	}
	t.keys[key] = started.Sweep.ID
}

// checkSweeps wants every sweep that was asked for to be there once and to have come to
// an end, each of its questions with one outcome, and the money to add up.
func (s *stage) checkSweeps() {
	s.setSchedules("paused")
	t := s.tracking
	for key, id := range t.keys {
		if id == "" {
			name := key[:len("tracker-0")]
			if a := s.ask(s.random, t.organization, http.MethodPost, "/v1/trackers/"+name+"/sweeps", map[string]string{"idempotencyKey": key}); a != nil {
				s.takeSweep(key, a)
			}
		}
	}
	for _, name := range t.trackers {
		s.restSweeps(name)
	}
	s.checkStepped()
	s.checkTold()
	byHand := map[string]bool{}
	for _, id := range t.keys {
		byHand[id] = true
	}
	answers := s.checkAnswers(byHand)
	var ledger, sweeps int64
	for query, sum := range map[string]*int64{
		`SELECT COALESCE(SUM(charged), 0) FROM (SELECT charged FROM finished WHERE tracker IS NOT NULL
			UNION ALL SELECT -amount FROM ledger WHERE kind = 'charge' AND tracker IS NOT NULL) AS charges`: &ledger,
		`SELECT COALESCE(SUM(charged), 0) FROM sweeps`: &sweeps,
	} {
		if err := s.books.QueryRowContext(s.Context(), query).Scan(sum); err != nil {
			s.Fatalf("read the sweeps: %v", err)
		}
	}
	if ledger != sweeps || sweeps != answers {
		s.violation("trackers cost %d in the ledger, their sweeps %d, their answers %d", ledger, sweeps, answers)
	}
	s.setSchedules("active")
}

// setSchedules pauses trackers that have a schedule, or lets them go on.
func (s *stage) setSchedules(state string) {
	for _, name := range s.tracking.trackers {
		if a := s.ask(s.random, s.tracking.organization, http.MethodPatch, "/v1/trackers/"+name, map[string]string{"state": state}); a != nil && a.status != http.StatusOK {
			s.violation("%s is not %s: %d %.300s", name, state, a.status, a.body)
		}
	}
}

// restSweeps waits until no sweep of a tracker runs.
func (s *stage) restSweeps(name string) {
	var page earshot.SweepPage
	isDone := s.comes(s.restTime(), func() bool {
		page = earshot.SweepPage{}
		return !s.get(s.random, s.tracking.organization, "/v1/trackers/"+name+"/sweeps?state=running", &page) || len(page.Sweeps) == 0
	})
	if !isDone {
		s.violation("%s: after %s there are still %d sweeps running: %+v", name, s.restTime(), len(page.Sweeps), page.Sweeps[0])
	}
}

// checkStepped wants the change detectors of every tracker to have seen each sweep once. It counts
// when they are done: Citus may read one table earlier than the other.
func (s *stage) checkStepped() {
	if !s.comes(s.restTime(), func() bool { return s.count("sweeps WHERE stepped = 0") == 0 }) {
		s.violation("after %s the detectors have not seen all sweeps", s.restTime())
		return
	}
	off := s.count(`trackers t WHERE t.steps <> (SELECT COUNT(*) FROM sweeps s WHERE s.organization = t.organization AND s.tracker = t.id AND s.stepped = 1)`)
	if off > 0 {
		s.violation("%d trackers have counted other steps than sweeps", off)
	}
}

// count counts rows of the database.
func (s *stage) count(from string, args ...any) (n int) {
	if err := s.books.QueryRowContext(s.Context(), `SELECT COUNT(*) FROM `+from, args...).Scan(&n); err != nil {
		s.Fatalf("count %s: %v", from, err)
	}
	return n
}

// checkAnswers looks at every sweep and adds up what its answers cost. Those that were
// asked for by hand have asked everything; one of a schedule may have had no time to.
func (s *stage) checkAnswers(byHand map[string]bool) (charged int64) {
	rows, err := s.books.QueryContext(s.Context(), `
		SELECT s.id, s.slot, s.state, s.submitted, s.answered, s.missing, s.charged, COUNT(a.id), COUNT(DISTINCT a.prompt * 100 + a.target),
			COALESCE(SUM(CASE a.outcome WHEN 'pending' THEN 1 ELSE 0 END), 0), COALESCE(SUM(a.charged), 0)
		FROM sweeps s LEFT JOIN answers a ON a.organization = s.organization AND a.tracker = s.tracker AND a.sweep = s.id
		GROUP BY s.id, s.tracker, s.slot, s.state, s.submitted, s.answered, s.missing, s.charged`)
	if err != nil {
		s.Fatalf("read the sweeps: %v", err)
	}
	defer rows.Close()
	found := 0
	for rows.Next() {
		var id, slot, state string
		var submitted, answered, missing, answers, cells, pending int
		var stored, sum int64
		if err := rows.Scan(&id, &slot, &state, &submitted, &answered, &missing, &stored, &answers, &cells, &pending, &sum); err != nil {
			s.Fatalf("read the sweeps: %v", err)
		}
		s.tally("sweep " + state)
		charged += sum
		whole := state == string(earshot.SweepClosed) && submitted == trackedCells
		if byHand[id] {
			found++
		} else if !s.long && state != string(earshot.SweepSkipped) {
			s.violation("nobody asked for sweep %s, %s", id, slot)
		}
		if byHand[id] && !whole || answers != submitted || cells != submitted || pending != 0 || answered+missing != submitted || stored != sum {
			s.violation("sweep %s, %s: %s, %d submitted, %d answered, %d missing, %d charged; %d answers to %d questions, %d pending, %d charged",
				id, slot, state, submitted, answered, missing, stored, answers, cells, pending, sum)
		}
	}
	if err := rows.Err(); err != nil {
		s.Fatalf("read the sweeps: %v", err)
	}
	if found != len(s.tracking.keys) {
		s.violation("%d sweeps were asked for, %d are there", len(s.tracking.keys), found)
	}
	return charged
}
