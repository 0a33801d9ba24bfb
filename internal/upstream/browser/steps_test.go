package browser_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot/internal/upstream/browser"
)

// echo shows the submitted text, and how often it was submitted.
const echo = `<p id="echo"></p><script>
	function submit(text) {
		const line = document.createElement("li");
		line.textContent = text.length + ":" + text;
		echo.append(line);
	}
</script>`

func TestType(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.shared(t)
	// The fields submit on Enter as chats do, and report whether the input was trusted.
	s.page("/", `<!DOCTYPE html><textarea id="area"></textarea><input id="line"><div id="rich" contenteditable><p><br></p></div>`+echo+`<script>
		for (const field of [area, line, rich]) {
			field.addEventListener("keydown", e => { if (e.key === "Enter") { e.preventDefault(); submit(field.value ?? field.innerText); } });
			field.addEventListener("input", e => { field.dataset.input = e.inputType + " " + e.isTrusted; });
		}
	</script>`)
	long := strings.Repeat("Größe 😀\n", 2_000/8)
	for _, test := range []struct{ at, text, want string }{
		{"#area", "first\nsecond", "<li>12:first\nsecond</li>"},
		{"#area", long, fmt.Sprintf("<li>%d:%s</li>", 9*(2_000/8), long)},
		{"#area", `</p>"'\`, `:&lt;/p&gt;"'\</li>`},
		{"#line", "one line", "<li>8:one line</li>"},
		{"#rich", "one line", "<li>8:one line</li>"},
		{"#rich", "first\nsecond", "first\n\nsecond</li>"},
	} {
		doc := visit(t, b, browser.Visit{URL: "http://chat.test/", Steps: []browser.Step{
			browser.Type(test.at, test.text), browser.Submit(test.at), browser.Wait("li"), browser.TakePage("#echo"),
		}})
		within(t, doc, test.want, `data-input="insertText true"`)
		if n := strings.Count(string(doc.Body), "<li>"); n != 1 {
			t.Errorf("%s %.20q was submitted %d times", test.at, test.text, n)
		}
	}
}

func TestSubmit(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.shared(t)
	s.page("/form", `<form action="/result"><input name="q"><button>Go</button></form>`)
	s.HandleFunc("/result", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `<p id="result">%s</p>`, r.FormValue("q"))
	})
	// The button is enabled some time after something was typed.
	s.page("/later", `<input id="q"><button disabled>Go</button>`+echo+`<script>
		const button = document.querySelector("button");
		q.oninput = () => setTimeout(() => { button.disabled = false; }, 300);
		button.onclick = e => submit(q.value + " " + e.isTrusted);
	</script>`)
	s.page("/covered", `<div style="position: fixed; inset: 0; background: white">We value your privacy</div>
		<button aria-disabled="true">no</button><button>yes</button>`+echo+`<script>
		for (const b of document.querySelectorAll("button")) b.onclick = () => submit(b.innerText);
	</script>`)
	s.page("/below", `<div style="height: 5000px"></div><button>Go</button>`+echo+`<script>
		document.querySelector("button").onclick = e => submit("below " + e.isTrusted);
	</script>`)
	typed := browser.Type("input", "question")
	for _, test := range []struct {
		path  string
		steps []browser.Step
		want  string
	}{
		{"/form", []browser.Step{typed, browser.Submit("input"), browser.TakePage("#result")}, `<p id="result">question</p>`},
		{"/form", []browser.Step{typed, browser.Submit("button"), browser.TakePage("#result")}, `<p id="result">question</p>`},
		{"/later", []browser.Step{typed, browser.Submit("button"), browser.TakePage("li")}, "question true</li>"},
		{"/covered", []browser.Step{browser.Submit("button"), browser.TakePage("li")}, "<li>3:yes</li>"},
		{"/below", []browser.Step{browser.Submit("button"), browser.TakePage("li")}, "below true</li>"},
	} {
		doc := visit(t, b, browser.Visit{URL: "http://form.test" + test.path, Steps: test.steps})
		within(t, doc, test.want)
		if doc.Status != http.StatusOK || doc.Streamed {
			t.Errorf("%s: %d, streamed %t", test.path, doc.Status, doc.Streamed)
		}
	}
}

