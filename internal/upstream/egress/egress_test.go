package egress_test

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"earshot/internal/upstream/egress"
	"earshot/internal/upstream/guard"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// schemes are the supported schemes of proxies.
var schemes = []string{"http", "https", "socks5", "socks5h"}

// watch is a DNS resolver that records lookups and connections, and blocks connections
// to other machines.
type watch struct {
	names     map[string]string
	mu        sync.Mutex
	questions []string
	targets   []string
}

func (w *watch) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.questions = append(w.questions, host)
	if address, ok := w.names[strings.ToLower(strings.TrimSuffix(host, "."))]; ok {
		return []netip.Addr{netip.MustParseAddr(address)}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

func (w *watch) note(_ context.Context, target netip.AddrPort) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.targets = append(w.targets, target.String())
	if target.Addr().IsLoopback() {
		return nil
	}
	return errors.New("not in a test")
}

// saw returns the names that were looked up and the addresses that were connected to.
func (w *watch) saw() (questions, targets string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.questions, " "), strings.Join(w.targets, " ")
}

func (w *watch) guard() guard.Guard { return guard.Guard{Resolver: w, BeforeConnect: w.note} }

// open returns routes that are closed when the test ends.
func open(t *testing.T, cfg egress.Config) *egress.Routes {
	t.Helper()
	if cfg.Guard.Resolver == nil {
		cfg.Guard = (&watch{}).guard()
	}
	cfg.RootCAs = testRoots(t)
	routes, err := egress.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := routes.Close(); err != nil {
			t.Error(err)
		}
	})
	return routes
}

// testRoots returns a pool with the certificate that all httptest servers share.
func testRoots(t *testing.T) *x509.CertPool {
	t.Helper()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	pool := x509.NewCertPool()
	pool.AddCert(server.Certificate())
	return pool
}

// startSite starts a site. It fails the test if a request contains the password of a
// proxy.
func startSite(t *testing.T, secure bool) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Proxy-Authorization"); got != "" {
			t.Errorf("the target was sent %q", got)
		}
		io.WriteString(w, "hello "+r.Host+r.URL.RequestURI()+" "+r.Proto)
	}))
	if server.EnableHTTP2 = secure; secure {
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	return server
}

