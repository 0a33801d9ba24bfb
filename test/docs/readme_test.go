package docs

import (
	"bufio"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestTheFirstCommandsOfTheREADMEWork runs the first command in an environment that has only what
// Go needs, and then the curl line that it prints. The second one is what runs this test.
func TestTheFirstCommandsOfTheREADMEWork(t *testing.T) {
	t.Parallel()
	var commands []string
	for _, b := range pages(t, "README.md")[0].blocks {
		if strings.HasPrefix(b.info, "sh") {
			commands = append(commands, strings.TrimSpace(b.text))
		}
	}
	if len(commands) < 2 || !slices.Equal(commands[:2], []string{"go run ./cmd/earshot serve", "make test"}) {
		t.Fatalf("the README does not begin with the two commands: %q", commands)
	}
	curl := serveAsInREADME(t, commands[0])
	answer, err := exec.CommandContext(t.Context(), "sh", "-c", curl).Output()
	if err != nil || !strings.Contains(string(answer), `"success":true`) || !strings.Contains(string(answer), `"surface":"lab"`) {
		t.Errorf("%s: %v\n%s", curl, err, answer)
	}
}

// serveAsInREADME starts the service with a command of the README and returns the curl line that it
// prints. The service ends with the test.
func serveAsInREADME(t *testing.T, command string) (curl string) {
	t.Helper()
	serve := exec.Command("sh", "-c", "exec "+command)
	serve.Dir, serve.Stderr = root, t.Output()
	serve.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // go run does not pass signals on
	serve.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "EARSHOT_DATA=" + t.TempDir(), "EARSHOT_LISTEN=127.0.0.1:0"}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOFLAGS", "CGO_ENABLED"} {
		value, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		serve.Env = append(serve.Env, name+"="+strings.TrimSpace(string(value)))
	}
	output, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Kill(-serve.Process.Pid, syscall.SIGINT); err != nil {
			t.Errorf("%s: %v", command, err)
		}
		_ = serve.Wait() // go run fails after a signal
	})
	for lines := bufio.NewScanner(output); lines.Scan(); {
		if curl, found := strings.CutPrefix(lines.Text(), "  curl "); found {
			return "curl " + curl
		}
	}
	t.Fatalf("%s does not print a curl line", command)
	return ""
}
