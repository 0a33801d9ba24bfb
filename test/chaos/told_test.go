package chaos

import (
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"earshot"
)

// told is a tracker none of whose sweeps may begin, so that there is something to tell all
// the while, and what came of that.
type told struct {
	server *httptest.Server
	mu     sync.Mutex
	got    map[string]string // what a delivery, by its id, told: the id of an alert or a report
}

// cappedTracker is the tracker's name.
const cappedTracker = "capped"

// tell makes the tracker, whose alerts and reports go to a receiver.
func (s *stage) tell() {
	s.told = &told{got: map[string]string{}}
	s.told.server = httptest.NewServer(http.HandlerFunc(s.hear))
	s.Cleanup(s.told.server.Close)
	admin := s.createAdmin(s.tracking.organization)
	definition := map[string]any{
		"prompts": []string{"one"}, "targets": []map[string]string{{"provider": "chatassistant", "country": "US"}},
		"ceiling": map[string]int{"creditsPerMonth": 1},
		"alerts":  map[string]any{"falseAlarmsPerYear": 1, "channels": []string{"hook"}},
		"reports": map[string]string{"every": "day", "at": time.Now().UTC().Add(time.Minute).Format("15:04")},
	}
	for _, one := range []struct {
		by   *organization
		path string
		body any
	}{
		{admin, "/v1/channels/hook", map[string]string{"kind": "webhook", "url": s.told.server.URL}},
		{s.tracking.organization, "/v1/trackers/" + cappedTracker, definition},
	} {
		if a := s.ask(s.random, one.by, http.MethodPut, one.path, one.body); a == nil || a.status != http.StatusOK {
			s.Fatalf("%s: %+v", one.path, a)
		}
	}
}

// hear takes what is told, every other time not at once.
func (s *stage) hear(w http.ResponseWriter, req *http.Request) {
	text, err := io.ReadAll(req.Body)
	if err != nil {
		return // its node was killed
	}
	var event struct {
		Type          string
		Alert, Report struct{ ID string }
	}
	id := req.Header.Get("webhook-id")
	if err := json.Unmarshal(text, &event); err != nil || event.Type == "" {
		s.violation("delivery %s tells %.300s (%v)", id, text, err)
		return
	}
	what := event.Alert.ID + event.Report.ID
	s.told.mu.Lock()
	defer s.told.mu.Unlock()
	before, again := s.told.got[id]
	if again && before != what {
		s.violation("delivery %s tells %s, and before %s", id, what, before)
	}
	s.told.got[id] = what
	if !again && len(s.told.got)%2 == 0 {
		w.WriteHeader(http.StatusInternalServerError)
	}
}

// raise has sweeps of the tracker skipped, acknowledges the alerts of that, so that the next
// one is told again, and sends reports.
func (s *stage) raise(r *rand.Rand, ended <-chan struct{}) {
	path := "/v1/trackers/" + cappedTracker
	for {
		select {
		case <-ended:
			return
		case <-time.After(time.Duration(r.Int64N(int64(500 * time.Millisecond)))):
		}
		for _, one := range []string{"/sweeps", "/report"} {
			_, _ = s.send(r, s.tracking.organization, http.MethodPost, path+one, map[string]string{}) // whatever comes of it
		}
		a, err := s.send(r, s.tracking.organization, http.MethodGet, path+"/alerts?open=true", nil)
		var page earshot.AlertPage
		if err != nil || a.status != http.StatusOK || json.Unmarshal(a.body, &page) != nil {
			continue
		}
		for _, alert := range page.Alerts {
			_, _ = s.send(r, s.tracking.organization, http.MethodPost, path+"/alerts/"+alert.ID+"/acknowledge", nil)
		}
	}
}

// checkTold wants each alert to be raised once, each report that was due to be made once,
// and each of them to be told, or still to be.
func (s *stage) checkTold() {
	for what, from := range map[string]string{
		"alerts of the same": `(SELECT 1 FROM alerts GROUP BY organization, tracker, sweep, kind, subject HAVING COUNT(*) > 1) twice`,
		"alerts or reports told not once": `(SELECT tracker, id FROM alerts UNION ALL SELECT tracker, id FROM reports) a JOIN trackers t ON t.id = a.tracker AND t.name = 'capped'
			WHERE (SELECT COUNT(*) FROM alert_deliveries d WHERE d.alert = a.id) <> 1`,
		"deliveries neither sent nor planned": `alert_deliveries a JOIN deliveries d ON d.job = a.id WHERE d.delivered_at IS NULL AND d.due_at IS NULL`,
	} {
		if n := s.count(from); n > 0 {
			s.violation("there are %d %s", n, what)
		}
	}
	s.checkReportsDue()
	rows, err := s.books.QueryContext(s.Context(), `SELECT d.job, a.alert FROM alert_deliveries a JOIN deliveries d ON d.job = a.id WHERE d.delivered_at IS NOT NULL`)
	if err != nil {
		s.Fatalf("read what was told: %v", err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, what string
		if err := rows.Scan(&id, &what); err != nil {
			s.Fatalf("read what was told: %v", err)
		}
		s.told.mu.Lock()
		if got := s.told.got[id]; got != what {
			s.violation("delivery %s of %s counts as told, and the receiver got %q", id, what, got)
		}
		s.told.mu.Unlock()
		s.tally("told")
	}
	if err := rows.Err(); err != nil {
		s.Fatalf("read what was told: %v", err)
	}
}

// checkReportsDue waits until no report is due.
func (s *stage) checkReportsDue() {
	isDone := s.comes(s.restTime(), func() bool {
		return s.count(`trackers WHERE report_due_at <= $1`, time.Now().UnixMilli()) == 0
	})
	if !isDone {
		s.violation("after %s a report is still due", s.restTime())
	}
}

// comes waits until something has come to pass in other processes, and tells whether it
// did in time.
func (s *stage) comes(limit time.Duration, hasPassed func() bool) bool {
	late, tick := time.After(limit), time.NewTicker(100*time.Millisecond)
	defer tick.Stop()
	for !hasPassed() {
		select {
		case <-late:
			return false
		case <-tick.C:
		}
	}
	return true
}
