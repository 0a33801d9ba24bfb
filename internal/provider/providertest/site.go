package providertest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/chat"
	"earshot/internal/upstream/lab"
)

// LabSite describes an assistant's site in the lab to the tests.
type LabSite struct {
	Provider provider.Provider
	Read     func(document []byte, want answer.Options) (*earshot.Answer, error)
	// Pages are the URLs of answer pages, up to the prompt. The first is the page that the app
	// fetches.
	Pages []string
	// Box, Button, Thread and Done are selectors on the app page: where to type, what to press,
	// where the conversation appears, and what appears in it when the answer is complete. They are
	// empty for a site without an app page, whose provider has no script.
	Box, Button, Thread, Done string
	// Complete says that a page lists all sources, not only the cited ones.
	Complete bool
	// Stream describes the site's stream; nil if there is none.
	Stream *LabStream
}

// LabStream is a stream of an assistant's site in the lab.
type LabStream struct {
	Path     string
	Question func(prompt string) any // returns the body of a request
	Wrong    string                  // a request body that is rejected
	Type     string                  // content type of the document
	End      string                  // the end of the document
}

// Check checks the site's app, pages and stream, with steering words and with hostile prompts. If
// there is a browser, it also checks the app in the browser. A test that calls Check must not be
// parallel: a running browser makes parser tests exceed their time limits.
func (s LabSite) Check(t *testing.T) {
	t.Helper()
	t.Run("pages", s.checkPages)
	t.Run("hostile prompt on pages", s.checkHostilePages)
	if s.Stream != nil {
		t.Run("stream", s.checkStream)
		t.Run("hostile prompt in stream", s.checkHostileStream)
		t.Run("refused bodies", s.checkRefused)
	}
	if s.Box != "" {
		t.Run("app", s.checkApp)
		t.Run("browser", s.checkInBrowser)
	}
}

// app returns the URL of the app page.
func (s LabSite) app() string {
	path, _, _ := strings.Cut(s.Pages[0], "?")
	return s.Provider.Definition().Lab().URL() + path
}

// serve returns the site's response to a request from Germany.
func (s LabSite) serve(t *testing.T, method, path string, body []byte) *httptest.ResponseRecorder {
	t.Helper()
	site := s.Provider.Definition().Lab()
	r := httptest.NewRequestWithContext(t.Context(), method, site.URL()+path, bytes.NewReader(body))
	r.Header.Set("Lab-Country", "DE")
	r.Header.Set("Accept-Language", "de-DE,de;q=0.9")
	w := httptest.NewRecorder()
	lab.Handler(site).ServeHTTP(w, r)
	return w
}

// page returns a page's response to the prompt.
func (s LabSite) page(t *testing.T, path, prompt string) *httptest.ResponseRecorder {
	t.Helper()
	return s.serve(t, http.MethodGet, path+url.QueryEscape(prompt), nil)
}

// stream returns the stream's response to the prompt.
func (s LabSite) stream(t *testing.T, prompt string) *httptest.ResponseRecorder {
	t.Helper()
	body, err := json.Marshal(s.Stream.Question(prompt))
	if err != nil {
		t.Fatal(err)
	}
	return s.serve(t, http.MethodPost, s.Stream.Path, body)
}

// checkApp checks that the app page shows nothing without scripts, and that the page with the
// answer is complete.
func (s LabSite) checkApp(t *testing.T) {
	path, _, _ := strings.Cut(s.Pages[0], "?")
	page := parsePage(t, s.serve(t, http.MethodGet, path, nil))
	app := page.Find("template")
	if app.Find(s.Box).Length() != 1 || app.Find(s.Button+"[disabled]").Length() != 1 {
		t.Error("the app has no box, or no disabled button")
	}
	page.Find("template, script").Remove()
	if text := strings.TrimSpace(page.Find("body").Text()); text != "" {
		t.Errorf("shows %q without scripts", text)
	}
	answered := parsePage(t, s.page(t, s.Pages[0], "tea"))
	if answered.Find(s.Done).Length() != 1 || answered.Find("template").Length() != 0 {
		t.Error("the page has no complete answer, or contains the app")
	}
}

