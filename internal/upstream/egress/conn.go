package egress

import (
	"context"
	"io"
	"net"
	"sync"
)

// bound is a connection that is closed when a context ends.
type bound struct {
	*net.TCPConn
	release func()
}

// Close also stops watching the context.
func (c bound) Close() error {
	defer c.release()
	return c.TCPConn.Close()
}

// bind returns conn as a connection that is closed when ctx ends. It calls closed once,
// after the first Close.
func bind(ctx context.Context, conn *net.TCPConn, closed func()) net.Conn {
	stop := context.AfterFunc(ctx, func() { drop(conn) })
	return bound{TCPConn: conn, release: sync.OnceFunc(func() {
		stop()
		closed()
	})}
}

// bindOut is bind for an outgoing connection.
func bindOut(ctx context.Context, conn net.Conn) net.Conn {
	if tcp, ok := conn.(*net.TCPConn); ok {
		return bind(ctx, tcp, func() {})
	}
	return conn
}

// limited is a listener that accepts at most cap(slots) connections at a time. Further
// connections wait in the system's accept queue.
type limited struct {
	*net.TCPListener
	slots chan struct{}
	ctx   context.Context // ends the listener and its connections
}

// Accept waits for a free slot, then for a connection.
func (l limited) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.ctx.Done():
		return nil, net.ErrClosed
	}
	conn, err := l.AcceptTCP()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return bind(l.ctx, conn, func() { <-l.slots }), nil
}

// drop closes connections and ignores errors.
func drop(conns ...io.Closer) {
	for _, conn := range conns {
		_ = conn.Close()
	}
}

// closeWrite closes the writing side of conn. If conn does not support that, closeWrite
// closes the whole connection.
func closeWrite(conn net.Conn) error {
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return conn.Close()
}
