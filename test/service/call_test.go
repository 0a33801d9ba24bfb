// Package service_test tests the whole service on both databases: calls, tasks, webhooks, the audit log,
// users and their sessions, and somebody who abuses a node.
package service_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/app"
	"earshot/internal/store/storetest"
	"earshot/test/harness"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestACallTravelsTheWholeWay(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		nodes := []*harness.Node{n, other}
		a := nodes[0].Organization(t, "lite", 1000)
		for i, n := range nodes {
			answer, usage, err := n.Client(a).ChatAssistant(t.Context(), earshot.ChatAssistantRequest{
				Prompt: "best headphones", Country: "DE", Include: earshot.ChatAssistantInclude{Markdown: true, Shopping: true, Ads: true, HTML: true},
			})
			if err != nil {
				t.Fatal(err)
			}
			if answer.Text == "" || answer.Surface != earshot.SurfaceLab || *answer.Model != "lab-1" || len(answer.Sources) == 0 ||
				answer.Markdown == "" || len(answer.ShoppingCards) == 0 || len(answer.Ads) == 0 {
				t.Errorf("the answer lacks something: %+v", answer)
			}
			remaining := int64(1000 - 7*(i+1))
			if usage.CreditsCharged != 7 || usage.CreditsRemaining != remaining || usage.ConcurrentLimit != 10 || usage.Concurrent != 1 {
				t.Errorf("the usage is %+v", usage)
			}
			credits, err := n.Client(a).Credits(t.Context())
			if err != nil || credits.Remaining != remaining || credits.Held != 0 || credits.PerCycle != 37_500 || credits.Plan != "lite" {
				t.Errorf("the credits are %+v, %v", credits, err)
			}
			checkCapture(t, answer.HTML)
		}
	})
}

// checkCapture fetches a captured page and looks for the sandbox around it.
func checkCapture(t *testing.T, address string) {
	t.Helper()
	fetch := func(address string) *harness.Reply {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		return harness.Do(t, req)
	}
	page := fetch(address)
	if page.StatusCode != http.StatusOK || !bytes.Contains(page.Body, []byte("<html")) {
		t.Errorf("%s: %d %.100s", address, page.StatusCode, page.Body)
	}
	if csp := page.Header.Get("Content-Security-Policy"); csp != "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:" {
		t.Errorf("the page is served with %q", csp)
	}
	for _, wrong := range []string{"page-2.html", "page-0.html", "../earshot.db", "%2e%2e%2fearshot.db"} {
		other := strings.Replace(address, "page-1.html", wrong, 1)
		fetch(other).Has(t, other, http.StatusNotFound)
	}
}

// After a plan was lowered more slots may be in use than it has.
func TestSlotsInUseAreToldAboveTheLimit(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "lite", 1000)
	for range 3 {
		n.Hang(t, a)
	}
	harness.Eventually(t, "all calls run", func() bool { return n.Reload(t, a).Running == 3 })
	lowered := a.Organization.Plan
	lowered.Slots = 1
	if err := n.Orgs.SetPlan(a.Organization.ID, lowered, account.Operator(), time.Now()); err != nil {
		t.Fatal(err)
	}
	r := n.Post(t, a, harness.ChatPath, harness.GoodCall)
	r.Fails(t, "a call without a slot", http.StatusTooManyRequests, earshot.CodeConcurrencyLimit)
	limit, current, free := r.Number(t, "X-Concurrent-Limit"), r.Number(t, "X-Concurrent-Current"), r.Number(t, "X-Concurrent-Remaining")
	if limit != 1 || current != 3 || free != 0 {
		t.Errorf("limit %d, current %d, remaining %d; want 1, 3, 0", limit, current, free)
	}
}

