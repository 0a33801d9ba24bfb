package browser_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot/internal/upstream/browser"
)

// A page that grows bit by bit is taken when it stops changing. A page that stops
// changing without the element is returned as partial.
func TestTakeSettled(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.open(t)
	b.Times().Settled, b.Times().GiveUp = time.Second, 2*time.Second
	s.page("/fills", `<div id="list"></div><script>
		let n = 0;
		const adding = setInterval(() => {
			list.append(Object.assign(document.createElement("p"), {textContent: ++n}));
			if (n === 60) clearInterval(adding);
		}, 20);
	</script>`)
	s.page("/stays", `<div id="list"></div><script>fetch("/nothing")</script>`)
	s.HandleFunc("/nothing", http.NotFound)
	for path, partial := range map[string]bool{"/fills": false, "/stays": true} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			doc := visit(t, b, browser.Visit{URL: "http://search.test" + path, Steps: []browser.Step{browser.TakeSettled("#list p")}})
			if full := strings.Contains(string(doc.Body), "<p>60</p>"); doc.Partial != partial || full == partial {
				t.Errorf("partial %t: %s", doc.Partial, doc.Body)
			}
		})
	}
}

// The first button that exists is pressed, once. No button is pressed if there is
// something to take.
func TestPass(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.shared(t)
	wall := `<form action="/on"><button name="b" value="accept">Accept</button><button name="b" value="reject">Reject</button></form>`
	s.page("/wall", wall)
	s.page("/open", wall+`<p id="result">nobody asked</p>`)
	s.HandleFunc("/on", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `<p id="result">%s</p>`, r.FormValue("b"))
	})
	steps := []browser.Step{browser.TakeSettled("#result"), browser.Pass(`[value="reject"]`), browser.Pass("button")}
	for path, want := range map[string]string{"/wall": "reject", "/open": "nobody asked"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			within(t, visit(t, b, browser.Visit{URL: "http://search.test" + path, Steps: steps}), `<p id="result">`+want+`</p>`)
		})
	}
}

// The address that a page leads to is returned without requesting it, whether the page
// uses a redirect, a script or a form.
func TestTakeRedirect(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.shared(t)
	const destination = "http://shop.test/a?b=c#d"
	s.Handle("/header", http.RedirectHandler(destination, http.StatusFound))
	s.Handle("/twice", http.RedirectHandler("http://www.search.test/header", http.StatusSeeOther))
	s.page("/script", `<script>location.replace("`+destination+`")</script>`)
	s.page("/meta", `<meta http-equiv="refresh" content="0;url=`+destination+`">`)
	s.page("/frame", `<iframe src="http://other.test/inside"></iframe><form action="/meta"><button>Go on</button></form>`)
	s.page("/inside", "inside")
	for _, path := range []string{"/header", "/twice", "/script", "/meta", "/frame"} {
		doc := visit(t, b, browser.Visit{URL: "http://search.test" + path, Steps: []browser.Step{browser.TakeRedirect("search.test"), browser.Pass("button")}})
		if doc.URL != destination || doc.Status != http.StatusFound {
			t.Errorf("%s: %d %s", path, doc.Status, doc.URL)
		}
	}
	if slices.Contains(s.asked(), "shop.test") {
		t.Error("the destination was opened")
	}
}

func TestPhone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.shared(t)
	s.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<meta name="viewport" content="width=device-width"><p id="sent">%s</p>
			<script>document.write("<p id=seen>" + navigator.userAgent + " " + innerWidth + "</p>")</script>`, r.UserAgent())
	})
	doc := visit(t, b, browser.Visit{URL: "http://search.test/", Phone: "Linux; Android 15", Steps: []browser.Step{browser.TakePage("#seen")}})
	// The user agent is a phone's, but still says that Chromium is headless.
	within(t, doc, "(Linux; Android 15)", "HeadlessChrome/", " Mobile Safari/", " 412</p>")
	if told := strings.Count(string(doc.Body), "(Linux; Android 15)"); told != 2 {
		t.Errorf("the site and its script see different user agents:\n%s", doc.Body)
	}
}
