package serp_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/serp"
	"earshot/internal/provider/serp/labsite"
	"earshot/internal/schema"
	"earshot/internal/upstream"
	"earshot/internal/upstream/browser"
)

var (
	engine     = serp.Engine{Host: "search.lab.test"}
	definition = provider.Definition{Name: "websearch", Countries: []provider.Countries{{Except: "CN"}}}
)

func parse(t *testing.T, body string) *schema.Object {
	t.Helper()
	in, err := schema.Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// fields returns the names of the fields in a validation error.
func fields(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	var e *earshot.Error
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	problems, ok := e.Details.([]earshot.FieldProblem)
	if !ok {
		t.Fatalf("details are %#v", e.Details)
	}
	var names []string
	for _, p := range problems {
		names = append(names, p.Field)
	}
	return strings.Join(names, " ")
}

func TestCheckCountry(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ body, wrong, country string }{
		{`{"country":"US"}`, "", "US"},
		{`{"gl":"us"}`, "", "US"},
		{`{"country":"DE","gl":"de"}`, "", "DE"},
		{`{"country":"DE","gl":"at"}`, "gl", ""},
		{`{"hl":"en"}`, "country", ""},
		{`{"country":"us"}`, "country", ""},
		{`{"country":"ZZ"}`, "country", ""},
		{`{"country":"CN"}`, "country", ""},
		{`{"gl":"cn"}`, "gl", ""},
		{`{"gl":1}`, "gl", ""},
		{`{"gl":"usa"}`, "gl", ""},
		{`{"country":"US","hl":"pt-BR"}`, "", "US"},
		{`{"country":"US","hl":"x"}`, "", "US"},
		{`{"country":"US","hl":"en_US"}`, "", "US"},
		{`{"country":"US","hl":"` + strings.Repeat("語", 64) + `"}`, "", "US"},
		{`{"country":"US","hl":"` + strings.Repeat("x", 65) + `"}`, "hl", ""},
		{`{"country":"US","hl":"en US"}`, "", "US"},
		{`{"country":"US","hl":"日本語"}`, "", "US"},
		{`{"country":"US","hl":""}`, "hl", ""},
		{`{"country":"US","hl":"en\n"}`, "hl", ""},
		{`{"country":"US","location":"Austin,Texas,United States"}`, "", "US"},
		{`{"country":"JP","location":"東京"}`, "", "JP"},
		{`{"country":"US","location":",,"}`, "location", ""},
		{`{"country":"US","location":"78701, 1"}`, "location", ""},
		{`{"country":"US","location":"Austin","uule":"w+CAIQ"}`, "uule", ""},
		{`{"country":"US","uule":"a b"}`, "uule", ""},
		{`{"country":"US","device":"ios"}`, "", "US"},
		{`{"country":"US","device":"Desktop"}`, "device", ""},
	} {
		in := parse(t, strings.Replace(test.body, "{", `{"query":"x",`, 1))
		var body earshot.WebSearchRequest
		in.Decode(&body)
		country := serp.CheckCountry(in, definition, body.Country, body.GL, serp.CountryRequired)
		if got := fields(t, in.Err()); got != test.wrong {
			t.Errorf("%s: rejected fields are %q, want %q", test.body, got, test.wrong)
		}
		if test.wrong == "" && country != test.country {
			t.Errorf("%s: country is %q", test.body, country)
		}
	}
}

func TestReadURL(t *testing.T) {
	t.Parallel()
	in := parse(t, `{"url":"https://www.search.co.uk/search?q=+red+shoes+&gl=gb&hl=EN-gb&num=25&start=20&tbs=qdr:d&safe=active&uule=w+CAIQ&evil=1"}`)
	var body earshot.WebSearchRequest
	in.Decode(&body)
	query := engine.ReadURL(in, definition, body)
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	want := serp.Query{
		Text: "red shoes", Pages: 3, First: 20, Extra: map[string]string{"tbs": "qdr:d", "safe": "active"},
		Target: serp.Target{Locale: geo.Locale{Country: "GB", Language: "en-gb"}, Place: "w+CAIQ"},
	}
	if diff := cmp.Diff(want, query); diff != "" {
		t.Error(diff)
	}
	page := query.Page(2)
	wantQuery := url.Values{
		"q": {"red shoes"}, "gl": {"gb"}, "hl": {"en-gb"}, "start": {"30"}, "tbs": {"qdr:d"}, "safe": {"active"}, "uule": {"w+CAIQ"},
	}
	if diff := cmp.Diff(wantQuery, page.Query); diff != "" || page.Path != "/search" || page.Site != serp.Site {
		t.Errorf("page 2 is %+v\n%s", page, diff)
	}
}

