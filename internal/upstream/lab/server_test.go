package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"earshot/internal/upstream/lab/world"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testHost = "test.lab.test"

// testSite is a site that answers with a page and with a stream.
func testSite() Site {
	return Site{Host: testHost, Routes: map[string]http.Handler{
		"GET /{$}":    App("<main></main>\n", Page(testHost, testPage)),
		"GET /other":  Page("other.lab.test", testPage),
		"POST /{$}":   Stream(testHost, TypeEvents, "prompt", testStream),
		"GET /broken": Page(testHost, func(string, *world.Answer) ([]byte, error) { return nil, errors.New("broken page") }),
	}}
}

func testPage(prompt string, answer *world.Answer) ([]byte, error) {
	return fmt.Appendf(nil, "<html>%s, %s</html>", prompt, JSON(answer)), nil
}

func testStream(prompt string, answer *world.Answer) [][]byte {
	var events [][]byte
	for _, text := range append([]string{prompt}, answer.Related...) {
		events = append(events, fmt.Appendf(nil, "data: %s\n\n", JSON(Object{"text": text})))
	}
	return events
}

// request returns a request for the page, or for the stream.
func request(ctx context.Context, prompt string, stream bool) *http.Request {
	if stream {
		body := bytes.NewReader(JSON(Object{"prompt": prompt}))
		return httptest.NewRequestWithContext(ctx, http.MethodPost, "http://"+testHost+"/", body)
	}
	return httptest.NewRequestWithContext(ctx, http.MethodGet, "http://"+testHost+"/?q="+url.QueryEscape(prompt), nil)
}

func serve(ctx context.Context, prompt string, stream bool) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	Handler(testSite()).ServeHTTP(w, request(ctx, prompt, stream))
	return w
}

func TestServerOverTheWire(t *testing.T) {
	t.Parallel()
	server, err := Listen(t.Context(), testSite())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx) }()

	client := &http.Client{Transport: &http.Transport{DialContext: server.Dial}}
	defer client.CloseIdleConnections()
	get := func(address string) (*http.Response, error) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		return client.Do(r)
	}
	resp, err := get(testSite().URL() + "/?q=x")
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(resp.Body)
	if err != nil || resp.Body.Close() != nil || !strings.Contains(string(page), "</html>") {
		t.Errorf("no page: %v", err)
	}
	for _, address := range []string{"http://other.example/", "http://evil-lab.test/", "http://127.0.0.1:1/"} {
		if resp, err := get(address); err == nil {
			_ = resp.Body.Close()
			t.Errorf("the lab answers as %s", address)
		}
	}
	if resp, err := get("http://nobody.lab.test/"); err != nil || resp.StatusCode != http.StatusNotFound || resp.Body.Close() != nil {
		t.Errorf("unknown site: %v", err)
	}

	// Stopping does not wait for a request that hangs.
	hung := make(chan error, 1)
	go func() {
		resp, err := get(testSite().URL() + "/?q=[[drip=1h]]")
		if err == nil {
			stop() // the answer has started
			_, err = io.ReadAll(resp.Body)
			_ = resp.Body.Close()
		}
		hung <- err
	}()
	if err := <-hung; err == nil {
		t.Error("a dropped request succeeded")
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestAnswersAsSteered(t *testing.T) {
	t.Parallel()
	const plain = "text/plain; charset=utf-8"
	for _, stream := range []bool{false, true} {
		kind := map[bool]string{false: TypeHTML, true: TypeEvents}[stream]
		for prompt, want := range map[string]struct {
			status     int
			kind, part string
		}{
			"tea":                {200, kind, "better than"},
			"tea [[block]]":      {200, TypeHTML, "challenge-form"},
			"tea [[garbage]]":    {200, kind, "nothing in here makes sense"},
			"tea [[status=503]]": {503, plain, "as it was told"},
			"tea [[fail=1]]":     {500, plain, "fails"},
			"tea [[odd]]":        {200, kind, "[[odd]]"},
		} {
			w := serve(t.Context(), prompt, stream)
			if w.Code != want.status || w.Header().Get("Content-Type") != want.kind || !strings.Contains(w.Body.String(), want.part) {
				t.Errorf("%s, stream %t: %d %s\n%.300s", prompt, stream, w.Code, w.Header().Get("Content-Type"), w.Body)
			}
		}
		if text := serve(t.Context(), "tea [[empty]]", stream).Body.String(); strings.Contains(text, ".example") {
			t.Errorf("stream %t: empty answer has something in it:\n%s", stream, text)
		}
	}
}

// Different assistants give different answers.
func TestAssistantsDiffer(t *testing.T) {
	t.Parallel()
	pages := map[string]bool{}
	for _, path := range []string{"/", "/other"} {
		w := httptest.NewRecorder()
		Handler(testSite()).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://www."+testHost+path+"?q=tea", nil))
		pages[w.Body.String()] = true
	}
	if len(pages) != 2 {
		t.Error("both say the same")
	}
}

func TestWordsAreDroppedBeforeComposing(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{false, true} {
		plain := serve(t.Context(), "tea pots", stream).Body.String()
		steered := serve(t.Context(), "tea [[overview=none]] pots [[results=3]]", stream).Body.String()
		if plain != steered {
			t.Errorf("stream %t: the words change the answer", stream)
		}
	}
}

func TestBadRequest(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "{", "[]", "{} {}", `{"prompt":1}`, `{"prompt":"` + strings.Repeat("x", maxQuestion) + `"}`} {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+testHost+"/", strings.NewReader(body))
		Handler(testSite()).ServeHTTP(w, r)
		if w.Code != http.StatusBadRequest {
			t.Errorf("%.20q: status %d", body, w.Code)
		}
	}
	w := httptest.NewRecorder()
	Handler(testSite()).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+testHost+"/broken?q=x", nil))
	if w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), "broken page") {
		t.Errorf("a page that cannot be written: %d %s", w.Code, w.Body)
	}
}

func TestDelayAndDripTakeTheirTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		serve(t.Context(), "tea [[delay=2s]]", false)
		if spent := time.Since(start); spent != 2*time.Second {
			t.Errorf("delay took %s", spent)
		}
		start = time.Now()
		w := serve(t.Context(), "tea [[drip=1s]]", true)
		events := strings.Count(w.Body.String(), "\n\n")
		if spent := time.Since(start); spent != time.Duration(events-1)*time.Second {
			t.Errorf("%d events took %s", events, spent)
		}
	})
}

func TestWaitingEndsWithTheClient(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{"[[delay=5m]]", "[[hang]]", "tea [[drip=5m]]"} {
		synctest.Test(t, func(t *testing.T) {
			ctx, leave := context.WithTimeout(t.Context(), 3*time.Second)
			defer leave()
			start := time.Now()
			serve(ctx, prompt, false)
			if spent := time.Since(start); spent != 3*time.Second {
				t.Errorf("%s: left after %s", prompt, spent)
			}
		})
	}
}

func TestCutDropsTheConnection(t *testing.T) {
	t.Parallel()
	defer func() {
		if err, _ := recover().(error); !errors.Is(err, http.ErrAbortHandler) {
			t.Errorf("ended with %v", err)
		}
	}()
	serve(t.Context(), "tea [[cut]]", false)
}

// counter counts the written bytes and fails after a limit, like the connection of a
// client that has left.
type counter struct {
	httptest.ResponseRecorder
	written, limit int
}

func (c *counter) Write(p []byte) (int, error) {
	c.written += len(p)
	if c.written > c.limit {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

func TestHugeEnds(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{1 << 20, 1 << 30} {
		w := &counter{limit: limit}
		Handler(testSite()).ServeHTTP(w, request(t.Context(), "tea [[huge]]", false))
		if w.written < min(limit, maxHuge) || w.written > min(limit, maxHuge)+1<<20 {
			t.Errorf("limit %d: %d bytes written", limit, w.written)
		}
	}
}

func TestSpinIsForAppsOnly(t *testing.T) {
	t.Parallel()
	plain, spun := serve(t.Context(), "tea", true), serve(t.Context(), "tea [[spin]]", true)
	if plain.Header().Get("Lab-Spin") != "" || spun.Header().Get("Lab-Spin") == "" {
		t.Error("the header Lab-Spin is set without the word, or missing with it")
	}
	if plain.Body.String() != spun.Body.String() {
		t.Error("the word changes the answer")
	}
}

func TestLocate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		country, language string
		want              world.Question
	}{
		{"", "", world.Question{Country: "US"}},
		{"", "de-DE,de;q=0.9,en-GB;q=0.8", world.Question{Country: "DE", Language: "de"}},
		{"", "fr-ch;q=0.9", world.Question{Country: "CH", Language: "fr"}},
		{"", "zh-Hant-TW", world.Question{Country: "TW", Language: "zh"}},
		{"", "DE", world.Question{Country: "US", Language: "de"}},
		{"", "es-419, es-MX", world.Question{Country: "US", Language: "es"}},
		{"", "*", world.Question{Country: "US", Language: "*"}},
		{"JP", "en-GB", world.Question{Country: "JP", Language: "en"}},
		{"nowhere", "en-GB", world.Question{Country: "GB", Language: "en"}},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+testHost, nil)
		r.Header.Set("Lab-Country", test.country)
		r.Header.Set("Accept-Language", test.language)
		if got := Locate(r); got != test.want {
			t.Errorf("country %q, language %q: %+v, want %+v", test.country, test.language, got, test.want)
		}
	}
}
