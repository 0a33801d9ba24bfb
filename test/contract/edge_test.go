package contract_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/app"
	"earshot/internal/provider"
	"earshot/internal/store/orgs"
	"earshot/internal/store/storetest"
	"earshot/test/harness"
)

// TestTheRateWindow sends 30 requests at once and expects 10 to pass on the free
// plan. A burst that a slow machine spread over two windows, which the headers
// tell, is tried again.
func TestTheRateWindow(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		nodes := []*harness.Node{n, other}
		harness.Eventually(t, "a burst falls into one window", func() bool {
			a := nodes[0].Organization(t, "free", 1000)
			replies := make([]*harness.Reply, 30)
			var group sync.WaitGroup
			for i := range replies {
				group.Go(func() { replies[i] = nodes[i%len(nodes)].Get(t, a, "/v1/nosuch") })
			}
			group.Wait()
			passed, refused := map[int]int{}, 0
			for _, r := range replies {
				remaining := r.Number(t, "X-RateLimit-Remaining")
				if r.Number(t, "X-RateLimit-Limit") != 10 {
					t.Errorf("the limit is %s", r.Header.Get("X-RateLimit-Limit"))
				}
				if r.StatusCode == http.StatusNotFound {
					passed[remaining]++
					continue
				}
				refused++
				r.Fails(t, "past the limit", http.StatusTooManyRequests, earshot.CodeRateLimit)
				if failure := r.Failure(t); r.Header.Get("Retry-After") != "" || remaining != 0 || failure.Details != nil {
					t.Errorf("refused with %v, %s", r.Header, r.Body)
				}
			}
			if passed[9] > 1 {
				return false
			}
			if want := map[int]int{0: 1, 1: 1, 2: 1, 3: 1, 4: 1, 5: 1, 6: 1, 7: 1, 8: 1, 9: 1}; !maps.Equal(passed, want) || refused != 20 {
				t.Errorf("passed by what remained then: %v, and %d refused", passed, refused)
			}
			return true
		})
	})
}

func TestAllFaultsAreReportedAtOnce(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "enterprise-5k", 1000)
	for body, want := range map[string]map[string]string{ // messages that are fixed by the contract; "" for any
		`{}`:                          {"prompt": "", "country": ""},
		`{"prompt":"","country":""}`:  {"prompt": "", "country": ""},
		`{"country":"US","state":""}`: {"prompt": "", "state": ""},
		`{"prompt":5,"country":"us","state":"ZZ","legacy":"no","disableWebSearch":0,"inclued":{},"include":{"html":1,"markdown":null,"markdwn":true,"rawResponse":"yes","searchQueries":[],"ads":{},"shopping":0}}`: {
			"prompt": "", "country": "", "state": "", "legacy": "must be a boolean", "disableWebSearch": "must be a boolean",
			"inclued":             `unknown field "inclued", did you mean "include"?`,
			"include.html":        "must be a boolean",
			"include.markdown":    "must be a boolean",
			"include.markdwn":     `unknown field "markdwn", did you mean "markdown"?`,
			"include.rawResponse": "must be a boolean", "include.searchQueries": "must be a boolean",
			"include.ads": "must be a boolean", "include.shopping": "must be a boolean",
		},
		`{"prompt":"x","country":"US","include":[],"Prompt":"y","zzzzzzzzzzzz":1}`: {
			"include": "", "Prompt": `unknown field "Prompt", did you mean "prompt"?`, "zzzzzzzzzzzz": `unknown field "zzzzzzzzzzzz"`,
		},
		`{"prompt":"x","country":"HK","state":"CA"}`:                        {"country": "", "state": ""},
		`{"prompt":"x","country":"DE","state":"CA"}`:                        {"state": ""},
		`{"prompt":"x","country":"US","state":"ca"}`:                        {"state": ""},
		`{"prompt":"x","country":"US","state":"PR"}`:                        {"state": ""},
		`{"prompt":"x","country":"US","include":{"html":true,"html":true}}`: {"include.html": ""},
		`{"prompt":"x","country":"US","device":"mobile"}`:                   {"device": ""},
		`{"prompt":"x","country":"US","gl":"us"}`:                           {"gl": ""},
	} {
		r := n.Post(t, a, harness.ChatPath, body)
		r.Fails(t, body, http.StatusBadRequest, earshot.CodeValidation)
		if fields := slices.Sorted(maps.Keys(want)); !slices.Equal(r.Fields(t), fields) {
			t.Errorf("%s: the fields are %q, want %q", body, r.Fields(t), fields)
		}
		var problems []earshot.FieldProblem
		if err := json.Unmarshal(r.Failure(t).Details, &problems); err != nil {
			t.Fatal(err)
		}
		for _, p := range problems {
			if w := want[p.Field]; p.Message == "" || w != "" && p.Message != w {
				t.Errorf("%s: %s %q, want %q", body, p.Field, p.Message, w)
			}
		}
	}
	if o := n.Reload(t, a); o.Balance != 1000 {
		t.Errorf("faults cost %d", 1000-o.Balance)
	}
}

