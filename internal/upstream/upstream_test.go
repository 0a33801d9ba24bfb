package upstream_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.uber.org/goleak"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/upstream"
	"earshot/internal/upstream/browser"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// session returns a session with a site that the handler serves.
func session(t *testing.T, surface earshot.Surface, handler http.HandlerFunc) *upstream.Session {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	client, err := upstream.NewClient(upstream.Config{Surface: surface, Sites: map[string]string{"site": server.URL + "/base"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client.NewSession(3, "https://earshot.example/captures/abc")
}

func reason(t *testing.T, err error) earshot.Reason {
	t.Helper()
	var failure *upstream.Failure
	if !errors.As(err, &failure) {
		t.Fatalf("got %v, want a failure", err)
	}
	return failure.Reason
}

func TestARequestReachesItsSiteWithItsLocale(t *testing.T) {
	t.Parallel()
	up := session(t, earshot.SurfaceLab, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprint(w, r.Method, " ", r.URL, " ", string(body), " ", r.Header.Get("Accept-Language"), " ", r.Header.Get("X-Mine"),
			" ", r.Header.Get("Lab-Country"), r.Header.Get("Lab-State"), r.Header.Get("Lab-Attempt"))
	})
	resp, err := up.Fetch(t.Context(), &upstream.Request{
		Site: "site", Path: "/ask", Query: url.Values{"q": {"a b"}}, Header: http.Header{"X-Mine": {"yes"}},
		Body: []byte("hello"), Locale: geo.Locale{Country: "US", State: "CA"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := "POST /base/ask?q=a+b hello en-US,en;q=0.9 yes USCA3"; string(resp.Body) != want {
		t.Errorf("got  %s\nwant %s", resp.Body, want)
	}
}

func TestOnlyTheLabIsToldItsSecrets(t *testing.T) {
	t.Parallel()
	up := session(t, earshot.SurfaceWeb, func(w http.ResponseWriter, r *http.Request) {
		for name := range r.Header {
			if strings.HasPrefix(name, "Lab-") {
				w.WriteHeader(http.StatusTeapot)
			}
		}
	})
	if _, err := up.Fetch(t.Context(), &upstream.Request{Site: "site", Locale: geo.Locale{Country: "US"}}); err != nil {
		t.Error(err)
	}
}

func TestNoSiteIsToldOfTheTrace(t *testing.T) {
	t.Parallel()
	up := session(t, earshot.SurfaceWeb, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Traceparent") != "" || r.Header.Get("Tracestate") != "" || r.Header.Get("Baggage") != "" {
			w.WriteHeader(http.StatusTeapot)
		}
	})
	recorder := tracetest.NewSpanRecorder()
	ctx, attempt := sdk.NewTracerProvider(sdk.WithSpanProcessor(recorder)).Tracer("test").Start(t.Context(), "attempt")
	if _, err := up.Fetch(ctx, &upstream.Request{Site: "site", Query: url.Values{"q": {"the question"}}}); err != nil {
		t.Error(err)
	}
	ended := recorder.Ended()
	if len(ended) != 1 || ended[0].Name() != "fetch" || ended[0].Parent().SpanID() != attempt.SpanContext().SpanID() {
		t.Fatalf("the spans are %v", ended)
	}
	if about := fmt.Sprint(ended[0].Attributes()); strings.Contains(about, "question") || !strings.Contains(about, "200") {
		t.Errorf("the span of a fetch says %s", about)
	}
}

// TestUnreachableSiteRefusedTheRequest proves that a request whose connection was never made may
// be repeated, unlike one whose connection was lost.
func TestUnreachableSiteRefusedTheRequest(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close() // nobody listens there any more
	lost := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	t.Cleanup(lost.Close)
	for address, want := range map[string]bool{"http://" + listener.Addr().String(): true, lost.URL: false} {
		client, err := upstream.NewClient(upstream.Config{Name: "via:x", Via: "x", Surface: earshot.SurfaceVendor, Sites: map[string]string{"x": address}, API: &upstream.API{Name: "x"}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.NewSession(1, "").Fetch(t.Context(), &upstream.Request{Site: "x", Body: []byte("{}")})
		if failure, ok := errors.AsType[*upstream.Failure](err); !ok || failure.Refused != want {
			t.Errorf("the error is %v, want one that is refused: %t", err, want)
		}
	}
}

func TestStatusesBecomeReasons(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]earshot.Reason{
		302: earshot.ReasonUnavailable,
		403: earshot.ReasonBlocked,
		404: earshot.ReasonUnavailable,
		429: earshot.ReasonBlocked,
		500: earshot.ReasonUnavailable,
		503: earshot.ReasonUnavailable,
	} {
		up := session(t, earshot.SurfaceWeb, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(status)
		})
		if _, err := up.Fetch(t.Context(), &upstream.Request{Site: "site"}); reason(t, err) != want {
			t.Errorf("%d is %v, want %s", status, err, want)
		}
	}
}

func TestABodyThatIsTooLargeIsUnreadable(t *testing.T) {
	t.Parallel()
	endless := func(w io.Writer) {
		for chunk := make([]byte, 1<<20); ; {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}
	up := session(t, earshot.SurfaceWeb, func(w http.ResponseWriter, _ *http.Request) { endless(w) })
	if _, err := up.Fetch(t.Context(), &upstream.Request{Site: "site"}); reason(t, err) != earshot.ReasonUnreadable {
		t.Errorf("an endless body: %v", err)
	}
	bomb := session(t, earshot.SurfaceWeb, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		packed := gzip.NewWriter(w)
		_, _ = packed.Write(bytes.Repeat([]byte{0}, 17<<20))
		_ = packed.Close()
	})
	if _, err := bomb.Fetch(t.Context(), &upstream.Request{Site: "site"}); reason(t, err) != earshot.ReasonUnreadable {
		t.Errorf("a compressed bomb: %v", err)
	}
	over := session(t, earshot.SurfaceWeb, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(16<<20+1)) // so that the last read also returns io.EOF
		_, _ = w.Write(make([]byte, 16<<20+1))
	})
	if _, err := over.Fetch(t.Context(), &upstream.Request{Site: "site"}); reason(t, err) != earshot.ReasonUnreadable {
		t.Errorf("a byte too many: %v", err)
	}
}

func TestALargeStoredDocumentIsRead(t *testing.T) {
	t.Parallel()
	document := bytes.Repeat([]byte("x"), 2<<20)
	up := upstream.NewStored(earshot.SurfaceWeb, [][]byte{document}, nil).NewSession(1, "captures")
	resp, err := up.Fetch(t.Context(), &upstream.Request{Site: "site", Path: "/"})
	if err != nil || !bytes.Equal(resp.Body, document) {
		t.Fatalf("%v, %d bytes", err, len(resp.Body))
	}
}

func TestACutConnectionIsUnavailable(t *testing.T) {
	t.Parallel()
	up := session(t, earshot.SurfaceWeb, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		fmt.Fprint(w, "half")
	})
	if _, err := up.Fetch(t.Context(), &upstream.Request{Site: "site"}); reason(t, err) != earshot.ReasonUnavailable {
		t.Errorf("got %v", err)
	}
}