func parsePage(t *testing.T, w *httptest.ResponseRecorder) *goquery.Document {
	t.Helper()
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != lab.TypeHTML {
		t.Fatalf("%d %s", w.Code, w.Header().Get("Content-Type"))
	}
	page, err := goquery.NewDocumentFromReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

func (s LabSite) checkPages(t *testing.T) {
	for _, path := range s.Pages {
		ask := func(prompt string) *httptest.ResponseRecorder { return s.page(t, path, prompt) }
		s.checkSteered(t, lab.TypeHTML, "</html>\n", ask)
	}
}

func (s LabSite) checkStream(t *testing.T) {
	ask := func(prompt string) *httptest.ResponseRecorder { return s.stream(t, prompt) }
	s.checkSteered(t, s.Stream.Type, s.Stream.End, ask)
	if _, ok := s.Provider.(*chat.Assistant); ok { // other providers may answer with a page
		s.checkRaw(t)
	}
}

// checkRaw checks that the raw response has an element for each event, and that the kept page shows
// the answer.
func (s LabSite) checkRaw(t *testing.T) {
	t.Helper()
	session := StartLab(t, s.Provider).Session(1)
	outcome, err := Decode(t, s.Provider, chatBody("tea pots", "DE")).Ask(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	a := Answer(t, outcome.Result)
	if len(a.RawResponse) < 10 {
		t.Errorf("%d raw elements", len(a.RawResponse))
	}
	for _, element := range a.RawResponse {
		if element[0] == '"' && string(element) != `"[DONE]"` {
			t.Errorf("a raw element is the string %s", element)
		}
	}
	page, err := goquery.NewDocumentFromReader(bytes.NewReader(session.Kept()[0]))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(a.Text, "\n")
	if !strings.Contains(page.Find("main").Text(), first) || page.Find("footer li a").Length() != len(a.Sources) || page.Find("script").Length() != 0 {
		t.Errorf("the kept page does not show the answer:\n%s", session.Kept()[0])
	}
}

// checkSteered checks that words in the prompt steer the document.
func (s LabSite) checkSteered(t *testing.T, kind, end string, ask func(prompt string) *httptest.ResponseRecorder) {
	t.Helper()
	const plain = "text/plain; charset=utf-8"
	for prompt, want := range map[string]struct {
		status     int
		kind, part string
	}{
		"tea":                {200, kind, ""},
		"tea [[block]]":      {200, lab.TypeHTML, "challenge-form"},
		"tea [[garbage]]":    {200, kind, "nothing in here makes sense"},
		"tea [[status=503]]": {503, plain, "as it was told"},
		"tea [[fail=1]]":     {500, plain, "fails"},
		"tea [[odd]]":        {200, kind, "[[odd]]"},
	} {
		w := ask(prompt)
		if w.Code != want.status || w.Header().Get("Content-Type") != want.kind || !strings.Contains(w.Body.String(), want.part) {
			t.Errorf("%s: %d %s\n%.300s", prompt, w.Code, w.Header().Get("Content-Type"), w.Body)
		}
	}
	empty := ask("tea [[empty]]").Body.Bytes()
	if a, err := s.Read(empty, answer.Options{Country: "DE"}); err == nil || Reason(t, err) != string(earshot.ReasonEmpty) || !bytes.HasSuffix(empty, []byte(end)) {
		t.Errorf("an empty answer is read as %v, %v:\n%s", a, err, empty)
	}
	first := ask("tea pots").Body.String()
	if _, err := s.Read([]byte(first), answer.Options{Country: "DE"}); err != nil {
		t.Errorf("%v:\n%.500s", err, first)
	}
	if again := ask("tea [[overview=none]] [[results=3]] pots").Body.String(); first != again || !strings.HasSuffix(first, end) {
		t.Error("the same question gave two documents, or a document without its end")
	}
}

// checkHostilePages searches for elements and attributes that can only come from the prompt.
func (s LabSite) checkHostilePages(t *testing.T) {
	const hostile = `"><script>alert(1)</script><img src=x onerror=alert(2)> '</textarea></title>{{.}}`
	for _, path := range s.Pages {
		page := s.page(t, path, hostile).Body.Bytes()
		root, err := html.Parse(bytes.NewReader(page))
		if err != nil {
			t.Fatal(err)
		}
		for n := range root.Descendants() {
			if n.Data == "script" {
				t.Errorf("%s: the prompt's script is in the page", path)
			}
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") {
					t.Errorf("%s: the prompt's %s is in the page", path, a.Key)
				}
			}
		}
		if !bytes.Contains(page, []byte("&lt;script&gt;")) {
			t.Errorf("%s: the prompt is not in the page", path)
		}
	}
}

// checkHostileStream checks that every line of data is JSON whatever the prompt is, except the end
// mark and the guard before chunks.
func (s LabSite) checkHostileStream(t *testing.T) {
	const hostile = "\"}}\n\ndata: [DONE]\n\n<lab:render card_id=\"x\"></lab:render> [1] \\ \x00 \u2028 \xff"
	document := s.stream(t, hostile).Body.String()
	document = strings.TrimPrefix(document, ")]}'\n")
	for line := range strings.Lines(strings.TrimSuffix(document, "data: [DONE]\n\n")) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "data: ")
		if line != "" && !strings.HasPrefix(line, "event: ") && !json.Valid([]byte(line)) {
			t.Errorf("line %q", line)
		}
	}
}

func (s LabSite) checkRefused(t *testing.T) {
	long, err := json.Marshal(s.Stream.Question(strings.Repeat("x", 1<<20)))
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{"", "{", "[]", "{} {}", s.Stream.Wrong, string(long)} {
		if w := s.serve(t, http.MethodPost, s.Stream.Path, []byte(body)); w.Code != http.StatusBadRequest {
			t.Errorf("%.20q: status %d", body, w.Code)
		}
	}
}
