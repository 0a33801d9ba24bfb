package egress

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

func TestIdleTunnelEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, near := net.Pipe()
		far, target := net.Pipe()
		start, ended := time.Now(), make(chan time.Duration)
		go func() {
			relay(near, far)
			ended <- time.Since(start)
		}()
		for _, c := range []struct{ from, to net.Conn }{{client, target}, {target, client}} {
			time.Sleep(idleTime - time.Second) // synctest time
			go func() { _, _ = io.WriteString(c.from, "x") }()
			if _, err := io.ReadFull(c.to, make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
		}
		if got := <-ended; got != 3*idleTime-2*time.Second {
			t.Errorf("it ended after %s", got)
		}
	})
}

func TestIdleWebSocketEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		answer := &http.Response{StatusCode: http.StatusSwitchingProtocols, Body: near}
		if err := watchUpgrade(answer); err != nil {
			t.Fatal(err)
		}
		socket, ok := answer.Body.(io.ReadWriteCloser)
		if !ok {
			t.Fatal("it cannot be written to")
		}
		start := time.Now()
		time.Sleep(idleTime - time.Second) // of the bubble
		go func() { _, _ = io.WriteString(socket, "x") }()
		if _, err := io.ReadFull(far, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		if _, err := far.Read(make([]byte, 1)); err == nil || time.Since(start) != 2*idleTime-time.Second {
			t.Errorf("%v after %s", err, time.Since(start))
		}
	})
}

func TestListenerLimitsConnections(t *testing.T) {
	t.Parallel()
	tcp, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	ctx, cancel := context.WithCancel(t.Context())
	listener := limited{TCPListener: tcp, slots: make(chan struct{}, 2), ctx: ctx}
	var accepted []net.Conn
	for range 3 {
		conn, err := net.Dial("tcp", tcp.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { drop(conn) })
		if len(accepted) == 2 { // full: closing a connection, even twice, frees one slot
			drop(accepted[0], accepted[0])
		}
		taken, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { drop(taken) })
		accepted = append(accepted, taken)
	}
	if len(listener.slots) != 2 {
		t.Errorf("%d places are taken", len(listener.slots))
	}
	cancel()
	if _, err := listener.Accept(); err == nil {
		t.Error("a third connection was accepted")
	}
	if _, err := accepted[2].Read(make([]byte, 1)); err == nil {
		t.Error("a connection outlives its context")
	}
}