func TestTheRequestOverridesTheURL(t *testing.T) {
	t.Parallel()
	in := parse(t, `{"url":"http://search.lab.test/search?q=x&gl=us&hl=en&num=junk&start=-5","gl":"de","hl":"fr","device":"mobile"}`)
	var body earshot.WebSearchRequest
	in.Decode(&body)
	query := engine.ReadURL(in, definition, body)
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	if query.Locale != (geo.Locale{Country: "DE", Language: "fr"}) || query.Device != earshot.Mobile || query.Pages != 1 || query.First != 0 {
		t.Errorf("got %+v", query)
	}
}

func TestReadURLRefuses(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"", "search.lab.test/search?q=x&gl=us", "/search?q=x&gl=us", "ftp://search.lab.test/search?q=x&gl=us",
		"https://news.search.lab.test/search?q=x&gl=us", "https://images.search.com/search?q=x&gl=us",
		"https://evilsearch.lab.test/search?q=x&gl=us", "https://search.lab.test.evil.example/search?q=x&gl=us",
		"https://search.museum/search?q=x&gl=us", "https://search/search?q=x&gl=us",
		"https://search.lab.test@127.0.0.1/search?q=x&gl=us", "https://search.lab.test:8080/search?q=x&gl=us",
		"https://search.lab.test:80/search?q=x&gl=us", "http://search.lab.test:443/search?q=x&gl=us", "https://search.lab.test/search?q=%ff&gl=us",
		"https://search.lab.test/search/?q=x&gl=us", "https://search.lab.test/%73earch?q=x&gl=us", "https://search.lab.test/url?q=x&gl=us",
		"https://search.lab.test/search?gl=us", "https://search.lab.test/search?q=++&gl=us", "https://search.lab.test/search?q=%00&gl=us",
		"https://search.lab.test/search?q=x&gl=us&tbm=", "https://search.lab.test/search?q=x&gl=us&tbm=nws",
		"https://search.lab.test/search?q=x", "https://search.lab.test/search?q=x&gl=zz", "https://search.lab.test/search?q=x&gl=cn",
		"https://search.lab.test/search?q=x&gl=us&hl=%0a", "https://search.lab.test/search?q=x&gl=us&hl=%ff", "https://search.lab.test/search?q=x&gl=us&uule=%20",
		"https://search.lab.test/search?q=%zz&gl=us", "https://search.lab.test/search?q=x&gl=us\\n", "https://search.lab.test/search?q=" + strings.Repeat("x", 2048) + "&gl=us",
	} {
		in := parse(t, `{"url":"`+strings.ReplaceAll(address, `\`, `\\`)+`"}`)
		var body earshot.WebSearchRequest
		in.Decode(&body)
		engine.ReadURL(in, definition, body)
		if got := fields(t, in.Err()); got != "url" {
			t.Errorf("%.100s: rejected fields are %q, want url", address, got)
		}
	}
}

func TestReadURLRejectsTheRightField(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"url":"https://search.lab.test/search?q=x&gl=us","country":"us"}`:                             "country",
		`{"url":"https://search.lab.test/search?q=x","country":"us"}`:                                   "country",
		`{"url":"https://search.lab.test/search?q=x&gl=us","gl":"zz"}`:                                  "gl",
		`{"url":"https://search.lab.test/search?q=x&gl=us","country":"DE","gl":"at"}`:                   "gl",
		`{"url":"https://search.lab.test/search?q=x&gl=us","hl":"` + strings.Repeat("x", 65) + `"}`:     "hl",
		`{"url":"https://search.lab.test/search?q=&gl=us","country":"us"}`:                              "url country",
		`{"url":"https://search.lab.test/search?q=x&gl=zz&hl=` + strings.Repeat("x", 65) + `"}`:         "url",
		`{"url":"https://search.lab.test/search?q=x&gl=zz","country":"DE"}`:                             "",
		`{"url":"https://search.lab.test/search?q=x&gl=us&hl=en+US&start=99999999999999999999&num=20"}`: "",
	} {
		in := parse(t, body)
		query := readURL(in)
		if got := fields(t, in.Err()); got != want {
			t.Errorf("%.120s: rejected fields are %q, want %q", body, got, want)
		}
		if want == "" && query.Page(2).Query.Get("start") == "" {
			t.Errorf("%s: page 2 has no start", body)
		}
	}
}

func TestNumDecidesThePages(t *testing.T) {
	t.Parallel()
	for num, want := range map[string]int{"": 1, "0": 1, "-3": 1, "1": 1, "10": 1, "11": 2, "100": 10, "1000": 10, "x": 1, "9223372036854775807": 10, "99999999999999999999": 10, "-99999999999999999999": 1} {
		in := parse(t, `{"url":"https://search.lab.test/search?q=x&gl=us&num=`+num+`"}`)
		if got := readURL(in).Pages; got != want {
			t.Errorf("num=%s means %d pages, want %d", num, got, want)
		}
	}
}

func TestLinksAreUnwrapped(t *testing.T) {
	t.Parallel()
	hide := "https://www.search.lab.test/goto?url=CAESabc"
	links := engine.NewLinks(map[string]string{hide: "https://hidden.example/"})
	for _, test := range []struct{ href, destination, redirect string }{
		{"https://a.example/x?y=1#part", "https://a.example/x?y=1#part", ""},
		{"https://a.example/x#:~:text=found", "https://a.example/x", ""},
		{"https://a.example/x#top:~:text=found", "https://a.example/x#top", ""},
		{"/search?q=more", "https://www.search.lab.test/search?q=more", ""},
		{"//b.example/", "https://b.example/", ""},
		{"more", "https://www.search.lab.test/more", ""},
		{"/a/../more", "https://www.search.lab.test/more", ""},
		{"https://a.example//b/./c", "https://a.example//b/c", ""},
		{"/url?q=https%3A%2F%2Fa.example%2F&sa=U", "https://a.example/", "https://www.search.lab.test/url?q=https%3A%2F%2Fa.example%2F&sa=U"},
		{"/url?url=https%3A%2F%2Fa.example%2F", "https://a.example/", "https://www.search.lab.test/url?url=https%3A%2F%2Fa.example%2F"},
		{"/goto?url=CAESabc", "https://hidden.example/", hide},
		{"/goto?url=CAESxyz", "https://www.search.lab.test/goto?url=CAESxyz", "https://www.search.lab.test/goto?url=CAESxyz"},
		{"http://other.example/url?q=https%3A%2F%2Fa.example%2F", "http://other.example/url?q=https%3A%2F%2Fa.example%2F", ""},
	} {
		destination, redirect, ok := links.Read(test.href)
		if !ok || destination != test.destination || redirect != test.redirect {
			t.Errorf("%s: %q, %q, %t", test.href, destination, redirect, ok)
		}
	}
	for _, href := range []string{"", "javascript:alert(1)", "data:text/html,x", "mailto:a@b.example", "https://u:p@a.example/", "http://"} {
		if destination, _, ok := links.Read(href); ok {
			t.Errorf("%q leads to %q", href, destination)
		}
	}
}

func TestHiddenLinksAreFoundOnce(t *testing.T) {
	t.Parallel()
	page := `<a href="/goto?url=CAESa&amp;ved=1"></a><a href="https://www.search.lab.test/goto?url=CAESb"></a>` +
		`<a href="/goto?url=CAESa&amp;ved=1"></a><a href="https://evil.example/goto?url=x"></a><a href="/url?q=x"></a>`
	want := []string{"https://www.search.lab.test/goto?url=CAESa&ved=1", "https://www.search.lab.test/goto?url=CAESb"}
	if diff := cmp.Diff(want, engine.Hidden([]byte(page))); diff != "" {
		t.Error(diff)
	}
}

// site returns a client whose search engine is the handler.
func site(t *testing.T, handler http.Handler) *upstream.Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	client, err := upstream.NewClient(upstream.Config{Surface: earshot.SurfaceLab, Sites: map[string]string{serp.Site: server.URL}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func TestResolve(t *testing.T) {
	t.Parallel()
	client := site(t, http.HandlerFunc(labsite.Redirect))
	const base = "https://www.search.lab.test"
	one, two, broken := base+labsite.Hide("https://one.example/"), base+labsite.Hide("https://two.example/"), base+"/goto?url=nonsense"
	resolved, err := engine.Resolve(t.Context(), client.NewSession(1, ""), geo.Locale{Country: "US"}, []string{one, two, broken})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{one: "https://one.example/", two: "https://two.example/"}, resolved); diff != "" {
		t.Error(diff)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := engine.Resolve(canceled, client.NewSession(1, ""), geo.Locale{}, []string{base + labsite.Hide("https://three.example/")}); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancellation: %v", err)
	}
}

func TestGoto(t *testing.T) {
	t.Parallel()
	client := site(t, http.HandlerFunc(labsite.Redirect))
	for link, want := range map[string]string{
		"https://search.lab.test" + labsite.Hide("https://one.example/"):      "https://one.example/",
		"http://WWW.Search.Lab.Test" + labsite.Wrap("https://two.example/?a"): "https://two.example/?a",
		"https://search.lab.test:443" + labsite.Hide("https://one.example/"):  "https://one.example/",
		"http://search.lab.test:80" + labsite.Hide("https://one.example/"):    "https://one.example/",
	} {
		got, err := engine.Goto(t.Context(), client, link)
		if err != nil || got != want {
			t.Errorf("%s leads to %q, %v; want %q", link, got, err, want)
		}
	}
	for _, link := range []string{
		"", "/url?q=x", "search.lab.test/url", "https://attacker.test/url?q=x", "http://127.0.0.1/url?q=x", "http://[::1]/url",
		"http://search.lab.test@127.0.0.1/url", "http://evilsearch.lab.test/url", "http://maps.search.lab.test/url",
		"http://search.lab.test/url/../search", "http://search.lab.test//url", "http://search.lab.test", "http://search.lab.test/urls",
		"http://search.lab.test:81/url", "http://search.lab.test:443/url", "https://search.lab.test:80/url", "http://search.lab.test/%75rl", "http://search.lab.test/url\\r\\nHost: 127.0.0.1", "ftp://search.lab.test/url",
		"https://search.lab.test/url?" + strings.Repeat("a", 2048),
	} {
		_, err := engine.Goto(t.Context(), client, link)
		if got := fields(t, err); got != "url" {
			t.Errorf("%.80s: rejected fields are %q, want url", link, got)
		}
	}
	for name, location := range map[string]string{
		"empty location": "", "active content": "data:text/html,x", "credentials": "http://u:p@a.example/", "relative location": "/elsewhere",
	} {
		odd := site(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", location)
			w.WriteHeader(http.StatusFound)
		}))
		_, err := engine.Goto(t.Context(), odd, "https://search.lab.test/goto?url=x")
		if earshot.ErrorCode(err) != earshot.CodeUpstream {
			t.Errorf("%s: %v", name, err)
		}
	}
	for answer, want := range map[string]earshot.Reason{
		"200": earshot.ReasonUnreadable, "404": earshot.ReasonUnavailable, "429": earshot.ReasonBlocked, "500": earshot.ReasonUnavailable,
		`200 <form id="captcha-form"></form>`: earshot.ReasonBlocked, "200 <p>captcha</p>": earshot.ReasonUnreadable,
	} {
		odd := site(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			status, _ := strconv.Atoi(answer[:3])
			w.WriteHeader(status)
			_, _ = io.WriteString(w, answer[3:])
		}))
		_, err := engine.Goto(t.Context(), odd, "https://search.lab.test/goto?url=x")
		var e *earshot.Error
		if !errors.As(err, &e) || e.Details != (earshot.UpstreamDetails{Service: "websearch/goto", Reason: want}) {
			t.Errorf("%s: %v", answer, err)
		}
	}
}

// lateVisitor is a browser that never finishes. It sends the deadline of its visit to the channel.
type lateVisitor struct{ deadline chan time.Time }

func (v lateVisitor) Visit(ctx context.Context, _ browser.Visit) (*browser.Document, error) {
	deadline, _ := ctx.Deadline()
	v.deadline <- deadline
	return nil, context.DeadlineExceeded
}

func TestGotoTimeoutInBrowser(t *testing.T) {
	t.Parallel()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "<p>a page instead of a redirect</p>")
	}))
	t.Cleanup(page.Close)
	late := lateVisitor{deadline: make(chan time.Time, 1)}
	client, err := upstream.NewClient(upstream.Config{Surface: earshot.SurfaceWeb, Sites: map[string]string{serp.Site: page.URL}, Browser: late})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	begun := time.Now()
	if _, err := engine.Goto(t.Context(), client, "https://search.lab.test/goto?url=x"); earshot.ErrorCode(err) != earshot.CodeUpstream {
		t.Errorf("got %v", err)
	}
	if given := (<-late.deadline).Sub(begun); given > 15*time.Second {
		t.Errorf("the deadline of the browser is %s after the call", given)
	}
}

func readURL(in *schema.Object) serp.Query {
	var body earshot.WebSearchRequest
	in.Decode(&body)
	return engine.ReadURL(in, definition, body)
}
