package egress

import (
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// relay copies bytes between two connections until both sides have closed their writing
// side, one fails, or no data has passed for idleTime. It closes both connections.
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

// watched is a connection that resets an idle timer whenever data passes.
type watched struct {
	io.ReadWriteCloser
	idle *time.Timer
}

// Read resets the timer if it reads data.
func (w watched) Read(p []byte) (int, error) {
	n, err := w.ReadWriteCloser.Read(p)
	if n > 0 {
		w.idle.Reset(idleTime)
	}
	return n, err
}

// Write resets the timer.
func (w watched) Write(p []byte) (int, error) {
	w.idle.Reset(idleTime)
	return w.ReadWriteCloser.Write(p)
}

// Close stops the timer.
func (w watched) Close() error {
	w.idle.Stop()
	return w.ReadWriteCloser.Close()
}

// watchUpgrade applies idleTime to a connection that became a WebSocket.
func watchUpgrade(answer *http.Response) error {
	if conn, ok := answer.Body.(io.ReadWriteCloser); ok && answer.StatusCode == http.StatusSwitchingProtocols {
		answer.Body = watched{ReadWriteCloser: conn, idle: time.AfterFunc(idleTime, func() { drop(conn) })}
	}
	return nil
}
