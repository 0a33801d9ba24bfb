package chaos

import (
	"bytes"
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"
)

// wire stands between the nodes and PostgreSQL and breaks connections at the
// worst moment: when a commit is on its way, or its answer.
type wire struct {
	server string
	ctx    context.Context
	all    sync.WaitGroup

	commits atomic.Int64 // that are still to be held back
	answers atomic.Int64 // to commits that are still to be held back
	broken  atomic.Int64
}

var (
	commit   = []byte("commit\x00") // as the driver sends it
	answered = []byte("COMMIT\x00") // as the server confirms it
)

// newWire gives the address under which the server is reached through it.
func newWire(t *testing.T, server string) (w *wire, address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w = &wire{server: server}
	var cancel context.CancelFunc
	w.ctx, cancel = context.WithCancel(context.WithoutCancel(t.Context()))
	t.Cleanup(func() {
		cancel()
		listener.Close()
		w.all.Wait()
	})
	w.all.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // the test is over
			}
			w.all.Go(func() { w.join(conn) })
		}
	})
	return w, listener.Addr().String()
}

// join passes everything on between a node and the server until one of them ends.
func (w *wire) join(node net.Conn) {
	defer node.Close()
	server, err := (&net.Dialer{}).DialContext(w.ctx, "tcp", w.server)
	if err != nil {
		return
	}
	closeBoth := func() {
		node.Close()
		server.Close()
	}
	defer context.AfterFunc(w.ctx, closeBoth)()
	var both sync.WaitGroup
	both.Go(func() {
		defer closeBoth()
		w.pass(server, node, commit, &w.commits)
	})
	both.Go(func() {
		defer closeBoth()
		w.pass(node, server, answered, &w.answers)
	})
	both.Wait()
}

// pass copies until there is no more, or until what is sent holds the text and
// is to be held back.
func (w *wire) pass(to, from net.Conn, text []byte, hold *atomic.Int64) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 && bytes.Contains(buffer[:n], text) && hold.Add(-1) >= 0 {
			w.broken.Add(1)
			return
		}
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// hold has the next commits and answers held back.
func (w *wire) hold(commits, answers int64) {
	w.commits.Store(commits)
	w.answers.Store(answers)
}
