package harness

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"earshot/internal/app"
)

// allNamed is the world of AllNamed. Answers still differ in the fourth brand.
const allNamed = `
brands:
  - {name: Ollaro, rate: 1, cited: 1}
  - {name: Kestrin, rate: 1, cited: 1}
  - {name: Nordvale, rate: 1, cited: 1}
  - {name: Velquist, rate: 0.5}
`

// AllNamed returns a setting for the lab's world in which every answer to a tracker names
// and cites Ollaro, Kestrin and Nordvale. In the default world, that is random.
func AllNamed(tb testing.TB) func(*app.Config) {
	tb.Helper()
	return World(tb, allNamed)
}

// World returns a setting for the lab's world.
func World(tb testing.TB, text string) func(*app.Config) {
	tb.Helper()
	file := filepath.Join(tb.TempDir(), "world.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
	return func(cfg *app.Config) { cfg.LabWorld = file }
}

// held is the answer of the assistant of Hold.
const held = `data: {"type":"response.completed","response":{"status":"completed","model":"held","output":[` +
	`{"type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"Here you are."}]}]}}` + "\n\n"

// Hold returns a setting for a chat assistant that does not answer until release is called.
// It is for tests of running jobs.
func Hold(tb testing.TB) (assistant func(*app.Config), release func()) {
	tb.Helper()
	released := make(chan struct{})
	release = sync.OnceFunc(func() { close(released) })
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // otherwise the server does not notice that the client leaves
		select {
		case <-released:
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, held)
		case <-r.Context().Done():
		}
	}))
	tb.Cleanup(server.Close)
	tb.Cleanup(release)
	variables := map[string]string{"EARSHOT_OPENAI_API_KEY": "sk-of-the-test", "EARSHOT_OPENAI_URL": server.URL}
	return func(cfg *app.Config) { cfg.Getenv = func(name string) string { return variables[name] } }, release
}
