package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"earshot"
	"earshot/client"
	"earshot/internal/app"
	"earshot/internal/store"
	"earshot/internal/store/storetest"
)

// onNodes runs the test on SQLite with one node, and on PostgreSQL with two.
func onNodes(t *testing.T, test func(t *testing.T, nodes []*node)) {
	t.Helper()
	storetest.OnEach(t, func(t *testing.T, address string) {
		nodes := []*node{start(t, address)}
		if store.Shared(address) {
			nodes = append(nodes, start(t, address))
		}
		test(t, nodes)
		for _, n := range nodes {
			if err := n.stop(); err != nil {
				t.Error(err)
			}
		}
		storetest.Audited(t, nodes[0].store)
	})
}

const chat = "/v1/monitor/chatassistant"

func TestACallTravelsTheWholeWay(t *testing.T) {
	t.Parallel()
	onNodes(t, func(t *testing.T, nodes []*node) {
		a := nodes[0].organization(t, "lite", 1000)
		for i, n := range nodes {
			answer, usage, err := n.client(a).ChatAssistant(t.Context(), client.ChatAssistantRequest{
				Prompt: "best headphones", Country: "DE", Include: client.ChatAssistantInclude{Markdown: true, Shopping: true, Ads: true, HTML: true},
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
			credits, err := n.client(a).Credits(t.Context())
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
	fetch := func(address string) *reply {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		return do(t, req)
	}
	page := fetch(address)
	if page.StatusCode != http.StatusOK || !bytes.Contains(page.body, []byte("<html")) {
		t.Errorf("%s: %d %.100s", address, page.StatusCode, page.body)
	}
	if csp := page.Header.Get("Content-Security-Policy"); csp != "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:" {
		t.Errorf("the page is served with %q", csp)
	}
	for _, wrong := range []string{"page-2.html", "page-0.html", "../earshot.db", "%2e%2e%2fearshot.db"} {
		other := strings.Replace(address, "page-1.html", wrong, 1)
		if missing := fetch(other); missing.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", other, missing.StatusCode)
		}
	}
}

func TestSlotsAreSharedAndHeadersAddUp(t *testing.T) {
	t.Parallel()
	onNodes(t, func(t *testing.T, nodes []*node) {
		a := nodes[0].organization(t, "hobby", 100_000)
		replies := make([]*reply, 40)
		var group sync.WaitGroup
		for i := range replies {
			group.Go(func() {
				replies[i] = nodes[i%len(nodes)].post(t, a, chat, `{"prompt":"tents [[delay=3s]]","country":"US"}`)
			})
		}
		group.Wait()
		counts := map[int]int{}
		for _, r := range replies {
			counts[r.StatusCode]++
			limit, current, free := r.number(t, "X-Concurrent-Limit"), r.number(t, "X-Concurrent-Current"), r.number(t, "X-Concurrent-Remaining")
			if limit != 20 || current+free != limit || current < 1 || current > limit {
				t.Errorf("%d: limit %d, current %d, remaining %d", r.StatusCode, limit, current, free)
			}
			if r.StatusCode == http.StatusTooManyRequests {
				failure := r.failure(t)
				if failure.Code != earshot.CodeConcurrencyLimit || string(failure.Details) != `{"limit":20}` || r.Header.Get("Retry-After") != "" {
					t.Errorf("refused with %+v", failure)
				}
				if r.number(t, "X-Credits-Charged") != 0 || free != 0 {
					t.Errorf("refused with headers %v", r.Header)
				}
			}
		}
		if counts[200] != 20 || counts[429] != 20 {
			t.Errorf("the statuses are %v, want 20 × 200 and 20 × 429", counts)
		}
		if o := nodes[0].standing(t, a); o.Balance != 100_000-20*5 || o.Running != 0 || o.Held != 0 {
			t.Errorf("at the end: %+v", o)
		}
	})
}

func TestMoneyFor137CallsBuys137(t *testing.T) {
	t.Parallel()
	onNodes(t, func(t *testing.T, nodes []*node) {
		a := nodes[0].organization(t, "enterprise-5k", 137*5+4)
		var bought, broke atomic.Int64
		var group sync.WaitGroup
		places := make(chan struct{}, 100) // of 1,000 requests a second
		for i := range 1000 {
			group.Go(func() {
				places <- struct{}{}
				defer func() { <-places }()
				for {
					_, _, err := nodes[i%len(nodes)].client(a).ChatAssistant(t.Context(), client.ChatAssistantRequest{Prompt: "lamps", Country: "US"})
					var failure *client.Error
					switch {
					case err == nil:
						bought.Add(1)
					case errors.As(err, &failure) && failure.Code == earshot.CodeNoCredits:
						broke.Add(1)
					case errors.As(err, &failure) && failure.Status == http.StatusTooManyRequests:
						continue // the rate window or the slots: come again
					default:
						t.Error(err)
					}
					return
				}
			})
		}
		group.Wait()
		if bought.Load() != 137 || broke.Load() != 863 {
			t.Errorf("%d bought and %d refused, want 137 and 863", bought.Load(), broke.Load())
		}
		if o := nodes[0].standing(t, a); o.Balance != 4 || o.Held != 0 || o.Running != 0 {
			t.Errorf("at the end: %+v", o)
		}
	})
}

func TestAClientThatLeavesIsNotChargedAndFreesItsSlot(t *testing.T) {
	t.Parallel()
	onNodes(t, func(t *testing.T, nodes []*node) {
		n := nodes[len(nodes)-1]
		a := n.organization(t, "free", 100)
		ctx, leave := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, _, err := n.client(a).ChatAssistant(ctx, client.ChatAssistantRequest{Prompt: "kites [[hang]]", Country: "US"})
			ended <- err
		}()
		eventually(t, "the call runs", func() bool { return n.standing(t, a).Running == 1 })
		if o := n.standing(t, a); o.Held != 5 || o.Balance != 100 {
			t.Errorf("while it runs: %+v", o)
		}
		leave()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the client got %v", err)
		}
		eventually(t, "the slot is free", func() bool { return n.standing(t, a).Running == 0 })
		if o := n.standing(t, a); o.Held != 0 || o.Balance != 100 {
			t.Errorf("after it left: %+v", o)
		}
		eventually(t, "a 499 is logged", func() bool { return strings.Contains(n.logs.String(), "status=499") })
	})
}

func TestFailuresAreTriedAgainAndThenReported(t *testing.T) {
	t.Parallel()
	onNodes(t, func(t *testing.T, nodes []*node) {
		n := nodes[0]
		a := n.organization(t, "lite", 1000)
		ask := func(prompt string) *reply {
			body, err := json.Marshal(map[string]any{"prompt": prompt, "country": "US", "legacy": strings.Contains(prompt, "legacy")})
			if err != nil {
				t.Fatal(err)
			}
			return n.post(t, a, chat, string(body))
		}
		for _, prompt := range []string{"bikes [[fail=4]]", "bikes legacy [[fail=2]]", "bikes [[drip=1ms]]", "bikes legacy [[drip=1ms]]"} {
			if r := ask(prompt); r.StatusCode != http.StatusOK || r.number(t, "X-Credits-Charged") != 5 {
				t.Errorf("%s: %d %s", prompt, r.StatusCode, r.body)
			}
		}
		before := n.standing(t, a).Balance
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
			"legacy bikes [[huge]]":   earshot.ReasonUnreadable,
			"legacy bikes [[fail=9]]": earshot.ReasonUnavailable,
		} {
			r := ask(prompt)
			if r.StatusCode != http.StatusBadGateway {
				t.Errorf("%s: %d %.200s", prompt, r.StatusCode, r.body)
				continue
			}
			var details earshot.UpstreamDetails
			failure := r.failure(t)
			if err := json.Unmarshal(failure.Details, &details); err != nil {
				t.Fatal(err)
			}
			if failure.Code != earshot.CodeUpstream || details != (earshot.UpstreamDetails{Service: "chatassistant", Reason: reason}) || r.number(t, "X-Credits-Charged") != 0 {
				t.Errorf("%s: %s", prompt, r.body)
			}
		}
		if after := n.standing(t, a).Balance; after != before {
			t.Errorf("failures cost %d credits", before-after)
		}
	})
}

func TestStoppingFinishesWhatRunsAndRefusesTheRest(t *testing.T) {
	t.Parallel()
	onNodes(t, func(t *testing.T, nodes []*node) {
		n := nodes[0]
		a := n.organization(t, "lite", 1000)
		running := make(chan *reply, 1)
		go func() { running <- n.post(t, a, chat, `{"prompt":"boats [[delay=3s]]","country":"US"}`) }()
		eventually(t, "the call runs", func() bool { return n.standing(t, a).Running == 1 })
		stopped := make(chan error, 1)
		go func() { stopped <- n.stop() }()
		eventually(t, "the node is not ready", func() bool { return n.get(t, nil, "/readyz").StatusCode == http.StatusServiceUnavailable })
		refused := n.post(t, a, chat, `{"prompt":"boats","country":"US"}`)
		if refused.StatusCode != http.StatusServiceUnavailable || refused.code(t) != earshot.CodeServerUnavailable || refused.Header.Get("Retry-After") == "" {
			t.Errorf("new work: %d %s", refused.StatusCode, refused.body)
		}
		if r := <-running; r.StatusCode != http.StatusOK {
			t.Errorf("the running call: %d %s", r.StatusCode, r.body)
		}
		if err := <-stopped; err != nil {
			t.Errorf("stopping: %v", err)
		}
	})
}

func TestACrashedNodesCallsAreReleasedByTheNextStart(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := storetest.Open(t, address)
		dead, err := s.RegisterNode("crashed", time.Now().Add(-time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		o := storetest.Organization(t, s, 1, 100)
		job := store.Job{
			ID: "018f0000-0000-7000-8000-000000000001", Organization: o.ID, KeyID: "k", Provider: "chatassistant",
			Mode: store.ModeSync, Request: []byte("{}"), MaxCost: 5, Node: dead, CreatedAt: time.Now(),
		}
		if _, err := s.Begin(job); err != nil {
			t.Fatal(err)
		}
		if store.Shared(address) { // elsewhere the node would be taken for dead in 10 s
			if err := s.RemoveNode(dead); err != nil {
				t.Fatal(err)
			}
		}
		n := start(t, address)
		eventually(t, "the slot is free", func() bool {
			return n.standing(t, &app.Account{Organization: o}).Running == 0
		})
		storetest.Audited(t, s)
	})
}
