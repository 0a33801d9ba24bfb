package dataforseo_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot"
	"earshot/internal/provider/providertest"
	"earshot/internal/provider/via/dataforseo"
	"earshot/internal/upstream"
	"earshot/test/captures"
)

// queue plays the queue of DataForSEO's AI mode.
type queue struct {
	t      *testing.T
	submit string // the answer to a submission, "" to drop the connection
	listed string // the tasks that id_list returns
	polled []string

	mu        sync.Mutex
	tasks     []map[string]any // that were submitted
	asked     map[string]any   // of id_list
	polledIDs []string
}

func (s *queue) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var tasks []map[string]any
	if r.Method == http.MethodPost {
		if err := json.NewDecoder(r.Body).Decode(&tasks); err != nil || len(tasks) != 1 {
			s.t.Errorf("%s: %d tasks, %v", r.URL.Path, len(tasks), err)
			return
		}
	}
	switch {
	case r.URL.Path == "/serp/google/ai_mode/task_post":
		s.tasks = append(s.tasks, tasks[0])
		if s.submit == "" {
			panic(http.ErrAbortHandler)
		}
		fmt.Fprint(w, s.submit)
	case r.URL.Path == "/serp/id_list":
		s.asked = tasks[0]
		fmt.Fprintf(w, `{"status_code":20000,"cost":0,"tasks":[{"status_code":20000,"result":[%s]}]}`, s.listed)
	case strings.HasPrefix(r.URL.Path, "/serp/google/ai_mode/task_get/advanced/") && len(s.polled) > 0:
		s.polledIDs = append(s.polledIDs, r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:])
		fmt.Fprint(w, s.polled[0])
		s.polled = s.polled[1:]
	default:
		s.t.Errorf("%s %s was not expected", r.Method, r.URL.Path)
		http.NotFound(w, r)
	}
}

const (
	created  = `{"status_code":20000,"cost":0.0012,"tasks":[{"id":"v-1","status_code":20100,"status_message":"Task Created.","cost":0.0012,"result":null}]}`
	waiting  = `{"status_code":20000,"cost":0,"tasks":[{"id":"v-1","status_code":40602,"status_message":"Task In Queue.","result":null}]}`
	answered = `{"status_code":20000,"cost":0,"tasks":[{"id":"v-1","status_code":20000,"result":[{"items":[{"type":"ai_overview","markdown":"Battery mowers are quieter than petrol mowers."}]}]}]}`
	gaveUp   = `{"status_code":20000,"cost":0,"tasks":[{"id":"v-1","status_code":40101,"status_message":"Internal SE Server Error.","result":null}]}`
	broken   = `{"status_code":20000,"cost":0,"tasks":[{"id":"v-1","status_code":50000,"status_message":"Internal Error.","result":null}]}`
	invalid  = `{"status_code":20000,"cost":0,"tasks":[{"id":"v-1","status_code":40501,"status_message":"Invalid Field: 'keyword'.","result":null}]}`
)

