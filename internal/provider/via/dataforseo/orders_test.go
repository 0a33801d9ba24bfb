package dataforseo_test

import (
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
	charged  = `{"status_code":20000,"cost":0.0012,"tasks":[{"id":"v-1","status_code":40101,"status_message":"Internal SE Server Error.","result":null}]}`
	nothing  = `{"status_code":20000,"cost":0,"tasks":[{"id":"v-1","status_code":40102,"status_message":"No Search Results.","result":null}]}`
	other    = `{"status_code":20000,"cost":7,"tasks":[{"id":"v-2","status_code":20000,"result":[{"items":[{"type":"ai_overview","markdown":"Another answer."}]}]}]}`
	invalid  = `{"status_code":20000,"cost":0,"tasks":[{"id":"v-1","status_code":40501,"status_message":"Invalid Field: 'keyword'.","result":null}]}`
)

// TestOrders goes through submitting, polling and finding tasks.
func TestOrders(t *testing.T) {
	t.Parallel()
	list := func(tasks string) string { return `{"id":"v-0","metadata":{"tag":"other-1"},"cost":5}` + tasks }
	for name, c := range map[string]struct {
		site    *queue
		mode    string
		lost    time.Duration // how long ago a submission was interrupted; 0 for none
		submits int
		reason  earshot.Reason
		cost    upstream.USD
	}{
		"answered":          {site: &queue{submit: created, polled: []string{waiting, waiting, answered}}, submits: 1, cost: 1_200_000},
		"priority":          {site: &queue{submit: created, polled: []string{answered}}, mode: "priority", submits: 1, cost: 1_200_000},
		"poll fails":        {site: &queue{submit: created, polled: []string{broken, "<html>", other, answered}}, submits: 1, cost: 1_200_000},
		"gave up":           {site: &queue{submit: created, polled: []string{waiting, gaveUp}}, submits: 1, reason: earshot.ReasonUnavailable, cost: 1_200_000},
		"charged later":     {site: &queue{submit: created, polled: []string{waiting, charged}}, submits: 1, reason: earshot.ReasonUnavailable, cost: 2_400_000},
		"nothing found":     {site: &queue{submit: created, polled: []string{nothing}}, submits: 1, reason: earshot.ReasonEmpty, cost: 1_200_000},
		"refused":           {site: &queue{submit: invalid}, submits: 1, reason: earshot.ReasonUnavailable},
		"connection lost":   {site: &queue{}, submits: 1, reason: earshot.ReasonUnavailable},
		"lost and found":    {site: &queue{listed: list(`,{"id":"v-9","metadata":{"tag":"job-1"},"cost":0.0012}`), polled: []string{strings.ReplaceAll(answered, "v-1", "v-9")}}, lost: time.Hour, cost: 1_200_000},
		"lost and not sent": {site: &queue{submit: created, listed: list(""), polled: []string{answered}}, lost: time.Hour, submits: 1, cost: 1_200_000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := c.site
			site.t = t
			var submitted time.Time
			if c.lost > 0 {
				submitted = time.Now().Add(-c.lost)
			}
			bought, err := providertest.AskVendorLater(t, dataforseo.Vendor{}, site, question("searchaimode"), map[string]string{"mode": c.mode}, submitted)
			if failure, _ := errors.AsType[*upstream.Failure](err); (failure == nil) != (c.reason == "") || failure != nil && failure.Reason != c.reason {
				t.Errorf("the failure is %v, want %q", err, c.reason)
			}
			if len(site.tasks) != c.submits || len(site.polled) > 0 || len(bought.Purchases) != 1 || bought.USD() != c.cost {
				t.Errorf("%d submissions, %d polls left, %+v", len(site.tasks), len(site.polled), bought.Purchases)
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
		id := sample.Tasks[0].ID
		site := &queue{t: t, submit: string(document), polled: []string{waiting, strings.ReplaceAll(answered, "v-1", id)}}
		site.polled[0] = strings.ReplaceAll(waiting, "v-1", id)
		bought, err := providertest.AskVendor(t, dataforseo.Vendor{}, site, question("searchaimode"), nil)
		if err != nil || id == "" || bought.USD() != 1_200_000 || len(site.polledIDs) != 2 || site.polledIDs[0] != id {
			t.Errorf("%s: %v, %+v, polled %v", path, err, bought.Purchases, site.polledIDs)
		}
	}
}
