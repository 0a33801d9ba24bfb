package browser

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
)

// process is a Chromium process and its children.
type process struct {
	conn *conn
	cmd  *exec.Cmd
	gone chan struct{} // closed when all processes have ended and the folder is deleted
}

// start starts Chromium and waits until it answers.
func start(cfg Config) (*process, error) {
	sweepFolders()
	folder, unlock, err := makeFolder()
	if err != nil {
		return nil, err
	}
	discard := func() {
		_ = os.RemoveAll(folder)
		unlock()
	}
	var output tail
	cmd := exec.Command(cfg.Path, flags(folder)...) //nolint:noctx // the operator's own Chromium, which outlives the visit that started it
	cmd.Env = environment(folder)
	cmd.Dir = folder
	cmd.Stderr = &output
	cmd.WaitDelay = time.Second // a child that outlives Chromium keeps stderr open
	inOwnGroup(cmd)
	pipe, err := run(cmd, max(8*cfg.MaxDocument, 64<<20)) // JSON escapes a byte as up to six
	if err != nil {
		discard()
		return nil, err
	}
	p := &process{conn: newConn(pipe.transport), cmd: cmd, gone: make(chan struct{})}
	go p.wait(pipe.exited, discard, cfg.Log)
	version, err := p.handshake()
	if err != nil {
		p.kill()
		<-p.gone
		return nil, fmt.Errorf("start %s: %w: %s", cfg.Path, err, output.String())
	}
	cfg.Log.Info("Chromium started", "pid", cmd.Process.Pid, "version", version, "sandbox", !unsandboxed())
	if unsandboxed() {
		cfg.Log.Warn("Chromium runs without its sandbox, because it is run by root")
	}
	return p, nil
}

// wait waits until Chromium exits, kills the remaining children and deletes the folder.
func (p *process) wait(exited <-chan error, discard func(), log *slog.Logger) {
	defer close(p.gone)
	var watch sync.WaitGroup
	watch.Go(func() { watchMemory(p, log) })
	reason := <-exited
	p.kill() // its children may have outlived it
	<-p.conn.ended
	watch.Wait()
	endGroup(p.cmd.Process.Pid)
	discard()
	log.Info("Chromium ended", "pid", p.cmd.Process.Pid, "reason", reason)
}

// handshake waits until Chromium answers.
func (p *process) handshake() (version string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	v, err := call(ctx, p.conn.browser(), browser.GetVersion, cdp.Empty{})
	if err != nil {
		return "", err
	}
	p.conn.browser().listen(nil, p.conn.handleTargets)
	_, err = call(ctx, p.conn.browser(), target.SetDiscoverTargets, target.SetDiscoverTargetsParams{Discover: true})
	return v.Product, err
}

// kill kills Chromium and its children. Browser contexts are in memory, so Chromium has
// nothing to save.
func (p *process) kill() {
	select {
	case <-p.gone:
		return // another process group may have the same id by now
	default:
	}
	killGroup(p.cmd)
	p.conn.close()
}

// runningCommand is a running process and the pipe to it.
type runningCommand struct {
	transport *pipe
	exited    <-chan error
}

// run starts the command with the pipe that Chromium expects as file descriptors 3 and 4.
func run(cmd *exec.Cmd, maxMessage int) (*runningCommand, error) {
	commandsRead, commands, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("pipe: %w", err)
	}
	answers, answersWrite, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("pipe: %w", err), commandsRead.Close(), commands.Close())
	}
	cmd.ExtraFiles = []*os.File{commandsRead, answersWrite}
	started, exited := make(chan error, 1), make(chan error, 1)
	go func() {
		// The kernel kills Chromium when the thread that started it ends (Pdeathsig), so
		// this thread has to stay.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			exited <- cmd.Wait()
		}
	}()
	err = <-started
	_ = commandsRead.Close()
	_ = answersWrite.Close()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start Chromium: %w", err), answers.Close(), commands.Close())
	}
	bounded := &boundedReader{ReadCloser: answers, max: maxMessage}
	return &runningCommand{transport: newPipe(bounded, commands), exited: exited}, nil
}

// makeFolder makes the folder for all files that Chromium writes, and locks it.
func makeFolder() (folder string, unlock func(), err error) {
	for range 10 {
		folder, err = os.MkdirTemp("", folderPrefix+"*")
		if err != nil {
			return "", nil, fmt.Errorf("profile folder: %w", err)
		}
		// Until it is locked, another service may take it for abandoned and delete it.
		if unlock, ok := lockFolder(folder); ok {
			return folder, unlock, nil
		}
	}
	return "", nil, fmt.Errorf("profile folder: %s was deleted by another process", folder)
}

// folderPrefix is the prefix of the names of our profile folders.
const folderPrefix = "earshot-browser-"

// tail keeps the end of Chromium's error output, for the error of a failed start.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	const maxText = 2 << 10
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[max(0, len(p)-maxText):]...)
	t.text = t.text[max(0, len(t.text)-maxText):]
	return len(p), nil
}

// String returns the text that was kept, as valid UTF-8.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(strings.TrimSpace(string(t.text)), "\uFFFD")
}

// watchMemory kills pages that use more than maxMemory, until Chromium ends. The visits
// of these pages fail; the others go on.
func watchMemory(p *process, log *slog.Logger) {
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-p.conn.lost:
			return
		case <-tick.C:
			for pid, size := range killLargeRenderers(p.cmd.Process.Pid) {
				log.Warn("a page used too much memory and was killed", "pid", pid, "bytes", size)
			}
		}
	}
}