// TestTickets goes through submitting, polling and finding tasks. Each poll is an attempt.
func TestTickets(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		site     *queue
		mode     string
		lost     time.Duration // how long ago a submission was interrupted; 0 for none
		attempts int
		state    upstream.TicketState
		submits  int
		pending  bool // after the last attempt
		reason   earshot.Reason
		micros   int64 // of all attempts
	}{
		"answered":          {site: &queue{submit: created, polled: []string{waiting, waiting, answered}}, attempts: 3, state: upstream.TicketAnswered, submits: 1, micros: 1200},
		"priority":          {site: &queue{submit: created, polled: []string{answered}}, mode: "priority", attempts: 1, state: upstream.TicketAnswered, submits: 1, micros: 1200},
		"not ready":         {site: &queue{submit: created, polled: []string{waiting}}, attempts: 1, state: upstream.TicketOpen, submits: 1, pending: true},
		"poll fails":        {site: &queue{submit: created, polled: []string{broken, answered}}, attempts: 2, state: upstream.TicketAnswered, submits: 1, micros: 1200},
		"gave up":           {site: &queue{submit: created, polled: []string{waiting, gaveUp}}, attempts: 2, state: upstream.TicketFailed, submits: 1, reason: earshot.ReasonUnavailable, micros: 1200},
		"refused":           {site: &queue{submit: invalid}, attempts: 1, state: upstream.TicketFailed, submits: 1, reason: earshot.ReasonUnavailable},
		"connection lost":   {site: &queue{}, attempts: 1, state: upstream.TicketSubmitting, submits: 1, pending: true},
		"lost just now":     {site: &queue{}, lost: time.Second, attempts: 1, state: upstream.TicketSubmitting, pending: true},
		"lost and found":    {site: &queue{listed: `{"id":"v-0","metadata":{"tag":"other-1"},"cost":5},{"id":"v-9","metadata":{"tag":"job-1"},"cost":0.0012}`, polled: []string{answered}}, lost: time.Hour, attempts: 1, state: upstream.TicketAnswered, micros: 1200},
		"lost and not sent": {site: &queue{submit: created, listed: `{"id":"v-0","metadata":{"tag":"other-1"},"cost":5}`, polled: []string{answered}}, lost: time.Hour, attempts: 1, state: upstream.TicketAnswered, submits: 1, micros: 1200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := c.site
			site.t = t
			stored := map[int]upstream.Ticket{}
			tickets := &upstream.Tickets{Job: "job", Save: func(_ context.Context, ticket *upstream.Ticket) error {
				stored[ticket.Number] = *ticket
				return nil
			}}
			if c.lost > 0 {
				tickets.List = []*upstream.Ticket{{
					Number: 1, Key: "job-1", Upstream: "via:dataforseo", State: upstream.TicketSubmitting, SubmittedAt: time.Now().Add(-c.lost), Deadline: time.Now().Add(time.Hour),
				}}
				stored[1] = *tickets.List[0]
			}
			call := providertest.VendorCall{Vendor: dataforseo.Vendor{}, Question: question("searchaimode"), Site: site, Tickets: tickets}
			if c.mode != "" {
				call.Options = map[string]string{"mode": c.mode}
			}
			var err error
			var micros int64
			for range c.attempts {
				if _, pending := errors.AsType[*upstream.Pending](err); err != nil && !pending {
					t.Fatal(err)
				}
				var uses []upstream.Use
				_, uses, err = call.Ask(t)
				for _, use := range uses {
					micros += use.MicroUSD
				}
			}
			if got := stored[1]; got.State != c.state || len(stored) != 1 || got.Key != "job-1" {
				t.Errorf("the tickets are %+v", stored)
			}
			if _, pending := errors.AsType[*upstream.Pending](err); pending != c.pending {
				t.Errorf("the error is %v", err)
			}
			if failure, _ := errors.AsType[*upstream.Failure](err); (failure == nil) != (c.reason == "") || failure != nil && failure.Reason != c.reason {
				t.Errorf("the failure is %v, want %q", err, c.reason)
			}
			if len(site.tasks) != c.submits || len(site.polled) > 0 || micros != c.micros {
				t.Errorf("%d submissions, %d polls left, %d micro-USD", len(site.tasks), len(site.polled), micros)
			}
			for _, task := range site.tasks {
				if task["tag"] != "job-1" || (task["priority"] == 2.) != (c.mode == "priority") || task["keyword"] != "quiet mowers" {
					t.Errorf("submitted %v", task)
				}
			}
			if name == "lost and found" {
				checkListed(t, site, c.lost)
			}
		})
	}
}

// checkListed checks the lookup of an interrupted submission.
func checkListed(t *testing.T, site *queue, lost time.Duration) {
	t.Helper()
	const layout = "2006-01-02 15:04:05 -07:00"
	from, errFrom := time.Parse(layout, fmt.Sprint(site.asked["datetime_from"]))
	to, errTo := time.Parse(layout, fmt.Sprint(site.asked["datetime_to"]))
	if errFrom != nil || errTo != nil || from.After(time.Now().Add(-lost)) || to.After(time.Now().Add(-30*time.Second)) || site.asked["include_metadata"] != true {
		t.Errorf("the list is asked for with %v", site.asked)
	}
	if len(site.polledIDs) != 1 || site.polledIDs[0] != "v-9" {
		t.Errorf("the tasks %v were polled", site.polledIDs)
	}
}

// TestCapturedSubmission submits a task and gets the answer of the sample.
func TestCapturedSubmission(t *testing.T) {
	t.Parallel()
	for _, path := range captures.Find(t, "vendors/dataforseo/*task_post.json") {
		document, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var sample struct{ Tasks []struct{ ID string } }
		if err := json.Unmarshal(document, &sample); err != nil {
			t.Fatal(err)
		}
		tickets := &upstream.Tickets{Job: "job", Save: func(context.Context, *upstream.Ticket) error { return nil }}
		_, _, err = providertest.VendorCall{
			Vendor: dataforseo.Vendor{}, Question: question("searchaimode"), Site: &queue{t: t, submit: string(document), polled: []string{waiting}}, Tickets: tickets,
		}.Ask(t)
		if _, pending := errors.AsType[*upstream.Pending](err); !pending || len(tickets.List) != 1 || tickets.List[0].ID != sample.Tasks[0].ID || sample.Tasks[0].ID == "" {
			t.Errorf("%s: %v, the ticket is %+v", path, err, tickets.List)
		}
	}
}