func TestTakePage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.shared(t)
	s.page("/scripts", `<!doctype html><title>before</title><script>
		setTimeout(() => { document.title = "after"; document.body.innerHTML = '<main id="late">&amp; ready</main>'; }, 200);
		Document.prototype.querySelector = () => { throw new Error("the page's own"); };
	</script>`)
	s.page("/moved", `<script>location.replace("/scripts")</script>`)
	late := []browser.Step{browser.TakeStream("/never"), browser.TakePage("#late")}
	for _, path := range []string{"/scripts", "/moved"} {
		doc := visit(t, b, browser.Visit{URL: "http://page.test" + path, Steps: late})
		within(t, doc, "<!DOCTYPE html>\n<html><head><title>after</title>", `<main id="late">&amp; ready</main>`)
		if doc.URL != "http://page.test/scripts" || doc.Status != 200 || doc.ContentType != "text/html" || doc.Streamed {
			t.Errorf("%s gave %+v", path, *doc)
		}
	}
	within(t, visit(t, b, browser.Visit{URL: "http://page.test/scripts"}), "<html>")
}

// If a step fails, the visit returns the current page.
func TestFailedStepReturnsThePage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.open(t, func(c *browser.Config) { c.Contexts = 6 })
	s.page("/", `<h1>Are you a robot?</h1><input readonly><button disabled>Go</button>`)
	b.Times().Step = time.Second
	var all sync.WaitGroup
	for _, step := range []browser.Step{
		browser.Type("textarea", "x"), browser.Type("input", "x"), browser.Submit("button"), browser.Wait("main"),
		browser.TakePage("main"), browser.TakeStream("/api"),
	} {
		all.Go(func() {
			doc, err := try(t, b, browser.Visit{URL: "http://page.test/", Steps: []browser.Step{step, browser.TakePage("h1")}})
			if err != nil {
				t.Errorf("%s %s: %v", step.Verb, step.At, err)
				return
			}
			within(t, doc, "Are you a robot?")
		})
	}
	all.Wait()
}

func TestErrorStatus(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.shared(t)
	s.HandleFunc("/{status}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.PathValue("status") {
		case "404":
			w.WriteHeader(http.StatusNotFound) // and nothing else
		case "429":
			w.WriteHeader(http.StatusTooManyRequests)
			io.WriteString(w, "<p>slow down</p><script>document.body.innerHTML = 'changed'</script>")
		default:
			io.WriteString(w, "<form action=/429><button>Go</button></form>")
		}
	})
	steps := []browser.Step{browser.Submit("button"), browser.Wait("#never")}
	for path, want := range map[string]browser.Document{
		"/404": {URL: "http://page.test/404", Status: 404},
		"/429": {URL: "http://page.test/429", Status: 429, Body: []byte("<p>slow down</p>")},
		"/200": {URL: "http://page.test/429?", Status: 429, Body: []byte("<p>slow down</p>")},
	} {
		doc := visit(t, b, browser.Visit{URL: "http://page.test" + path, Steps: steps})
		within(t, doc, string(want.Body))
		if doc.URL != want.URL || doc.Status != want.Status || doc.ContentType != "text/html; charset=utf-8" || doc.Streamed {
			t.Errorf("%s gave %+v", path, *doc)
		}
	}
}

func TestInvalidStep(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.shared(t)
	s.page("/", `<p>`)
	for _, step := range []browser.Step{browser.Wait("p["), browser.TakePage("p["), {Verb: "dance", At: "p"}} {
		_, err := try(t, b, browser.Visit{URL: "http://page.test/", Steps: []browser.Step{step}})
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", step.At)) && !strings.Contains(err.Error(), "dance") {
			t.Errorf("%s %s: %v", step.Verb, step.At, err)
		}
	}
	for _, url := range []string{"file:///etc/hosts", "chrome://version", "about:blank", "", "http://%zz"} {
		if _, err := try(t, b, browser.Visit{URL: url}); !errors.Is(err, browser.ErrNavigation) {
			t.Errorf("%q: %v", url, err)
		}
	}
}
