package browser_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"earshot/internal/upstream/browser"
)

// Pages that never stop, and their processes, end with the context of their visit.
func TestEndlessPages(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := newSite(t)
	log := newPids(t)
	b := s.open(t, log.log, func(c *browser.Config) { c.Contexts = 8 })
	s.page("/loop", `<p>x</p><script>for (;;) {}</script>`)
	s.page("/alerts", `<p>x</p><script>for (;;) alert("again")</script>`)
	s.page("/moves", `<p>x</p><script>location = "/moves?" + Math.random()</script>`)
	s.page("/frames", `<p>x</p><script>for (;;) document.body.appendChild(document.createElement("iframe")).remove()</script>`)
	s.page("/workers", `<p>x</p><script>for (let i = 0; i < 50; i++) new Worker("data:text/javascript,for(;;){}")</script>`)
	s.page("/stream", `<p>x</p><script>fetch("/endless").then(r => r.text())</script>`)
	endless := func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, "data: more\n\n"); err != nil {
				return
			}
			_ = http.NewResponseController(w).Flush()
		}
	}
	s.HandleFunc("/endless", endless)
	s.HandleFunc("/page", endless)
	s.HandleFunc("/silent", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	fine(t, b)
	chromium := receive(t, "a Chromium", log.all)
	before := len(renderers(chromium))
	steps := []browser.Step{browser.TakeStream("/endless"), browser.TakePage("main")}
	var all sync.WaitGroup
	for _, path := range []string{"/loop", "/alerts", "/moves", "/frames", "/workers", "/stream", "/page", "/silent"} {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			doc, err := b.Visit(ctx, browser.Visit{URL: "http://page.test" + path, Steps: steps})
			switch {
			case err == nil && doc.Partial && strings.HasPrefix(doc.URL, "http://page.test"+path):
			case errors.Is(err, context.DeadlineExceeded), errors.Is(err, browser.ErrTooLarge):
			default:
				t.Errorf("%s: %v, %v", path, doc, err)
			}
		})
	}
	all.Wait()
	fine(t, b)
	if len(log.all) > 0 {
		t.Error("Chromium was started again")
	}
	eventually(t, "the end of the pages' processes", func() bool { return len(renderers(chromium)) <= before })
	b.Close()
	nothingLeft(t)
}

// A Chromium that stops answering is killed, and visits do not wait for it.
func TestStuckChromium(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := newSite(t)
	log := newPids(t)
	b := s.open(t, log.log)
	b.Times().Close = time.Second
	ctx, cancel := context.WithCancel(t.Context())
	ends := s.begin(ctx, t, b)
	if err := syscall.Kill(receive(t, "a Chromium", log.all), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := receive(t, "the end of the visit", ends); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled visit: %v", err)
	}
	fine(t, b)
	b.Close()
	nothingLeft(t)
}

// Visits wait for a free slot until their context ends.
func TestSlots(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := newSite(t)
	b := s.open(t, func(c *browser.Config) { c.Contexts = 1 })
	ends := s.begin(t.Context(), t, b)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := b.Visit(ctx, browser.Visit{URL: "http://second.test/"}); !errors.Is(err, browser.ErrBusy) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("visit without a slot: %v", err)
	}
	if slices.Contains(s.asked(), "second.test") {
		t.Error("the second visit did not wait for a slot")
	}
	b.Close()
	if err := receive(t, "the end of the visit", ends); !errors.Is(err, browser.ErrCrashed) {
		t.Errorf("running visit while closing: %v", err)
	}
	if _, err := try(t, b, browser.Visit{URL: "http://page.test/"}); !errors.Is(err, browser.ErrClosed) {
		t.Errorf("visit after Close: %v", err)
	}
	nothingLeft(t)
}

// Chromium is replaced after some visits, without harm to running visits, and ended
// when it is idle.
func TestRecycling(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := newSite(t)
	log := newPids(t)
	b := s.open(t, log.log)
	b.Recycle(2)
	b.Times().Idle = time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	ends := s.begin(ctx, t, b)
	for range 3 {
		fine(t, b)
	}
	first, second := receive(t, "a Chromium", log.all), receive(t, "another Chromium", log.all)
	if len(inGroup(first)) == 0 {
		t.Error("the first Chromium did not wait for its visit")
	}
	cancel()
	if err := receive(t, "the end of the visit", ends); !errors.Is(err, context.Canceled) {
		t.Errorf("visit under way: %v", err)
	}
	eventually(t, "the end of both", func() bool { return len(inGroup(first))+len(inGroup(second)) == 0 })
	b.Close()
	nothingLeft(t)
}

