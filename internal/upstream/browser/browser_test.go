package browser_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"earshot/internal/upstream/browser"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(closing{m}) }

// closing ends the shared browser after the tests.
type closing struct{ *testing.M }

func (c closing) Run() (status int) {
	defer func() { shared().Close() }()
	return c.M.Run()
}

// shared is the browser of tests that visit pages as usual. The place of a visit is the address of its
// proxy.
var shared = sync.OnceValue(func() *browser.Browser {
	path, _ := browser.Find() // chromium returns the error
	return browser.New(browser.Config{Path: path, Contexts: 8, Proxy: func(place string) (string, error) { return place, nil }})
})

// visitor visits pages.
type visitor interface {
	Visit(ctx context.Context, v browser.Visit) (*browser.Document, error)
}

// through visits pages in the shared browser, through the proxy with this address.
type through string

// Visit implements visitor.
func (t through) Visit(ctx context.Context, v browser.Visit) (*browser.Document, error) {
	v.Place = string(t)
	return shared().Visit(ctx, v)
}

// shared returns a visitor whose proxy always leads to the site.
func (s *site) shared(tb testing.TB) visitor {
	tb.Helper()
	chromium(tb)
	return through(s.address)
}

// chromium returns the path of the Chromium to test with.
func chromium(tb testing.TB) string {
	tb.Helper()
	path, err := browser.Find()
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		tb.Fatal(err)
	default:
		tb.Skip(err)
	}
	return path
}

// site is a web site that answers for every host name, and the only proxy that leads to
// it. The names do not exist in DNS, so a request that arrives here took the proxy.
type site struct {
	http.ServeMux
	address string        // of the proxy
	held    chan struct{} // gets a value for each visit that begin has started

	mu    sync.Mutex
	hosts []string // that were requested
}

func newSite(tb testing.TB) *site {
	tb.Helper()
	s := &site{held: make(chan struct{}, 10)}
	server := httptest.NewServer(&s.ServeMux)
	origin := server.Listener.Addr().String()
	transport := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, origin)
	}}
	forward := &httputil.ReverseProxy{
		Transport:     transport,
		Rewrite:       func(r *httputil.ProxyRequest) { r.Out.Host = r.In.Host },
		FlushInterval: -1,
		ErrorHandler:  func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.hosts = append(s.hosts, r.Host)
		s.mu.Unlock()
		switch {
		case strings.HasPrefix(r.Host, "refused."):
			w.WriteHeader(http.StatusForbidden)
		case r.Method == http.MethodConnect:
			tunnel(w, r, origin)
		default:
			forward.ServeHTTP(w, r)
		}
	}))
	s.address = proxy.Listener.Addr().String()
	s.page("/fine", "<p>fine</p>")
	s.page("/hold", `<script>fetch("/held").then(r => r.text())</script>`)
	s.HandleFunc("/held", func(_ http.ResponseWriter, r *http.Request) {
		s.held <- struct{}{}
		<-r.Context().Done()
	})
	tb.Cleanup(func() {
		proxy.CloseClientConnections()
		server.CloseClientConnections()
		proxy.Close()
		server.Close()
		transport.CloseIdleConnections()
	})
	return s
}

// tunnel joins a CONNECT request to the origin.
func tunnel(w http.ResponseWriter, r *http.Request, origin string) {
	back, err := (&net.Dialer{}).DialContext(r.Context(), "tcp", origin)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer back.Close()
	front, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer front.Close()
	io.WriteString(front, "HTTP/1.1 200 OK\r\n\r\n")
	var copies sync.WaitGroup
	copies.Go(func() {
		_, _ = io.Copy(back, front)
		back.Close()
	})
	_, _ = io.Copy(front, back)
	front.Close()
	copies.Wait()
}

func (s *site) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.hosts)
}

// page serves a page at a path.
func (s *site) page(path, html string) {
	s.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, html)
	})
}

// open returns a browser of its own whose proxy always leads to the site.
func (s *site) open(tb testing.TB, change ...func(*browser.Config)) *browser.Browser {
	tb.Helper()
	cfg := browser.Config{
		Path:  chromium(tb),
		Proxy: func(string) (string, error) { return s.address, nil },
		Log:   slog.New(slog.NewTextHandler(tb.Output(), &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, c := range change {
		c(&cfg)
	}
	b := browser.New(cfg)
	tb.Cleanup(b.Close)
	return b
}

// patience is the longest wait for something outside of this process.
const patience = time.Minute

// try does a visit that has to end soon.
func try(tb testing.TB, b visitor, v browser.Visit) (*browser.Document, error) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), patience)
	defer cancel()
	return b.Visit(ctx, v)
}

// visit does a visit and fails the test if it returns an error.
func visit(tb testing.TB, b visitor, v browser.Visit) *browser.Document {
	tb.Helper()
	doc, err := try(tb, b, v)
	if err != nil {
		tb.Fatalf("visit %s: %v", v.URL, err)
	}
	return doc
}

// fine fails the test unless the browser can open a page.
func fine(tb testing.TB, b *browser.Browser) {
	tb.Helper()
	within(tb, visit(tb, b, browser.Visit{URL: "http://page.test/fine"}), "fine")
}

// begin starts a visit that lasts until ctx ends, and returns when its page is open.
func (s *site) begin(ctx context.Context, tb testing.TB, b *browser.Browser) (ends <-chan error) {
	tb.Helper()
	results := make(chan error, 1)
	go func() {
		_, err := b.Visit(ctx, browser.Visit{URL: "http://page.test/hold", Steps: []browser.Step{browser.TakeStream("/held")}})
		results <- err
	}()
	select {
	case <-s.held:
	case err := <-results:
		tb.Fatalf("the visit ended: %v", err)
	case <-time.After(patience):
		tb.Fatal("the page was never opened")
	}
	return results
}

// receive waits for a value that something outside of this process causes.
func receive[T any](tb testing.TB, what string, values <-chan T) (value T) {
	tb.Helper()
	select {
	case value = <-values:
	case <-time.After(patience):
		tb.Fatalf("this never came: %s", what)
	}
	return value
}

// within fails the test if the document lacks a text.
func within(tb testing.TB, doc *browser.Document, texts ...string) {
	tb.Helper()
	for _, text := range texts {
		if !strings.Contains(string(doc.Body), text) {
			tb.Errorf("document lacks %q:\n%.2000s", text, doc.Body)
		}
	}
}
