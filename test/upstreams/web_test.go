package upstreams_test

import (
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/provider"
	"earshot/internal/provider/serp"
	"earshot/internal/upstream/lab"
	"earshot/test/harness"
)

// abroad is a proxy in another country behind which the lab's sites lie, and
// nothing else.
type abroad struct {
	*httptest.Server
	user, password string

	mu   sync.Mutex
	seen []string // the hosts and languages of the requests
}

func startAbroad(t *testing.T, world *lab.Server) *abroad {
	t.Helper()
	p := &abroad{user: "caller", password: "open-sesame"}
	through := &httputil.ReverseProxy{
		Rewrite:   func(*httputil.ProxyRequest) {}, // it goes on as it came
		Transport: &http.Transport{DialContext: world.Dial, DisableKeepAlives: true},
		// The lab hangs up on orders, and a browser on streams it is done with.
		ErrorHandler:  func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
		FlushInterval: -1,
		ErrorLog:      log.New(io.Discard, "", 0),
	}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		probe := http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}
		if user, password, ok := probe.BasicAuth(); !ok || user != p.user || password != p.password {
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		r.Header.Del("Proxy-Authorization")
		p.mu.Lock()
		p.seen = append(p.seen, r.URL.Host+" "+r.Header.Get("Accept-Language"))
		p.mu.Unlock()
		through.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

// address is the proxy with its user and password.
func (p *abroad) address() string {
	u, _ := url.Parse(p.URL)
	u.User = url.UserPassword(p.user, p.password)
	return u.String()
}

func (p *abroad) saw(what string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Contains(strings.Join(p.seen, "\n"), what)
}

// startWeb runs a node that asks the lab's sites as if they were the web's,
// through a proxy in Germany.
func startWeb(t *testing.T, change ...func(*app.Config)) (*harness.Node, *abroad) {
	t.Helper()
	sites, err := provider.NewSites(app.Providers())
	if err != nil {
		t.Fatal(err)
	}
	world, err := lab.Listen(t.Context(), slices.Collect(maps.Values(sites.Lab))...)
	if err != nil {
		t.Fatal(err)
	}
	bases := map[string]string{}
	for name := range sites.Web {
		bases[name] = sites.Lab[name].URL()
	}
	ended := make(chan error, 1)
	go func() { ended <- world.Run(t.Context()) }()
	t.Cleanup(func() { <-ended })
	germany := startAbroad(t, world)
	web := func(cfg *app.Config) {
		cfg.Getenv = func(string) string { return "" }
		cfg.Upstreams = []string{"web"}
		cfg.Settings.Web = app.WebSettings{Sites: bases, Proxies: map[string]string{"DE": germany.address()}}
	}
	return harness.Start(t, append([]func(*app.Config){web}, change...)...), germany
}

func TestTheWebIsAskedFromItsCountry(t *testing.T) {
	t.Parallel()
	n, germany := startWeb(t, func(cfg *app.Config) { cfg.Settings.Web.Browser = "off" })
	account := n.Organization(t, "business", 1000)
	for _, provider := range []string{"chatassistant", "websearch"} {
		field := map[string]string{"chatassistant": "prompt", "websearch": "query"}[provider]
		got := n.Result(t, account, provider, fmt.Sprintf(`{%q:"umbrella","country":"DE"}`, field))
		if got["surface"] != "web" || fmt.Sprint(got["location"]) != "map[country:DE]" {
			t.Errorf("%s: surface %v, location %v", provider, got["surface"], got["location"])
		}
	}
	if !germany.saw("chat.lab.test de-DE") {
		t.Errorf("the proxy saw %q", germany.seen)
	}
	r := n.Post(t, account, "/v1/monitor/chatassistant", `{"prompt":"umbrella","country":"FR"}`)
	if r.StatusCode != http.StatusBadGateway || !strings.Contains(string(r.Body), string(earshot.ReasonUnavailable)) {
		t.Errorf("without a proxy for the country: %s %s", r.Status, r.Body)
	}
	if strings.Contains(n.Logs.String(), germany.password) {
		t.Error("the proxy's password is in the log")
	}
}

func TestAssistantsAreAskedInABrowser(t *testing.T) {
	t.Parallel()
	harness.NeedBrowser(t)
	n, germany := startWeb(t)
	account := n.Organization(t, "business", 1000)
	direct := harness.Start(t)
	same := direct.Organization(t, "business", 1000)
	for _, p := range app.Providers() {
		about := p.Definition()
		if _, isAnswer := about.Result.(earshot.Answer); !isAnswer || about.Site.Name == serp.Site || about.Site.URL == "" {
			continue
		}
		provider := about.Name
		const body = `{"prompt":"Which umbrella lasts?","country":"DE"}`
		got, want := n.Result(t, account, provider, body), direct.Result(t, same, provider, body)
		if got["surface"] != "web" || got["text"] != want["text"] || fmt.Sprint(got["location"]) != "map[country:DE]" {
			t.Errorf("%s: surface %v, location %v, text\n%v\nwant\n%v", provider, got["surface"], got["location"], got["text"], want["text"])
		}
		if sources, _ := got["sources"].([]any); len(sources) == 0 {
			t.Errorf("%s: no sources", provider)
		}
	}
	// Each of another one, since failures open its circuit.
	for provider, test := range map[string]struct {
		word   string
		reason earshot.Reason
	}{"chatassistant": {"block", earshot.ReasonBlocked}, "answerengine": {"cut", earshot.ReasonUnavailable}} {
		r := n.Post(t, account, "/v1/monitor/"+provider, fmt.Sprintf(`{"prompt":"x [[%s]]","country":"DE"}`, test.word))
		if want := fmt.Sprintf(`"reason":%q`, test.reason); r.StatusCode != http.StatusBadGateway || !strings.Contains(string(r.Body), want) {
			t.Errorf("%s: %s %s, want %s", test.word, r.Status, r.Body, want)
		}
	}
	for _, own := range []string{"update", "google", "gstatic"} {
		if germany.saw(own) {
			t.Errorf("the browser talked to its maker: %q", germany.seen)
		}
	}
}

// started finds Chromium's process id in a node's log.
var started = regexp.MustCompile(`msg="Chromium started" pid=(\d+)`)

func TestACrashOfTheBrowserLosesNoTask(t *testing.T) {
	t.Parallel()
	harness.NeedBrowser(t)
	n, _ := startWeb(t)
	account := n.Organization(t, "business", 1000)
	var ids []string
	for i := range 12 {
		ids = append(ids, n.Submit(t, account, fmt.Sprintf(`{"taskType":"ANSWERENGINE","payload":{"prompt":"umbrella %d [[drip=1ms]]","country":"DE"}}`, i)).ID)
	}
	killed := map[string]bool{}
	harness.Eventually(t, "three crashes", func() bool {
		all := started.FindAllStringSubmatch(n.Logs.String(), -1)
		if len(all) == 0 || killed[all[len(all)-1][1]] {
			return false
		}
		pid := all[len(all)-1][1]
		killed[pid] = true
		number, err := strconv.Atoi(pid)
		if err != nil {
			t.Fatal(err)
		}
		process, err := os.FindProcess(number)
		if err != nil {
			t.Fatal(err)
		}
		_ = process.Kill() // it may have gone by itself
		return len(killed) == 3
	})
	for _, id := range ids {
		if record := n.Wait(t, account, id); record.Task.Status != earshot.StatusCompleted {
			t.Errorf("%+v", record)
		}
	}
}