func TestWhatFlagsCost(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	flags := []string{"html", "markdown", "shopping", "rawResponse", "searchQueries", "ads"} // the last four are paid
	a := n.Organization(t, "enterprise-5k", 10_000)
	balance := int64(10_000)
	ask := func(what, body string, cost int64) {
		r := n.Post(t, a, harness.ChatPath, body)
		if r.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %s", what, r.StatusCode, r.Body)
		}
		now := n.Reload(t, a).Balance
		if balance-now != cost || int64(r.Number(t, "X-Credits-Charged")) != cost || int64(r.Number(t, "X-Credits-Remaining")) != now {
			t.Errorf("%s: cost %d, the headers say %s of which %s remain; want %d", what, balance-now,
				r.Header.Get("X-Credits-Charged"), r.Header.Get("X-Credits-Remaining"), cost)
		}
		balance = now
	}
	for set := range 1 << len(flags) {
		include, cost := map[string]bool{}, int64(5)
		for i, flag := range flags {
			include[flag] = set&(1<<i) != 0
			if include[flag] && i >= 2 {
				cost = 7
			}
		}
		body := harness.JSON(t, map[string]any{"prompt": "hats", "country": "US", "include": include})
		ask(body, body, cost)
	}
	ask("a state", `{"prompt":"hats","country":"US","state":"NY"}`, 5)
	ask("legacy", `{"prompt":"hats","country":"US","legacy":true}`, 5)
	ask("no search", `{"prompt":"hats","country":"US","disableWebSearch":true}`, 5)
	ask("all of it", `{"prompt":"hats","country":"US","state":"NY","legacy":true,"include":{"ads":true}}`, 7)
}

func TestAnOperatorsPrices(t *testing.T) {
	t.Parallel()
	n := harness.Start(t, func(cfg *app.Config) {
		cfg.Settings.Prices = provider.Prices{"chatassistant.base": 11, "surcharge.state": 3, "surcharge.sync": 1}
	})
	a := n.Organization(t, "lite", 1000)
	for body, cost := range map[string]int{
		`{"prompt":"x","country":"US"}`:                                        12,
		`{"prompt":"x","country":"US","state":"NY"}`:                           15,
		`{"prompt":"x","country":"US","state":"NY","include":{"ads":true}}`:    17,
		`{"prompt":"x","country":"US","include":{"ads":true,"shopping":true}}`: 14,
	} {
		if r := n.Post(t, a, harness.ChatPath, body); r.StatusCode != http.StatusOK || r.Number(t, "X-Credits-Charged") != cost {
			t.Errorf("%s: %d, charged %s, want %d", body, r.StatusCode, r.Header.Get("X-Credits-Charged"), cost)
		}
	}
	poor := n.Organization(t, "lite", 11)
	r := n.Post(t, poor, harness.ChatPath, `{"prompt":"x","country":"US"}`)
	r.FailsWith(t, "11 of 12 credits", http.StatusForbidden, earshot.CodeNoCredits, `{"required":12,"remaining":11,"held":0}`)
	for name, credits := range map[string]int64{"chatassistant.nosuch": 1, "nosuch.base": 1, "chatassistant.base": -1} {
		cfg := app.Config{Listen: "127.0.0.1:0", Data: t.TempDir(), Settings: app.Settings{Prices: provider.Prices{name: credits}}}
		if _, err := app.New(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("a price of %d for %s: %v", credits, name, err)
		}
	}
}

func TestAnOperatorsPlans(t *testing.T) {
	t.Parallel()
	address := filepath.Join(t.TempDir(), "earshot.db")
	run := func(plan account.Plan, credits string, firstKey *app.Account) *app.Account {
		n := harness.StartOn(t, address, func(cfg *app.Config) { cfg.Settings.Plans = account.Plans{plan} })
		if firstKey == nil {
			firstKey = n.First
		} else if n.First != nil {
			t.Error("a second first organization was made")
		}
		r := n.Get(t, firstKey, "/v1/credits")
		if !strings.HasPrefix(string(r.Body), credits) || r.Number(t, "X-RateLimit-Limit") != plan.RequestsPerSecond {
			t.Errorf("with %+v: %s %v", plan, r.Body, r.Header)
		}
		if r := n.Post(t, firstKey, harness.ChatPath, "{}"); r.Number(t, "X-Concurrent-Limit") != plan.Slots {
			t.Errorf("with %+v: %v", plan, r.Header)
		}
		if err := n.Stop(); err != nil {
			t.Error(err)
		}
		return firstKey
	}
	first := run(account.Plan{Name: "hobby", Slots: 2, CreditsPerCycle: 77, RequestsPerSecond: 33}, `{"remaining":77,"held":0,"perCycle":77,`, nil)
	run(account.Plan{Name: "hobby", Slots: 3, CreditsPerCycle: 99, RequestsPerSecond: 44}, `{"remaining":77,"held":0,"perCycle":99,`, first)
}