// A Chromium that dies at its start or does not answer is started again. If that
// fails, too, the error reports how it ended and what it wrote.
func TestChromiumThatDoesNotStart(t *testing.T) {
	path := chromium(t)
	for name, test := range map[string]struct {
		script string
		starts int
		errors []string // none if the visit succeeds
	}{
		"dies always": {`echo last words >&2; kill -TRAP $$`, 2, []string{"trap", "last words"}},
		"dies once":   {`test $(wc -l <STARTS) -gt 1 || kill -TRAP $$; exec ` + path + ` "$@"`, 2, nil},
		"hangs":       {`echo last words >&2; exec sleep 1000`, 2, []string{"deadline exceeded", "last words"}},
		"floods":      {`exec yes >&4`, 2, []string{"connection lost"}}, // a message without end
		"exits":       {`exit 7`, 2, []string{"exit status 7"}},
		"is missing":  {"", 0, []string{"no such file"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TMPDIR", t.TempDir())
			starts := filepath.Join(t.TempDir(), "starts")
			program := starts + ".sh"
			script := "#!/bin/sh\necho >>STARTS\n" + test.script
			if test.script != "" {
				if err := os.WriteFile(program, []byte(strings.ReplaceAll(script, "STARTS", starts)), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			b := newSite(t).open(t, func(c *browser.Config) { c.Path, c.MaxDocument = program, 1<<20 })
			if name == "hangs" {
				b.Times().Start = time.Second
			}
			_, err := try(t, b, browser.Visit{URL: "http://page.test/fine"})
			if errors.Is(err, browser.ErrStart) != (test.errors != nil) {
				t.Errorf("got %v", err)
			}
			for _, text := range append(test.errors, program) {
				if err != nil && !strings.Contains(err.Error(), text) {
					t.Errorf("the error lacks %q: %v", text, err)
				}
			}
			if log, _ := os.ReadFile(starts); len(log) != test.starts {
				t.Errorf("started %d times", len(log))
			}
			b.Close()
			nothingLeft(t)
		})
	}
}

// Killing a service also kills its Chromium. The next service removes the folder that was
// left behind.
func TestKilledService(t *testing.T) {
	if os.Getenv("EARSHOT_TEST_SERVICE") != "" {
		serveUntilKilled(t)
		return
	}
	t.Setenv("TMPDIR", t.TempDir())
	chromium(t) // skips the test without Chromium
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	service := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestKilledService$", "-test.v")
	service.Env = append(os.Environ(), "EARSHOT_TEST_SERVICE=1")
	out, err := service.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := service.Start(); err != nil {
		t.Fatal(err)
	}
	group, output := 0, ""
	for lines := bufio.NewScanner(out); group == 0 && lines.Scan(); output += lines.Text() + "\n" {
		if text, ok := strings.CutPrefix(lines.Text(), "chromium "); ok {
			group, _ = strconv.Atoi(text)
		}
	}
	running := len(inGroup(group))
	_ = service.Process.Kill()
	_ = service.Wait()
	if group == 0 || running < 3 {
		t.Fatalf("the service started no Chromium:\n%s", output)
	}
	eventually(t, "the end of its Chromium", func() bool {
		// We are the parent of a child's orphans if an earlier test started Chromium.
		_, _ = syscall.Wait4(-group, nil, syscall.WNOHANG, nil)
		return len(inGroup(group)) == 0
	})
	b := newSite(t).open(t)
	fine(t, b)
	b.Close()
	nothingLeft(t)
}

// serveUntilKilled is the service that TestKilledService kills.
func serveUntilKilled(t *testing.T) {
	t.Helper()
	s := newSite(t)
	log := newPids(t)
	ends := s.begin(t.Context(), t, s.open(t, log.log))
	os.Stdout.WriteString("\nchromium " + strconv.Itoa(receive(t, "a Chromium", log.all)) + "\n")
	t.Fatalf("the visit ended: %v", receive(t, "the end of this process", ends))
}
