package browser_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"testing"

	"earshot/internal/upstream/browser"
)

// stream serves an event stream. It sends each event only after the page has reported
// that it shows the previous event.
func (s *site) stream(path string, events int) (want string) {
	shown := make(chan struct{}, 1)
	s.HandleFunc("/shown", func(http.ResponseWriter, *http.Request) { shown <- struct{}{} })
	s.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range events {
			fmt.Fprintf(w, "data: event %d ä\n\n", i)
			_ = http.NewResponseController(w).Flush()
			select {
			case <-shown:
			case <-r.Context().Done():
				return
			}
		}
		io.WriteString(w, "data: [DONE]\n\n")
	})
	for i := range events {
		want += fmt.Sprintf("data: event %d ä\n\n", i)
	}
	return want + "data: [DONE]\n\n"
}

// Pages that read a stream and show each piece, in various ways.
var readers = map[string]string{
	"fetch": `<script>(async () => {
		const reader = (await fetch("/api/chat/stream", {method: "POST", body: "{}"})).body.getReader();
		for (;;) {
			const {done, value} = await reader.read();
			if (done) break;
			document.body.append(new TextDecoder().decode(value));
			fetch("/shown");
		}
	})()</script>`,
	"canceled": `<script>(async () => {
		const reader = (await fetch("/api/chat/stream")).body.getReader();
		for (;;) {
			const {done, value} = await reader.read();
			const text = new TextDecoder().decode(value);
			if (text.includes("[DONE]")) { reader.cancel(); break; }
			fetch("/shown");
		}
	})()</script>`,
	"event source": `<script>
		const source = new EventSource("/api/chat/stream");
		source.onmessage = e => { if (e.data === "[DONE]") source.close(); else fetch("/shown"); };
	</script>`,
	"request": `<script>
		const request = new XMLHttpRequest();
		request.open("GET", "/api/chat/stream");
		request.onprogress = () => fetch("/shown");
		request.send();
	</script>`,
	"worker": `<script>new Worker(URL.createObjectURL(new Blob([` + "`" + `(async () => {
		const reader = (await fetch("http://chat.test/api/chat/stream")).body.getReader();
		while (!(await reader.read()).done) fetch("http://chat.test/shown");
	})()` + "`" + `])))</script>`,
}

func TestStream(t *testing.T) {
	t.Parallel()
	for name, html := range readers {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			want := s.stream("/api/chat/stream", 20)
			s.page("/", html)
			doc := visit(t, s.shared(t), browser.Visit{URL: "http://chat.test/", Steps: []browser.Step{
				browser.TakeStream("/chat/stream"), browser.TakePage("#never"),
			}})
			if string(doc.Body) != want || doc.Status != 200 || !doc.Streamed ||
				doc.URL != "http://chat.test/api/chat/stream" || doc.ContentType != "text/event-stream" {
				t.Errorf("got %+v\n%s", *doc, doc.Body)
			}
		})
	}
}

func TestUndecoded(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain":                "plain",
		"Größe, 日本":            "Größe, 日本", // decoded as it should be
		"GrÃ¶Ã\u0178e":         "Größe",
		"æ—¥æœ¬ â\u0081\u008d": "日本 \u204d",
	} {
		if got := string(browser.Undecoded([]byte(text))); got != want {
			t.Errorf("%q became %q, not %q", text, got, want)
		}
	}
}

// Responses that end before Chromium can be asked to stream them.
func TestShortResponses(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.open(t, func(c *browser.Config) { c.MaxDocument = 1 << 20 })
	binary := bytes.Repeat([]byte{0, 0xff, '\n', 'a'}, 1<<18) // exactly the limit
	s.HandleFunc("/api/{kind}/stream", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.PathValue("kind") {
		case "empty":
		case "error":
			w.WriteHeader(http.StatusTooManyRequests)
		case "binary":
			w.Write(binary)
		case "large":
			w.Write(append(binary, '!'))
		}
	})
	s.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `<script>fetch("/api/empty/stream").then(() => fetch("/api/%s/stream?at=/none/stream"))</script>`, path.Base(r.URL.Path))
	})
	take := []browser.Step{browser.TakeStream("/stream")}
	for range 5 {
		if doc := visit(t, b, browser.Visit{URL: "http://chat.test/binary", Steps: take}); !bytes.Equal(doc.Body, binary) {
			t.Errorf("got %d bytes of %d", len(doc.Body), len(binary))
		}
	}
	if doc := visit(t, b, browser.Visit{URL: "http://chat.test/error", Steps: take}); doc.Status != 429 || !doc.Streamed || len(doc.Body) > 0 {
		t.Errorf("got %+v", *doc)
	}
	if _, err := try(t, b, browser.Visit{URL: "http://chat.test/large", Steps: take}); !errors.Is(err, browser.ErrTooLarge) {
		t.Errorf("large stream: %v", err)
	}
	s.page("/page", "<p>"+strings.Repeat("x", 1<<20))
	if _, err := try(t, b, browser.Visit{URL: "http://chat.test/page"}); !errors.Is(err, browser.ErrTooLarge) {
		t.Errorf("large page: %v", err)
	}
}
