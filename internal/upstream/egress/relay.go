package egress

import (
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// relay passes bytes between two connections until both have said that nothing
// more comes, one fails, or nothing has passed for idleTime. It closes both.
func relay(client, target net.Conn) {
	end := func() { drop(client, target) }
	defer end()
	idle := time.AfterFunc(idleTime, end)
	defer idle.Stop()
	pass := func(to, from net.Conn) {
		_, err := io.Copy(to, watched{ReadWriteCloser: from, idle: idle})
		if err != nil || closeWrite(to) != nil {
			end()
		}
	}
	var back sync.WaitGroup
	back.Go(func() { pass(client, target) })
	pass(target, client)
	back.Wait()
}

// watched puts off the end of an idle connection whenever something passes.
type watched struct {
	io.ReadWriteCloser
	idle *time.Timer
}

// Read puts the end off.
func (w watched) Read(p []byte) (int, error) {
	n, err := w.ReadWriteCloser.Read(p)
	if n > 0 {
		w.idle.Reset(idleTime)
	}
	return n, err
}

// Write puts the end off.
func (w watched) Write(p []byte) (int, error) {
	w.idle.Reset(idleTime)
	return w.ReadWriteCloser.Write(p)
}

// Close leaves nothing to put off.
func (w watched) Close() error {
	w.idle.Stop()
	return w.ReadWriteCloser.Close()
}

// watchUpgrade holds a connection that became a WebSocket to the rule for tunnels.
func watchUpgrade(answer *http.Response) error {
	if conn, ok := answer.Body.(io.ReadWriteCloser); ok && answer.StatusCode == http.StatusSwitchingProtocols {
		answer.Body = watched{ReadWriteCloser: conn, idle: time.AfterFunc(idleTime, func() { drop(conn) })}
	}
	return nil
}