func TestPlansOfTheContract(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	for plan, want := range map[string]string{
		"free": "1 10 500", "lite": "10 50 37500", "hobby": "20 100 250000", "starter": "50 250 650000", "growth": "75 400 1350000",
		"business": "100 500 2800000", "enterprise-2k": "135 1000 5871025", "enterprise-3k": "175 1000 9306606",
		"enterprise-4k": "215 1000 12756261", "enterprise-5k": "255 1000 16391783",
	} {
		a, err := app.CreateOrganization(n.Orgs, app.Settings{}, plan, plan, nil, account.Operator())
		if err != nil {
			t.Fatal(err)
		}
		r := n.Post(t, a, harness.ChatPath, "{}")
		got := r.Header.Get("X-Concurrent-Limit") + " " + r.Header.Get("X-RateLimit-Limit") + " " + r.Header.Get("X-Credits-Remaining")
		if got != want {
			t.Errorf("%s: %s, want %s", plan, got, want)
		}
	}
}

func TestCountries(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "enterprise-5k", 0)
	var all []string
	n.Get(t, a, "/v1/countries").Into(t, &all)
	if len(all) != 250 || !slices.IsSorted(all) || len(slices.Compact(slices.Clone(all))) != 250 || !slices.Contains(all, "XK") || slices.Contains(all, "UK") {
		t.Errorf("%d countries: %v", len(all), all)
	}
	except := map[string]string{ // part 5 of the contract
		"chatassistant": "CN HK IR MO RU VE", "genassistant": "BY CN RU", "socialassistant": "BY CN HK RU VE",
		"officeassistant": "BY CN RU SY VE", "answerengine": "CN", "searchaimode": "CN CU IR KP", "websearch": "", "claude": "", "model": "",
		"searchoverview": "BL BV CN CU ET GF GP IR IS LK MF MQ NC PF PM RE TF WF YT",
	}
	for _, p := range app.Providers() {
		for _, countries := range p.Definition().Countries {
			if _, named := except[countries.Model]; !named && countries.Model != "" {
				t.Errorf("the countries of %s are not checked", countries.Model)
			}
		}
	}
	for model, gaps := range except {
		var served []string
		n.Get(t, a, "/v1/countries?model="+model).Into(t, &served)
		want := slices.DeleteFunc(slices.Clone(all), func(code string) bool { return slices.Contains(strings.Fields(gaps), code) })
		if !slices.Equal(served, want) {
			t.Errorf("%s: %v", model, served)
		}
	}
	for _, query := range []string{"model=", "model", "model=x", "model=CHATASSISTANT", "model=websearch/news", "model=chatassistant%20", "model=%00", "model=goto"} {
		r := n.Get(t, a, "/v1/countries?"+query)
		r.Invalid(t, query, http.StatusBadRequest, "model")
	}
}

func TestCredits(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	read := func(a *app.Account) (c struct {
		Remaining, Held, PerCycle     int64
		CycleStartedAt, CycleResetsAt string
		Plan                          string
	},
	) {
		n.Get(t, a, "/v1/credits").Into(t, &c)
		return c
	}
	instant := func(text string) time.Time {
		at, err := time.Parse("2006-01-02T15:04:05.000Z", text)
		if err != nil {
			t.Error(err)
		}
		return at
	}
	a := n.Organization(t, "lite", 123)
	c := read(a)
	begun := instant(c.CycleStartedAt)
	_, end := account.Cycle(begun, begun)
	if c.Remaining != 123 || c.Held != 0 || c.PerCycle != 37_500 || c.Plan != "lite" || begun.UnixMilli() != a.Organization.CreatedAt || !instant(c.CycleResetsAt).Equal(end) {
		t.Errorf("at first: %+v", c)
	}
	n.Hang(t, a)
	if c := read(a); c.Remaining != 123 || c.Held != 5 {
		t.Errorf("while a call runs: %+v", c)
	}
	n.Post(t, a, harness.ChatPath, `{"prompt":"x","country":"US","include":{"ads":true}}`).Has(t, "another call", http.StatusOK)
	if c := read(a); c.Remaining != 116 || c.Held != 5 {
		t.Errorf("after another: %+v", c)
	}

	// One that began 40 days ago is in its second cycle, and what was unused of
	// the first grant has lapsed.
	then := time.Now().AddDate(0, 0, -40)
	plan, err := account.DefaultPlans().Find("free")
	if err != nil {
		t.Fatal(err)
	}
	old, err := n.Orgs.CreateOrganization(orgs.NewOrganization{Name: "old", Plan: plan, FirstGrant: 77, WebhookSecret: account.NewWebhookSecret()}, account.Operator(), then)
	if err != nil {
		t.Fatal(err)
	}
	c = read(n.Key(t, &app.Account{Organization: old}, time.Time{}, account.ScopeRead))
	from, to := account.Cycle(time.UnixMilli(old.CreatedAt), time.Now())
	if c.Remaining != 500 || !instant(c.CycleStartedAt).Equal(from) || !instant(c.CycleResetsAt).Equal(to) || !instant(c.CycleResetsAt).After(time.Now()) {
		t.Errorf("in its second cycle: %+v, want %s to %s", c, from, to)
	}
	storetest.Audited(t, n.Store)
}
