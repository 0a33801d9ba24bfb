package upstream_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/upstream"
	"earshot/internal/upstream/browser"
)

const secret = "sk-very-secret-key"

// vendor returns a handler for an API that answers in several ways. Like some real APIs, it
// repeats the key in its errors.
func vendor(t *testing.T) *httptest.Server {
	t.Helper()
	calls := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls[r.URL.Path]++
		switch r.URL.Path {
		case "/v1/late":
			if calls[r.URL.Path] == 1 {
				w.Header().Set("Retry-After", "7")
				w.Header().Set("Set-Cookie", "session=1")
				w.WriteHeader(http.StatusTooManyRequests)
				fmt.Fprintf(w, "no calls left for %s or sk-very***key", r.Header.Get("Authorization"))
				return
			}
			fmt.Fprint(w, "at last")
		case "/v1/cut":
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "half of")
		case "/v1/away":
			w.Header().Set("Location", "https://example.com/page")
			w.WriteHeader(http.StatusFound)
		case "/v1/bytes":
			_, _ = w.Write([]byte{0xff, 0xfe})
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// asks makes all requests of the test and returns the outcomes as text.
func asks(t *testing.T, c *upstream.Client) string {
	t.Helper()
	var said []string
	for _, path := range []string{"/late", "/late", "/cut", "/bytes", "/late"} {
		err := func(up *upstream.Session) error {
			resp, err := up.Fetch(t.Context(), &upstream.Request{
				Site: "v", Path: path, Body: []byte("question for " + up.Model()), Locale: geo.Locale{Country: "US"},
				Refusal: func(status int, header http.Header, _ []byte) *upstream.Failure {
					return upstream.Fail(earshot.ReasonBlocked, "%d, retry after %s", status, header.Get("Retry-After"))
				},
			})
			if err == nil {
				said = append(said, fmt.Sprintf("%q", resp.Body))
			}
			return err
		}(c.Open(upstream.Visit{Provider: "chat", Attempt: 1}))
		if failure, ok := errors.AsType[*upstream.Failure](err); ok {
			said = append(said, failure.Error())
		}
	}
	location, err := c.NewSession(1, "").Redirect(t.Context(), &upstream.Request{Site: "v", Path: "/away"})
	return strings.Join(append(said, location, fmt.Sprint(err)), "\n")
}

func TestARecordingGoesAsItWent(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "recorded")
	recorder, err := upstream.NewRecorder(dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	live, err := upstream.NewClient(upstream.Config{
		Name: "api:v", Surface: earshot.SurfaceAPI, Sites: map[string]string{"v": vendor(t).URL + "/v1"}, Recorder: recorder,
		API: &upstream.API{Name: "v", Model: "m-1", KeyHeader: "Authorization", KeyPrefix: "Bearer ", Key: secret},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(live.Close)
	first := asks(t, live)
	if want := "upstream blocked: 429, retry after 7\n\"at last\"\nupstream unavailable: unexpected EOF\n\"\\xff\\xfe\"\n\"at last\"\nhttps://example.com/page\n<nil>"; first != want {
		t.Fatalf("live:\n%s\nwant\n%s", first, want)
	}

	recording, err := upstream.OpenRecording(dir)
	if err != nil {
		t.Fatal(err)
	}
	players := recording.Clients("chat")
	if len(players) != 1 || players[0].Surface() != earshot.SurfaceAPI || recording.Clients("other") != nil {
		t.Fatalf("players %v", players)
	}
	again := asks(t, players[0])
	// The redirect was asked for outside of any provider's attempt.
	if want := strings.Replace(first, "https://example.com/page\n<nil>", "", 1); !strings.HasPrefix(again, want) || !strings.Contains(again, "does not contain this request") {
		t.Errorf("replayed:\n%s\nwant\n%s", again, want)
	}
	checkNoSecrets(t, dir)
}

func checkNoSecrets(t *testing.T, dir string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 6 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(dir, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{secret, "sk-very", "session=1", "Bearer sk"} {
			if strings.Contains(string(text), word) {
				t.Errorf("%q in %s:\n%s", word, file.Name(), text)
			}
		}
	}
}

func TestAnEmptyFolderIsNoRecording(t *testing.T) {
	t.Parallel()
	if _, err := upstream.OpenRecording(t.TempDir()); err == nil {
		t.Error("it was opened")
	}
}

// pages is a browser with one page.
type pages struct{ document browser.Document }

func (p pages) Visit(_ context.Context, v browser.Visit) (*browser.Document, error) {
	document := p.document
	document.Body = []byte(v.URL + " " + v.Language + " " + v.Place + " " + v.Steps[0].Text)
	return &document, nil
}

func TestAVisitIsRecordedToo(t *testing.T) {
	t.Parallel()
	for _, partial := range []bool{false, true} {
		dir := t.TempDir()
		recorder, err := upstream.NewRecorder(dir, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		live, err := upstream.NewClient(upstream.Config{
			Surface: earshot.SurfaceWeb, Sites: map[string]string{"chat": "https://chat.test/"}, Recorder: recorder,
			Browser: pages{browser.Document{Status: http.StatusOK, Partial: partial}}, Located: func(place string) bool { return place == "US" },
		})
		if err != nil {
			t.Fatal(err)
		}
		visit := &upstream.Request{Site: "chat", Path: "/", Locale: geo.Locale{Country: "US", State: "CA"}, Steps: []browser.Step{browser.Type("textarea", "Hello?")}}
		look := func(c *upstream.Client) string {
			up := c.Open(upstream.Visit{Provider: "chat"})
			resp, err := up.Fetch(t.Context(), visit)
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprintf("%t %s %v %v", up.Browses(), resp.Body, *up.Location(visit.Locale), resp.Judge(nil))
		}
		want := "true https://chat.test/ en-US,en;q=0.9 US-CA Hello? {US } <nil>"
		if partial {
			want = strings.Replace(want, "<nil>", "upstream unavailable: the page did not load completely", 1)
		}
		if got := look(live); got != want {
			t.Errorf("live: %q, want %q", got, want)
		}
		recording, err := upstream.OpenRecording(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got := look(recording.Clients("chat")[0]); got != want {
			t.Errorf("replayed: %q, want %q", got, want)
		}
	}
}
