package chaos

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"earshot/test/harness/program"
	"earshot/test/harness/tool"
)

const (
	// lastRelease is the commit of release 0.1.0, with schema 19: the program that this one replaces.
	lastRelease = "0aae500466e80a89d6ad107e39d0e272fa5d203d"
	// upgradeTime is how long the long version takes.
	upgradeTime = 10 * time.Minute
)

// TestNodesAreUpgradedUnderLoad replaces two nodes of the last release one after the other, as
// docs/backup-and-upgrade.md describes. The first new node migrates the database while the old
// ones work.
func TestNodesAreUpgradedUnderLoad(t *testing.T) {
	t.Parallel()
	binary := program.Earshot(t)
	old := buildRelease(t, filepath.Dir(binary), lastRelease)
	d := newDatabase(t)
	s := newStage(t, scaleOf(t), old)
	s.database, s.books = d, d.books
	s.where = []string{"--data", t.TempDir(), "--database", d.address}
	if s.long {
		s.limit = upgradeTime
	}
	left, right := s.add("left"), s.add("right")
	s.populate()
	s.track(2)
	s.tell()
	s.begin()
	stop := s.load()
	serve := func(phase string) {
		select { // the load is what is tested, not an event
		case <-time.After(s.limit / 4):
			s.Logf("%s: %d tasks are known to be accepted; %v", phase, s.accepted(), s.counts())
		case <-t.Context().Done():
		}
	}
	serve("only the last release")
	s.binary = binary
	s.add("new left")
	serve("both, after the migration")
	left.stop()
	s.add("new right")
	right.stop()
	serve("only the new version")
	stop()
	s.check()
	s.checkAnswered()
	s.refuses(old)
	for _, n := range s.nodes[2:] {
		n.stop()
	}
}

// buildRelease builds the program of an earlier commit, if the folder does not have it yet. It needs
// the history of the repository.
func buildRelease(t *testing.T, programs, commit string) (binary string) {
	t.Helper()
	binary = filepath.Join(programs, "earshot-"+commit)
	if _, err := os.Stat(binary); err == nil {
		return binary
	}
	folder := t.TempDir()
	archive := filepath.Join(folder, "source.tar")
	if text, err := exec.CommandContext(t.Context(), "git", "-C", "../..", "archive", "--output", archive, commit).CombinedOutput(); err != nil {
		if shallow, _ := exec.CommandContext(t.Context(), "git", "rev-parse", "--is-shallow-repository").Output(); string(shallow) == "true\n" {
			t.Skipf("the last release cannot be built: this clone is shallow and lacks its commit %s", commit)
		}
		t.Logf("the last release cannot be built, because the history of the repository has no commit %s: %s", commit, text)
		tool.Need(t, err)
	}
	if text, err := exec.CommandContext(t.Context(), "tar", "-xf", archive, "-C", folder).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	command := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", binary+".new", "./cmd/earshot")
	command.Dir, command.Env = folder, append(os.Environ(), "CGO_ENABLED=0")
	if text, err := command.CombinedOutput(); err != nil {
		t.Fatalf("build commit %s: %v\n%s", commit, err, text)
	}
	if err := os.Rename(binary+".new", binary); err != nil {
		t.Fatal(err)
	}
	return binary
}

// accepted returns how many tasks of this round were acknowledged.
func (s *stage) accepted() (n int) {
	for _, o := range s.organizations {
		o.mu.Lock()
		n += len(o.ids)
		o.mu.Unlock()
	}
	return n
}

// checkAnswered checks that clients which repeat a request after 503 met no other error of the
// service, and that every request that reached a node was answered.
func (s *stage) checkAnswered() {
	counts := s.counts()
	for _, what := range []string{"500", "502", "504", noAnswer} {
		if counts[what] > 0 {
			s.violation("%d requests ended with %s", counts[what], what)
		}
	}
}

// refuses checks that a program does not start on the database, because its schema is newer.
func (s *stage) refuses(binary string) {
	ctx, cancel := context.WithTimeout(s.Context(), startTime)
	defer cancel()
	text, err := exec.CommandContext(ctx, binary, append([]string{"serve", "--listen", "127.0.0.1:0"}, s.where...)...).CombinedOutput()
	if err == nil || !strings.Contains(string(text), "newer") {
		s.violation("the last release starts on a newer schema, or fails for another reason: %v\n%s", err, text)
	}
}
