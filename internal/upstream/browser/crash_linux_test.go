package browser_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"earshot/internal/upstream/browser"
)

// The tests in this file are not parallel, because they check all children of this
// process.

// pids is a log handler that keeps the process ids of all started Chromiums.
type pids struct {
	slog.Handler
	all chan int
}

func newPids(tb testing.TB) *pids {
	tb.Helper()
	return &pids{slog.NewTextHandler(tb.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}), make(chan int, 1000)}
}

func (p *pids) Handle(ctx context.Context, r slog.Record) error {
	if r.Message == "Chromium started" {
		r.Attrs(func(a slog.Attr) bool {
			if a.Key == "pid" {
				p.all <- int(a.Value.Int64())
			}
			return true
		})
	}
	return p.Handler.Handle(ctx, r)
}

func (p *pids) log(c *browser.Config) { c.Log = slog.New(p) }

// processes returns the command lines of the processes, including zombies, that match.
// match gets the fields of /proc/PID/stat after the command's name.
func processes(match func(fields []string) bool) map[int]string {
	found := map[int]string{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, _ := os.ReadFile(path)
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(fields) < 3 || !match(fields) {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		command, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		found[pid] = fields[0] + " " + string(command)
	}
	return found
}

func inGroup(group int) map[int]string {
	return processes(func(fields []string) bool { return fields[2] == strconv.Itoa(group) })
}

// nothingLeft fails the test if child processes or profile folders are left.
func nothingLeft(tb testing.TB) {
	tb.Helper()
	left := processes(func(fields []string) bool { return fields[1] == strconv.Itoa(os.Getpid()) })
	if len(left) > 0 {
		tb.Errorf("processes are left: %v", left)
	}
	if folders, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "*")); len(folders) > 0 {
		tb.Errorf("folders are left: %q", folders)
	}
}

// eventually waits for an event in another process.
func eventually(tb testing.TB, what string, happened func() bool) {
	tb.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); !happened(); <-tick.C {
		if time.Now().After(end) {
			tb.Fatalf("this never came: %s", what)
		}
	}
}

// renderers returns the ids of the page processes of a Chromium.
func renderers(group int) (all []int) {
	for pid, command := range inGroup(group) {
		if strings.Contains(command, "--type=renderer") && !strings.HasPrefix(command, "Z") {
			all = append(all, pid)
		}
	}
	return all
}

// Chromium is killed repeatedly while visits are running.
func TestKilledChromium(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	cycles := 3
	if os.Getenv("EARSHOT_SOAK_CYCLES") != "" {
		cycles = 100
	}
	s := newSite(t)
	log := newPids(t)
	b := s.open(t, log.log)
	for range cycles {
		first, second := s.begin(t.Context(), t, b), s.begin(t.Context(), t, b)
		pid := receive(t, "a Chromium", log.all)
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatalf("kill %d: %v", pid, err)
		}
		for _, ends := range []<-chan error{first, second} {
			if err := receive(t, "the end of the visit", ends); !errors.Is(err, browser.ErrCrashed) {
				t.Errorf("running visit: %v", err)
			}
		}
		fine(t, b)
		// The next round kills the Chromium that served this visit.
		if len(log.all) != 1 {
			t.Fatalf("%d were started instead of one", len(log.all))
		}
	}
	b.Close()
	nothingLeft(t)
}

// A page that crashes does not end other pages.
func TestKilledPage(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := newSite(t)
	s.page("/heap", `<script>const all = []; for (;;) all.push(new Array(1e5).fill(all.length + 0.5))</script>`)
	s.page("/buffers", `<script>const all = []; setInterval(() => all.push(new Uint8Array(1 << 28).fill(1)), 20)</script>`)
	log := newPids(t)
	b := s.open(t, log.log)
	fine(t, b)
	chromium := receive(t, "a Chromium", log.all)
	before := renderers(chromium)

	ends := s.begin(t.Context(), t, b)
	// None of these crashes ends the first visit.
	for _, path := range []string{"/heap", "/buffers"} {
		_, err := try(t, b, browser.Visit{URL: "http://page.test" + path, Steps: []browser.Step{browser.Wait("main")}})
		if !errors.Is(err, browser.ErrCrashed) {
			t.Errorf("%s: %v", path, err)
		}
	}
	select {
	case err := <-ends:
		t.Errorf("the other visit ended: %v", err)
	default:
	}
	for _, pid := range renderers(chromium) {
		if !slices.Contains(before, pid) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	if err := receive(t, "the end of the visit", ends); !errors.Is(err, browser.ErrCrashed) {
		t.Errorf("killed page: %v", err)
	}
	fine(t, b)
	if len(log.all) > 0 {
		t.Error("Chromium was started again")
	}
	b.Close()
	nothingLeft(t)
}