func TestADeadlineIsATimeoutAndACancelIsNot(t *testing.T) {
	t.Parallel()
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	up := session(t, earshot.SurfaceWeb, hang)
	expired, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := up.Fetch(expired, &upstream.Request{Site: "site"}); reason(t, err) != earshot.ReasonTimeout {
		t.Errorf("a deadline: %v", err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := up.Fetch(canceled, &upstream.Request{Site: "site"})
	if failure := (*upstream.Failure)(nil); errors.As(err, &failure) || !errors.Is(err, context.Canceled) {
		t.Errorf("a cancel: %v", err)
	}
}

func TestAFailureDoesNotShowTheQuestion(t *testing.T) {
	t.Parallel()
	client, err := upstream.NewClient(upstream.Config{
		Sites: map[string]string{"site": "http://site.test"},
		Dial:  func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("refused") },
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.NewSession(1, "").Fetch(t.Context(), &upstream.Request{Site: "site", Query: url.Values{"q": {"secret"}}})
	if reason(t, err) != earshot.ReasonUnavailable || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
}

func TestAnUnknownSiteIsUnavailable(t *testing.T) {
	t.Parallel()
	up := session(t, earshot.SurfaceWeb, func(http.ResponseWriter, *http.Request) {})
	if _, err := up.Fetch(t.Context(), &upstream.Request{Site: "elsewhere"}); reason(t, err) != earshot.ReasonUnavailable {
		t.Errorf("got %v", err)
	}
	if _, err := upstream.NewClient(upstream.Config{Sites: map[string]string{"x": "example.com/no-scheme"}}); err == nil {
		t.Error("a base that is no URL was accepted")
	}
}

func TestKeptPagesAreNumbered(t *testing.T) {
	t.Parallel()
	up := session(t, earshot.SurfaceWeb, func(http.ResponseWriter, *http.Request) {})
	for n, want := range []string{"page-1.html", "page-2.html"} {
		if got := up.Keep([]byte{byte(n)}); got != "https://earshot.example/captures/abc/"+want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if kept := up.Kept(); len(kept) != 2 || kept[1][0] != 1 {
		t.Errorf("kept %v", kept)
	}
}

// On a machine without a browser, a page is fetched with a plain request if Plain allows
// it. Other pages fail with the reason.
func TestWithoutABrowserPlainPagesAreFetched(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "plain") }))
	t.Cleanup(server.Close)
	client, err := upstream.NewClient(upstream.Config{
		Surface: earshot.SurfaceWeb, Sites: map[string]string{"site": server.URL}, Browser: upstream.NoBrowser{Err: errors.New("no Chromium")},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	request := &upstream.Request{Site: "site", Steps: []browser.Step{browser.TakePage("p")}, Plain: true}
	response, err := client.NewSession(1, "").Fetch(t.Context(), request)
	if err != nil || string(response.Body) != "plain" {
		t.Errorf("%+v, %v", response, err)
	}
	request.Plain = false
	if _, err := client.NewSession(1, "").Fetch(t.Context(), request); reason(t, err) != earshot.ReasonUnavailable || !strings.Contains(err.Error(), "no Chromium") {
		t.Errorf("a page that needs a browser: %v", err)
	}
}

// A browser that dies at its start is an upstream that fails: its circuit opens.
func TestABrowserThatDiesOpensTheCircuit(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "chromium")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho last words >&2\necho >>$0.starts\nkill -TRAP $$\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	pages := browser.New(browser.Config{Path: program, Proxy: func(string) (string, error) { return "127.0.0.1:9", nil }})
	t.Cleanup(pages.Close)
	client, err := upstream.NewClient(upstream.Config{Surface: earshot.SurfaceWeb, Sites: map[string]string{"site": "http://site.test"}, Browser: pages})
	if err != nil {
		t.Fatal(err)
	}
	r, opened := routes(client), 0
	for range 6 {
		err = r.Try(t.Context(), &upstream.Attempt{Provider: "chat"}, func(s *upstream.Session) error {
			opened++
			_, err := s.Fetch(t.Context(), &upstream.Request{Site: "site", Steps: []browser.Step{browser.TakePage("p")}})
			return err
		})
		if reason(t, err) != earshot.ReasonUnavailable || !strings.Contains(err.Error(), "last words") {
			t.Errorf("got %v", err)
		}
	}
	if failure, ok := errors.AsType[*upstream.Failure](err); !ok || !failure.Skipped || opened != 5 {
		t.Errorf("%d visits, then %v", opened, err)
	}
	if starts, _ := os.ReadFile(program + ".starts"); len(starts) != 2*opened {
		t.Errorf("%d visits started it %d times", opened, len(starts))
	}
}

func TestAParserThatPanicsFailsOnlyItsDocument(t *testing.T) {
	t.Parallel()
	err := named(t, "a", nil).NewSession(1, "").Read(t.Context(), func() error { panic("a bug") })
	if failure, ok := errors.AsType[*upstream.Failure](err); !ok || failure.Reason != earshot.ReasonUnreadable {
		t.Errorf("the error is %v", err)
	}
}