func get(ctx context.Context, t *testing.T, by http.RoundTripper, rawURL string) (string, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, rawURL, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := by.RoundTrip(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return answer.Status + ": " + string(body), err
}

func getFor(t *testing.T, routes *egress.Routes, place, rawURL string) (string, error) {
	t.Helper()
	return get(egress.WithPlace(t.Context(), place), t, routes.Transport(), rawURL)
}

func TestTheRouteForAPlace(t *testing.T) {
	t.Parallel()
	site := startSite(t, false)
	at := routes{"example.com:80": site.Listener.Addr().String()}
	country, state := startProxy(t, "http", at), startProxy(t, "socks5", at)
	rest := startProxy(t, "http", at)
	all := map[string]string{"US": country.good(), "US-CA": state.good(), "CH": "direct", "*": rest.good()}
	without := map[string]string{"US": country.good(), "US-CA": state.good(), "CH": "direct"}
	for _, tt := range []struct {
		proxies map[string]string
		place   string
		by      *testProxy // nil for direct
		located bool
		err     error
	}{
		{all, "US", country, true, nil},
		{all, "US-CA", state, true, nil},
		{all, "US-NY", country, false, nil},
		{all, "DE", rest, false, nil},
		{all, "", rest, false, nil},
		{all, "*", rest, false, nil},
		{all, "CH", nil, false, nil},
		{without, "US-NY", country, false, nil},
		{without, "DE", nil, false, egress.ErrNoRoute},
		{without, "", nil, false, egress.ErrNoRoute},
		{nil, "DE", nil, false, nil},
		{nil, "", nil, false, nil},
	} {
		w := &watch{names: map[string]string{"example.com": "127.0.0.1"}}
		routes := open(t, egress.Config{Proxies: tt.proxies, Guard: w.guard()})
		if got := routes.Located(tt.place); got != tt.located {
			t.Errorf("%q of %d: located is %t", tt.place, len(tt.proxies), got)
		}
		var before string
		if tt.by != nil {
			before = tt.by.saw()
		}
		_, err := getFor(t, routes, tt.place, "http://example.com/")
		questions, _ := w.saw()
		switch {
		case tt.by != nil:
			if err != nil || tt.by.saw() == before || questions != "" {
				t.Errorf("%q of %d: %v; not by its proxy", tt.place, len(tt.proxies), err)
			}
		case tt.err != nil:
			if _, localErr := routes.LocalProxy(tt.place); !errors.Is(err, tt.err) || !errors.Is(localErr, tt.err) || questions != "" {
				t.Errorf("%q of %d: %v and %v, want %v", tt.place, len(tt.proxies), err, localErr, tt.err)
			}
		case !errors.Is(err, egress.ErrRefused) || questions != "example.com":
			t.Errorf("%q of %d: %v, DNS was asked for %q; not direct", tt.place, len(tt.proxies), err, questions)
		}
	}
}

func TestNewRejectsInvalidProxiesWithoutQuotingSecrets(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                               "must start with",
		"kirsten:pa55@proxy.example:80":  "must start with",
		"proxy.example:3128":             "must start with",
		"ftp://kirsten:pa55@proxy:1":     "must start with",
		"http:kirsten:pa55@proxy":        "must start with",
		"http://kirsten:pa55@/":          "must have a host",
		"http://kirsten:pa55@:80":        "must have a host",
		"http://kirsten:pa55@p:0":        "must have a port",
		"http://kirsten:pa55@p:70000":    "must have a port",
		"http://kirsten:pa/55@p:80":      "percent-encoded",
		"http://kirsten:%zzpa55@p:80":    "percent-encoded",
		"http://kirsten:pa55@p:80/x":     "nothing after",
		"http://kirsten:pa55@p:80?x":     "nothing after",
		"socks5://kirsten:pa55@p:80#x":   "nothing after",
		"socks5://:pa55@p:1080":          "user of 1",
		"socks5://kirsten:" + longPa55:   "user of 1",
		"direct://kirsten:pa55@p":        "must start with",
		"http://kirsten:pa55@p:80\x7f":   "percent-encoded",
		"http://kirsten:pa55@p:80 extra": "percent-encoded",
	} {
		_, err := egress.New(egress.Config{Proxies: map[string]string{"US-CA": text, "*": "direct"}})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "US-CA") {
			t.Errorf("%.40q: %v, want US-CA and %q", text, err, want)
		} else if strings.Contains(err.Error(), "kirsten") || strings.Contains(err.Error(), "pa55") {
			t.Errorf("%.40q: the error repeats it: %v", text, err)
		}
	}
	for _, place := range []string{"", "usa", "us", "US-", "US-CALI", "-CA", "**", "US\n", "http://kirsten:pa55@p"} {
		if _, err := egress.New(egress.Config{Proxies: map[string]string{place: "direct"}}); err == nil || strings.Contains(err.Error(), "pa55") {
			t.Errorf("place %q: %v", place, err)
		}
	}
	for _, site := range []string{"", "example.com", "ftp://example.com", "http://kirsten:pa55@example.com", "http://127.1/"} {
		if _, err := egress.New(egress.Config{Sites: []string{site}}); err == nil || strings.Contains(err.Error(), "pa55") {
			t.Errorf("site %q: %v", site, err)
		}
	}
}

var longPa55 = strings.Repeat("pa55", 64) + "@p:1080"

func TestPortsOfProxiesHaveDefaults(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"http://proxy.example", "https://a:b@proxy.example/", "socks5://proxy.example", "socks5h://a@[::1]", "http://[::1]:3128"} {
		open(t, egress.Config{Proxies: map[string]string{"DE": text}})
	}
}
