package contract_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"earshot"
	"earshot/test/harness"
)

// TestWhatWasReadIsCharged reads fewer pages than were asked for, and overviews where
// there are none. Header, history and ledger agree.
func TestWhatWasReadIsCharged(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, _ *harness.Node) {
		a := n.Admin(t, n.Organization(t, "enterprise-5k", 1000))
		balance := int64(1000)
		for _, c := range []struct {
			path, body string
			cost, most int64
			overview   bool
		}{
			{harness.WebSearchPath, `{"query":"hats [[results=0]]","country":"US","pages":10}`, 3, 21, false},
			{harness.WebSearchPath, `{"query":"hats [[results=10]]","country":"US","pages":10}`, 3, 21, false},
			{harness.WebSearchPath, `{"query":"hats [[results=15]]","country":"US","pages":2}`, 5, 5, false},
			{harness.WebSearchPath, `{"query":"hats [[results=15]]","country":"US","pages":3}`, 5, 7, false},
			{harness.WebSearchPath, `{"url":"https://search.lab.test:443/search?q=hats+[[results=0]]&gl=us&num=100"}`, 3, 21, false},
			{harness.NewsPath, `{"query":"hats [[results=0]]","pages":10}`, 3, 21, false},
			{harness.NewsPath, `{"query":"hats [[results=12]]","pages":10,"hl":"en_US"}`, 5, 21, false},
			{harness.WebSearchPath, `{"query":"hats","country":"US","hl":"en_US","include":{"searchoverview":{},"paaSearchoverview":true}}`, 5, 5, true},
			{harness.WebSearchPath, `{"query":"hats","country":"IS","include":{"searchoverview":{"markdown":true},"paaSearchoverview":true}}`, 3, 3, false},
			{harness.WebSearchPath, `{"url":"http://search.lab.test:80/search?q=hats&gl=cn","include":{"searchoverview":{}}}`, 3, 3, false},
		} {
			r := n.Post(t, a, c.path, c.body).Has(t, c.body, http.StatusOK)
			balance -= c.cost
			if charged, left := r.Number(t, "X-Credits-Charged"), r.Number(t, "X-Credits-Remaining"); int64(charged) != c.cost || int64(left) != balance {
				t.Errorf("%s: charged %d, %d left; want %d and %d", c.body, charged, left, c.cost, balance)
			}
			if strings.Contains(string(r.Body), `"searchoverview":{`) != c.overview {
				t.Errorf("%s: an overview in the result, or none: %.300s", c.body, r.Body)
			}
			var record earshot.RequestRecord
			n.Get(t, a, "/v1/requests/"+r.Header.Get("X-Request-Id")).Into(t, &record)
			if record.Credits.CreditsToCharge != c.most || record.Credits.CreditsCharged == nil || *record.Credits.CreditsCharged != c.cost {
				t.Errorf("%s: the history says %+v", c.body, record.Credits)
			}
			var ledger earshot.LedgerPage
			n.Get(t, a, "/v1/ledger?kind=charge&limit=1").Into(t, &ledger)
			if len(ledger.Entries) != 1 || ledger.Entries[0].Credits != -c.cost {
				t.Errorf("%s: the ledger says %+v", c.body, ledger.Entries)
			}
		}
		n.Expect(t, a, "at the end", harness.State{Balance: balance})
	})
}

func TestAddressesThatAreTakenOrRefused(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "enterprise-5k", 1000)
	for address, ok := range map[string]bool{
		"https://search.lab.test:443/url?q=https%3A%2F%2Fa.example%2F":  true,
		"http://search.lab.test:80/url?q=https%3A%2F%2Fa.example%2F":    true,
		"http://search.lab.test:443/url?q=https%3A%2F%2Fa.example%2F":   false,
		"https://search.lab.test:8443/url?q=https%3A%2F%2Fa.example%2F": false,
	} {
		r := n.Post(t, a, harness.GotoPath, `{"url":"`+address+`"}`)
		if ok {
			r.Has(t, address, http.StatusOK)
		} else {
			r.Invalid(t, address, http.StatusBadRequest, "url")
		}
	}
	for _, address := range []string{
		"https://search.lab.test/search?q=%ff&gl=us", "https://search.lab.test/search?q=caf%E9&gl=us", "https://search.lab.test:80/search?q=x&gl=us",
	} {
		n.Post(t, a, harness.WebSearchPath, `{"url":"`+address+`"}`).Invalid(t, address, http.StatusBadRequest, "url")
	}
	for _, hl := range []string{"", "en\n", strings.Repeat("x", 65)} {
		n.Post(t, a, harness.WebSearchPath, fmt.Sprintf(`{"query":"x","country":"US","hl":%q}`, hl)).Invalid(t, hl, http.StatusBadRequest, "hl")
	}
	for _, hl := range []string{" en", "en US", "日本語", strings.Repeat("x", 64)} {
		n.Post(t, a, harness.WebSearchPath, fmt.Sprintf(`{"query":"x","country":"US","hl":%q}`, hl)).Has(t, hl, http.StatusOK)
	}
	for body, field := range map[string]string{
		`{"query":"x"}`: "country",
		`{"query":"x","country":"US","location":",,"}`:                        "location",
		`{"url":"https://search.lab.test/search?q=x&gl=us","country":"us"}`:   "country",
		`{"url":"https://search.lab.test/search?q=x&gl=us&hl=` + "%0a" + `"}`: "url",
	} {
		n.Post(t, a, harness.WebSearchPath, body).Invalid(t, body, http.StatusBadRequest, field)
	}
	n.Post(t, a, harness.TaskPath, `{"taskType":"WEBSEARCH","payload":1}`).Invalid(t, "payload", http.StatusUnprocessableEntity, "payload")
	for _, address := range []string{"https://example.com./hook", "https://example.com.:8443/", "http://example.com:9222/"} {
		task := harness.ChatTask("x", fmt.Sprintf(`"webhook":{"url":%q}`, address))
		n.Post(t, a, harness.TaskPath, task).Invalid(t, address, http.StatusUnprocessableEntity, "webhook.url")
	}
}

// TestRefusalsSayWhatIsWrong looks at texts that people read.
func TestRefusalsSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "free", 7)
	n.Hang(t, a) // holds 5
	r := n.Post(t, a, harness.ChatPath, harness.GoodCall)
	r.FailsWith(t, "2 of 7 credits are free", http.StatusForbidden, earshot.CodeNoCredits, `{"required":5,"remaining":7,"held":5}`)
	if left := r.Number(t, "X-Credits-Remaining"); left != 7 {
		t.Errorf("the header says that %d are left", left)
	}
	rich := n.Organization(t, "free", 100)
	n.Hang(t, rich)
	bare := n.Request(t.Context(), t, nil, http.MethodGet, "/v1/credits", "")
	bare.Header.Set("Authorization", rich.Key.Text)
	for want, r := range map[string]*harness.Reply{
		"this can cost 5 credits, and the balance is 7, of which 5 are held for running jobs":        r,
		"the only concurrency slot is busy":                                                          n.Post(t, rich, harness.ChatPath, harness.GoodCall),
		`the header must be "Authorization: Bearer ear_live_…", with the word Bearer before the key`: harness.Do(t, bare),
		"there is no task with this id":                                                              n.Get(t, rich, harness.TaskPath+"/0198c0de-0000-7000-8000-000000000000"),
		"the API has no operation with this method and path":                                         n.Get(t, rich, "/v1/nosuch"),
	} {
		if got := r.Failure(t).Message; got != want {
			t.Errorf("%d %s: %q, want %q", r.StatusCode, r.Body, got, want)
		}
	}
}
