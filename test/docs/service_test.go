package docs

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"

	"earshot/test/harness/program"
)

// binary is the program, as it is released.
var binary string

func TestMain(m *testing.M) {
	programs, err := program.Build("./cmd/earshot")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binary = filepath.Join(programs, "earshot")
	os.Exit(m.Run())
}

// service is a running node and what a shell beside it knows.
type service struct {
	url, key string // as the first start prints them
	dir      string // to work in
	env      []string
}

// start runs the program until the test ends.
func start(t *testing.T) *service {
	t.Helper()
	s := &service{dir: t.TempDir()}
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	t.Cleanup(receiver.Close)
	data := t.TempDir()
	s.env = []string{
		"PATH=" + filepath.Dir(binary) + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME=" + s.dir, "EARSHOT_DATA=" + data, "HOOK_URL=" + receiver.URL + "/hook",
	}
	s.serve(t)
	s.env = append(s.env, "EARSHOT_URL="+s.url, "EARSHOT_API_KEY="+s.key)
	return s
}

// serve starts the node and reads what it prints for its users.
func (s *service) serve(t *testing.T) {
	t.Helper()
	node := exec.CommandContext(t.Context(), binary, "serve", "--listen", "127.0.0.1:0", "--allow-private-webhooks", "--log-level", "warn")
	node.Env, node.Stderr = s.env, t.Output()
	node.Cancel = func() error { return node.Process.Signal(syscall.SIGTERM) }
	node.WaitDelay = time.Minute
	greeting, err := program.Start(node)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := node.Wait(); !errors.Is(err, context.Canceled) { // what a clean end after Cancel gives
			t.Errorf("the node: %v", err)
		}
	})
	match := regexp.MustCompile(`export EARSHOT_URL=(\S+) EARSHOT_API_KEY=(\S+)\n`).FindStringSubmatch(greeting)
	if match == nil {
		t.Fatalf("the node greets with %s", greeting)
	}
	s.url, s.key = match[1], match[2]
}
