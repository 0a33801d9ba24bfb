package chaos

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot"
	"earshot/test/harness/program"
)

// ticketCycles limits the cycles of the long version on each database.
const ticketCycles = 200

// TestTicketsAreNeitherSubmittedTwiceNorLost kills nodes while their tasks are submitted to a
// vendor and wait for its answers.
func TestTicketsAreNeitherSubmittedTwiceNorLost(t *testing.T) {
	t.Parallel()
	scale := scaleOf(t)
	binary := program.Earshot(t)
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, scale, binary)
		folder := t.TempDir()
		s.where = []string{"--data", folder}
		s.books = open(t, "sqlite", "file:"+filepath.Join(folder, "earshot.db")+"?mode=ro&_pragma=busy_timeout(10000)")
		s.playTickets(min(scale.sqlite, ticketCycles), "node")
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		d := newDatabase(t)
		s := newStage(t, scale, binary)
		s.database, s.books = d, d.books
		s.where = []string{"--data", t.TempDir(), "--database", d.address}
		s.playTickets(min(scale.sqlite, ticketCycles), "left", "right")
	})
}

// playTickets runs cycles of faults while tasks are submitted, lets all tasks end and
// compares the service with the vendor.
func (s *stage) playTickets(cycles int, names ...string) {
	v := s.newVendor()
	settings := filepath.Join(s.TempDir(), "settings.yaml")
	text := "providers:\n  chatassistant:\n    upstreams: [via:cloro]\nvendors: {cloro: {poll: 200ms, wait: 30m, calls: 500, calls-per-minute: 100000}}\n"
	if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
	s.flags = []string{"--config", settings}
	s.env = []string{"EARSHOT_CLORO_API_KEY=" + vendorKey, "EARSHOT_CLORO_URL=" + v.URL}
	for _, name := range names {
		s.add(name)
	}
	o := s.create("asks", "enterprise-3k", "5000000")
	_, before, ok := s.standing(s.random, o)
	if !ok {
		s.FailNow()
	}
	stop := s.submitTickets(o)
	began := time.Now()
	done := 0
	for ; done < cycles && time.Since(began) < s.limit && !s.Failed(); done++ {
		s.faultWithTickets(done)
	}
	tasks := stop()
	s.Logf("%d cycles in %s, %d tasks", done, time.Since(began).Round(time.Second), len(tasks))
	s.rest(s.random, o)
	s.checkTickets(o, v, tasks, before)
	s.audit()
	for _, n := range s.nodes {
		n.stop()
	}
	s.Logf("%v; %d violations", s.tallies, s.violations)
}

// faultWithTickets kills a node. It stays with one of two nodes for a few cycles, so that the
// other one lives long enough to take over tasks. In the long version it also kills both nodes and
// cuts their connections to the database.
func (s *stage) faultWithTickets(cycle int) {
	s.pause(life)
	victim := s.nodes[cycle/10%len(s.nodes)]
	switch n := s.random.IntN(100); {
	case s.database != nil && s.long && n < 20:
		s.tally("cut")
		s.database.wire.hold(s.random.Int64N(3), s.random.Int64N(5))
		s.pause(60 * time.Millisecond)
		s.database.cut(s.T)
		s.database.wire.hold(0, 0)
	case len(s.nodes) > 1 && n < 30:
		s.tally("kill of both")
		for _, n := range s.nodes {
			n.kill()
		}
		for _, n := range s.nodes {
			s.restart(n)
		}
	default:
		s.tally("kill")
		s.restart(victim)
	}
}

// submitTickets submits tasks until the returned function is called, which returns their prompts
// by id. Each task has an idempotency key and is submitted until the service confirms it.
func (s *stage) submitTickets(o *organization) (stop func() map[string]string) {
	tasks := map[string]string{}
	ended, r := make(chan struct{}), s.source()
	var running sync.WaitGroup
	running.Go(func() {
		for {
			select {
			case <-ended:
				return
			case <-time.After(time.Duration(r.Int64N(int64(100 * time.Millisecond)))):
			}
			n := s.serial.Add(1)
			prompt := fmt.Sprintf("question %d", n)
			a := s.ask(r, o, http.MethodPost, "/v1/async/task", map[string]any{
				"taskType": "CHATASSISTANT", "idempotencyKey": fmt.Sprintf("key-%d", n), "payload": map[string]string{"prompt": prompt, "country": "US"},
			})
			if a == nil {
				return
			}
			var submitted earshot.TaskRecord
			switch err := json.Unmarshal(a.body, &submitted); {
			case a.status == http.StatusConflict && a.failure().taken() != "": // an earlier try was accepted
				tasks[a.failure().taken()] = prompt
			case err == nil && submitted.Task.ID != "":
				tasks[submitted.Task.ID] = prompt
			default:
				s.violation("a task was answered with %d %.300s", a.status, a.body)
				return
			}
		}
	})
	return func() map[string]string {
		close(ended)
		running.Wait()
		return tasks
	}
}

// checkTickets checks that every task has ended, that the vendor accepted each question once, that a
// task failed only if nobody can know the vendor's id of its question, and that each completed task was charged once.
func (s *stage) checkTickets(o *organization, v *vendor, tasks map[string]string, before int64) {
	const price = 5
	accepted, repeated := v.accepted()
	completed, unasked := 0, 0
	for id, prompt := range tasks {
		var record earshot.TaskRecord
		if !s.get(s.random, o, "/v1/async/task/"+id, &record) {
			continue
		}
		s.tally(string(record.Task.Status))
		charged := record.Credits.CreditsCharged
		var answer earshot.Answer
		switch {
		case accepted[prompt] == 0 && record.Task.Status == earshot.StatusFailed && strings.Contains(string(record.Error), "each time its node died"):
			unasked++ // too many nodes were killed before they submitted it
		case accepted[prompt] != 1:
			s.violation("task %s is %s, and the vendor accepted its question %d times", id, record.Task.Status, accepted[prompt])
		case record.Task.Status == earshot.StatusCompleted:
			completed++
			if err := json.Unmarshal(record.Result, &answer); err != nil || answer.Text != answerTo(prompt) || charged == nil || *charged != price {
				s.violation("task %s has another answer or charge: %s", id, record.Result)
			}
		case record.Task.Status != earshot.StatusFailed || charged == nil || *charged != 0:
			s.violation("task %s is %s: %s", id, record.Task.Status, record.Error)
		case repeated[prompt] == 0:
			s.violation("task %s failed although the vendor's id of its question was confirmed: %s", id, record.Error)
		}
	}
	for prompt, n := range accepted {
		if n > 1 {
			s.violation("the vendor accepted %q %d times", prompt, n)
		}
	}
	if len(accepted) != len(tasks)-unasked {
		s.violation("the vendor accepted %d questions of %d tasks", len(accepted), len(tasks)-unasked)
	}
	usage, balance, ok := s.standing(s.random, o)
	if used := usage["chatassistant"]; ok && (used.completed != int64(completed) || before-balance != int64(price*completed) || used.charged != before-balance) {
		s.violation("%d tasks were completed for %d credits, and the usage says %+v", completed, before-balance, used)
	}
	if open := s.count("purchases WHERE state IN ('sent', 'open', 'late')"); open > 0 {
		s.violation("%d purchases are still open", open)
	}
	if completed == 0 {
		s.violation("no task was completed")
	}
}
