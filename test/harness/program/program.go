// Package program builds and starts the programs that tests run as processes.
package program

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	// Version is the version of the programs that Build builds.
	Version = "v1.2.3-test"
	// Ready starts the line with which a program says that it can be used.
	Ready = "Dashboard: "

	buildLimit = 5 * time.Minute // with an empty build cache
	limit      = time.Minute
)

// Earshot builds the program earshot like Build, and returns its path.
func Earshot(tb testing.TB) (path string) {
	tb.Helper()
	folder, err := Build("./cmd/earshot")
	if err != nil {
		tb.Fatal(err)
	}
	return filepath.Join(folder, "earshot")
}

// Build builds packages of the module without the race detector, and returns the folder of their
// programs. The folder stays, so a program that is up to date is not linked again, neither for
// another test package nor in a later run. The current folder must be two below the module's.
func Build(packages ...string) (folder string, err error) {
	root, err := filepath.Abs("../..")
	if err != nil {
		return "", err
	}
	folder = filepath.Join(root, "bin", "test")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	lock, err := os.Create(filepath.Join(folder, "lock"))
	if err != nil {
		return "", err
	}
	defer lock.Close() // which unlocks it
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), buildLimit)
	defer cancel()
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -X main.release=" + Version, "-o", folder + "/"}
	command := exec.CommandContext(ctx, "go", append(args, packages...)...)
	command.Dir, command.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if text, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", command, err, text)
	}
	return folder, nil
}

// Command returns a command that is killed when the test ends or after a minute. Its output can then
// still be read.
func Command(tb testing.TB, name string, args ...string) *exec.Cmd {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), limit)
	tb.Cleanup(cancel)
	command := exec.CommandContext(ctx, name, args...)
	command.WaitDelay = time.Second // for processes that it started
	return command
}

// Start starts a command and returns what it prints up to the line that starts with Ready. If it
// does not print this line in time, Start kills it and returns an error with what it printed.
func Start(command *exec.Cmd) (greeting string, err error) {
	output, err := command.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := command.Start(); err != nil {
		return "", err
	}
	late := time.AfterFunc(limit, func() { _ = command.Process.Kill() })
	defer late.Stop()
	for lines := bufio.NewScanner(output); lines.Scan(); {
		greeting += lines.Text() + "\n"
		if strings.HasPrefix(lines.Text(), Ready) {
			return greeting, nil
		}
	}
	_ = command.Wait() // its state says the same
	return "", fmt.Errorf("%s did not get ready; its end is %s, and it printed:\n%s", command, command.ProcessState, greeting)
}

// Stop sends SIGTERM to a command and waits until it ends. It kills a command that takes too long.
func Stop(command *exec.Cmd) error {
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	late := time.AfterFunc(limit, func() { _ = command.Process.Kill() })
	defer late.Stop()
	return command.Wait()
}
