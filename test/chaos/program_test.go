package chaos

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// startTime is far above what a start takes; the figures are logged.
const startTime = time.Minute

// node is a place for a process of the service, which is started, killed and
// started again there.
type node struct {
	*stage
	name   string
	binary string
	log    *os.File

	mu      sync.Mutex
	process *process // nil before the first start
}

// process is one run of the program.
type process struct {
	command *exec.Cmd
	output  *output
	ended   chan struct{}

	mu     sync.Mutex
	base   string // once it is ready
	doomed bool   // it is meant to end
	err    error  // how it ended
}

func (s *stage) newNode(name string) *node {
	log, err := os.Create(filepath.Join(s.ArtifactDir(), name+".log"))
	if err != nil {
		s.Fatal(err)
	}
	n := &node{stage: s, name: name, binary: s.binary, log: log}
	s.Cleanup(func() {
		n.kill()
		log.Close()
	})
	return n
}

// add starts a node with the current program.
func (s *stage) add(name string) *node {
	n := s.newNode(name)
	n.start()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nodes = append(s.nodes, n)
	return n
}

// spawn starts the program and does not wait for it.
func (n *node) spawn() *process {
	args := slices.Concat([]string{"serve", "--listen", "127.0.0.1:0", "--allow-private-webhooks"}, n.flags, n.where)
	p := &process{command: exec.Command(n.binary, args...), ended: make(chan struct{})}
	p.command.Env = append(os.Environ(), n.env...)
	p.output = &output{
		log: n.log, address: make(chan string, 1),
		alarm:    func(line string) { n.violation("%s: %s", n.name, line) },
		tookOver: func() { n.takeover.Store(time.Now().UnixMilli()) },
	}
	p.command.Stdout, p.command.Stderr = p.output, p.output
	if err := p.command.Start(); err != nil {
		n.Fatal(err)
	}
	go func() {
		err := p.command.Wait()
		p.mu.Lock()
		p.err = err
		if !p.doomed {
			n.violation("%s ended by itself: %v\n%s", n.name, err, p.output.tail())
		}
		p.mu.Unlock()
		close(p.ended)
	}()
	n.mu.Lock()
	n.process = p
	n.mu.Unlock()
	return p
}

// start runs the program until it is ready and notes how long that took.
func (n *node) start() {
	began := time.Now()
	p := n.spawn()
	deadline := time.After(startTime)
	var base string
	select {
	case base = <-p.output.address:
	case <-p.ended:
		n.Fatalf("%s did not start", n.name)
	case <-deadline:
		n.Fatalf("%s did not start in %s:\n%s", n.name, startTime, p.output.tail())
	}
	for !n.ready(base) {
		select {
		case <-deadline:
			n.Fatalf("%s was not ready in %s:\n%s", n.name, startTime, p.output.tail())
		case <-time.After(5 * time.Millisecond):
		}
	}
	p.mu.Lock()
	p.base = base
	p.mu.Unlock()
	n.starts = append(n.starts, time.Since(began))
}

func (n *node) ready(base string) bool {
	resp, err := n.client.Get(base + "/readyz")
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// current is the process, if it is there and ready.
func (n *node) current() (p *process, base string) {
	n.mu.Lock()
	p = n.process
	n.mu.Unlock()
	if p == nil {
		return nil, ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.doomed {
		return p, ""
	}
	return p, p.base
}

// kill ends the process the hard way and waits until it is gone.
func (n *node) kill() {
	if p, _ := n.current(); p != nil {
		n.killed.Store(time.Now().UnixMilli())
		n.end(p, syscall.SIGKILL)
	}
}

// stop ends the process as an operator would.
func (n *node) stop() {
	p, _ := n.current()
	n.end(p, syscall.SIGTERM)
	if p.err != nil {
		n.violation("%s ended on SIGTERM with %v:\n%s", n.name, p.err, p.output.tail())
	}
}

// end sends a signal that ends the process. One that lets it finish its work may
// take the 30 s of the contract.
func (n *node) end(p *process, by syscall.Signal) {
	p.mu.Lock()
	p.doomed = true
	p.mu.Unlock()
	n.signal(p, by)
	select {
	case <-p.ended:
		return
	case <-time.After(startTime):
	}
	n.violation("%s did not end in %s:\n%s", n.name, startTime, p.output.tail())
	n.signal(p, syscall.SIGKILL)
	<-p.ended
}

func (n *node) signal(p *process, what syscall.Signal) {
	if err := p.command.Process.Signal(what); err != nil && !errors.Is(err, os.ErrProcessDone) {
		n.Errorf("signal %s: %v", n.name, err)
	}
}

// output reads what a process prints: its address, and signs of a crash.
type output struct {
	log     *os.File
	address chan string
	alarm   func(line string)
	// tookOver is called when it found jobs of a node that is gone.
	tookOver func()

	mu   sync.Mutex
	part []byte
	last []string
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.part = append(o.part, b...)
	for {
		line, rest, whole := bytes.Cut(o.part, []byte("\n"))
		if !whole {
			break
		}
		o.part = rest
		o.line(string(line))
	}
	return o.log.Write(b)
}

func (o *output) line(text string) {
	o.last = append(o.last, text)
	o.last = o.last[max(0, len(o.last)-30):]
	if address, ok := strings.CutPrefix(text, "Dashboard: "); ok {
		base, _, _ := strings.Cut(address, "/#")
		o.address <- strings.TrimSuffix(base, "/")
	}
	if strings.Contains(text, "of nodes that are gone") {
		o.tookOver()
	}
	// A class 42 error is a statement that does not fit the schema.
	if strings.Contains(text, "panic") || strings.Contains(text, "SQLSTATE 42") {
		o.alarm(text)
	}
}

// tail is what was printed last.
func (o *output) tail() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(o.last, "\n")
}