func TestFailuresAreTriedAgainAndThenReported(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "enterprise-2k", 1000)
	ask := func(prompt string) *harness.Reply {
		return n.Post(t, a, harness.ChatPath, harness.JSON(t, map[string]any{"prompt": prompt, "country": "US", "legacy": strings.Contains(prompt, "legacy")}))
	}
	// All at once, since most of the time they wait before they try again.
	var asked sync.WaitGroup
	for _, prompt := range []string{"bikes [[fail=4]]", "bikes legacy [[fail=2]]", "bikes [[drip=1ms]]", "bikes legacy [[drip=1ms]]"} {
		asked.Go(func() {
			if r := ask(prompt); r.StatusCode != http.StatusOK || r.Number(t, "X-Credits-Charged") != 5 {
				t.Errorf("%s: %d %s", prompt, r.StatusCode, r.Body)
			}
		})
	}
	asked.Wait()
	before := n.Reload(t, a).Balance
	for prompt, reason := range map[string]earshot.Reason{
		"bikes [[fail=5]]":        earshot.ReasonUnavailable,
		"bikes [[status=503]]":    earshot.ReasonUnavailable,
		"bikes [[block]]":         earshot.ReasonBlocked,
		"bikes [[garbage]]":       earshot.ReasonUnreadable,
		"bikes [[empty]]":         earshot.ReasonEmpty,
		"bikes [[cut]]":           earshot.ReasonUnavailable,
		"bikes [[huge]]":          earshot.ReasonUnreadable,
		"legacy [[block]]":        earshot.ReasonBlocked,
		"legacy [[garbage]]":      earshot.ReasonUnreadable,
		"legacy [[empty]]":        earshot.ReasonEmpty,
		"legacy bikes [[cut]]":    earshot.ReasonUnavailable,
		"legacy bikes [[fail=9]]": earshot.ReasonUnavailable,
	} {
		asked.Go(func() {
			r := ask(prompt)
			if r.StatusCode != http.StatusBadGateway {
				t.Errorf("%s: %d %.200s", prompt, r.StatusCode, r.Body)
				return
			}
			var details earshot.UpstreamDetails
			failure := r.Failure(t)
			if err := json.Unmarshal(failure.Details, &details); err != nil {
				t.Error(err)
			}
			if failure.Code != earshot.CodeUpstream || details != (earshot.UpstreamDetails{Service: "chatassistant", Reason: reason}) || r.Number(t, "X-Credits-Charged") != 0 {
				t.Errorf("%s: %s", prompt, r.Body)
			}
		})
	}
	asked.Wait()
	if after := n.Reload(t, a).Balance; after != before {
		t.Errorf("failures cost %d credits", before-after)
	}
}

func TestStoppingFinishesWhatRunsAndRefusesTheRest(t *testing.T) {
	t.Parallel()
	assistant, release := harness.Hold(t)
	n := harness.Start(t, assistant, func(cfg *app.Config) { cfg.StopGrace = time.Minute })
	a := n.Organization(t, "lite", 1000)
	task := n.Submit(t, a, harness.GoodTask).ID
	running := make(chan *harness.Reply, 1)
	go func() { running <- n.Post(t, a, harness.ChatPath, harness.GoodCall) }()
	harness.Eventually(t, "a call and a task run", func() bool { return n.Reload(t, a).Running == 2 })
	stopped := make(chan error, 1)
	go func() { stopped <- n.Stop() }()
	harness.Eventually(t, "the node is not ready", func() bool { return n.Get(t, nil, "/readyz").StatusCode == http.StatusServiceUnavailable })
	for path, body := range map[string]string{harness.ChatPath: harness.GoodCall, harness.TaskPath: harness.GoodTask} {
		refused := n.Post(t, a, path, body)
		if refused.Fails(t, path, http.StatusServiceUnavailable, earshot.CodeServerUnavailable); refused.Header.Get("Retry-After") == "" {
			t.Errorf("%s: %v", path, refused.Header)
		}
	}
	release()
	harness.Next(t, "the running call", running).Has(t, "the running call", http.StatusOK)
	if err := harness.Next(t, "the end of the node", stopped); err != nil {
		t.Errorf("stopping: %v", err)
	}
	if record, err := n.Store.Task(t.Context(), a.Organization.ID, task); err != nil || record.Status != earshot.StatusCompleted {
		t.Errorf("the running task was left as %+v, %v", record, err)
	}
	storetest.Audited(t, n.Store)
}
