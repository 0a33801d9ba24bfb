package docs

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// binary is the program, as it is released.
var binary string

func TestMain(m *testing.M) {
	os.Exit(withProgram(m.Run))
}

// setVersion is how a build is told its version.
const (
	setVersion  = "-X main.release="
	testVersion = "v1.2.3-docs"
)

// withProgram builds the program for the time of the tests.
func withProgram(run func() int) int {
	dir, err := os.MkdirTemp("", "earshot-docs-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }() // the system's folder for such things
	binary = filepath.Join(dir, "earshot")
	build := exec.Command("go", "build", "-ldflags", setVersion+testVersion, "-o", binary, "./cmd/earshot")
	build.Dir = root
	if text, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the program: %v\n%s", err, text)
		return 1
	}
	return run()
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
	output, err := node.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := node.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := node.Wait(); !errors.Is(err, context.Canceled) { // what a clean end after Cancel gives
			t.Errorf("the node: %v", err)
		}
	})
	greeting := ""
	for lines := bufio.NewScanner(output); lines.Scan() && !strings.HasPrefix(lines.Text(), "Dashboard: "); {
		greeting += lines.Text() + "\n"
	}
	match := regexp.MustCompile(`export EARSHOT_URL=(\S+) EARSHOT_API_KEY=(\S+)\n`).FindStringSubmatch(greeting)
	if match == nil {
		t.Fatalf("the node did not start, or greets with %s", greeting)
	}
	s.url, s.key = match[1], match[2]
}
