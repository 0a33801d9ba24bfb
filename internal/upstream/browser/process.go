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
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
)

// process is a Chromium process and its children. Browser.mu guards users, visits and idle.
type process struct {
	cmd    *exec.Cmd
	conn   *conn
	output tail
	killed atomic.Bool
	gone   chan struct{} // closed when all processes have ended and the folder is deleted

	users  int // visits that run now
	visits int // visits so far
	idle   *time.Timer
}

// launch starts Chromium and waits until it answers.
func (b *Browser) launch() (*process, error) {
	sweepFolders()
	folder, unlock, err := makeFolder()
	if err != nil {
		return nil, err
	}
	p := &process{gone: make(chan struct{})}
	p.cmd = exec.Command(b.cfg.Path, flags(folder)...) //nolint:noctx // the operator's own Chromium, which outlives the visit that started it
	p.cmd.Env = environment(folder)
	p.cmd.Dir = folder
	p.cmd.Stderr = &p.output
	p.cmd.WaitDelay = time.Second // a child that outlives Chromium keeps stderr open
	inOwnGroup(p.cmd)
	started := make(chan error, 1)
	b.work.Go(func() {
		defer func() {
			_ = os.RemoveAll(folder)
			unlock()
			close(p.gone)
		}()
		// The kernel kills Chromium when the thread that started it ends (Pdeathsig), so
		// this thread has to stay.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.run(int64(max(8*b.cfg.MaxDocument, 64<<20))) // JSON escapes a byte as up to six
		started <- err
		if err == nil {
			defer context.AfterFunc(b.closing, p.kill)()
			p.wait(b.cfg.Log)
		}
	})
	if err := <-started; err != nil {
		return nil, err
	}
	if err := p.handshake(b.times.Start); err != nil {
		p.kill()
		<-p.gone
		return nil, fmt.Errorf("%w (%s): %s", err, p.cmd.ProcessState, p.output.String())
	}
	b.cfg.Log.Info("Chromium started", "pid", p.cmd.Process.Pid, "agent", p.conn.agent, "sandbox", !unsandboxed())
	if unsandboxed() {
		b.cfg.Log.Warn("Chromium runs without its sandbox, because it is run by root")
	}
	return p, nil
}

// run starts the command with the pipes that Chromium expects as file descriptors 3 and 4.
func (p *process) run(maxMessage int64) error {
	commandsRead, commands, err := os.Pipe()
	if err != nil {
		return err
	}
	answers, answersWrite, err := os.Pipe()
	if err != nil {
		return errors.Join(err, commandsRead.Close(), commands.Close())
	}
	p.cmd.ExtraFiles = []*os.File{commandsRead, answersWrite}
	err = p.cmd.Start()
	err = errors.Join(err, commandsRead.Close(), answersWrite.Close())
	if err != nil {
		return errors.Join(err, answers.Close(), commands.Close())
	}
	p.conn = newConn(answers, commands, maxMessage)
	return nil
}

// wait waits until Chromium exits, and ends what is left of it.
func (p *process) wait(log *slog.Logger) {
	p.conn.loops.Go(func() { p.watch(log) })
	_ = p.cmd.Wait()
	p.conn.close()
	p.conn.loops.Wait()
	endGroup(p.cmd.Process.Pid) // its children may have outlived it
	log.Info("Chromium ended", "pid", p.cmd.Process.Pid, "reason", p.cmd.ProcessState.String())
	level := slog.LevelWarn // it crashed
	if p.killed.Load() {
		level = slog.LevelDebug
	}
	log.Log(context.Background(), level, "last output of Chromium", "pid", p.cmd.Process.Pid, "text", p.output.String())
}

// watch kills pages that use more than maxMemory. The visits of these pages fail; the
// others go on. When the connection is lost, watch kills Chromium.
func (p *process) watch(log *slog.Logger) {
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-p.conn.lost:
			killGroup(p.cmd)
			return
		case <-tick.C:
			for pid, size := range killLargeRenderers(p.cmd.Process.Pid) {
				log.Warn("a page used too much memory and was killed", "pid", pid, "bytes", size)
			}
		}
	}
}

// handshake waits until Chromium answers.
func (p *process) handshake(limit time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	version, err := call(ctx, p.conn.browser(), browser.GetVersion, cdp.Empty{})
	if err != nil {
		return err
	}
	p.conn.agent = version.UserAgent
	_, err = call(ctx, p.conn.browser(), target.SetDiscoverTargets, target.SetDiscoverTargetsParams{Discover: true})
	return err
}

// kill kills Chromium and its children. Browser contexts are in memory, so Chromium has
// nothing to save.
func (p *process) kill() {
	p.killed.Store(true)
	p.conn.close() // then watch kills the group
}

// lost reports whether Chromium has ended.
func (p *process) lost() bool {
	select {
	case <-p.conn.lost:
		return true
	default:
		return false
	}
}

// makeFolder makes the folder for all files that Chromium writes, and locks it.
func makeFolder() (folder string, unlock func(), err error) {
	if folder, err = os.MkdirTemp("", folderPrefix+"*"); err != nil {
		return "", nil, fmt.Errorf("profile folder: %w", err)
	}
	unlock, ok := lockFolder(folder)
	if !ok { // it looked abandoned until it was locked
		return "", nil, fmt.Errorf("profile folder: another service deleted %s", folder)
	}
	return folder, unlock, nil
}

// folderPrefix is the prefix of the names of our profile folders.
const folderPrefix = "earshot-browser-"

// tail keeps the end of Chromium's error output.
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
