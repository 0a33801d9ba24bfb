package egress

import (
	"context"
	"io"
	"net"
	"sync"
)

// bound is a connection that ends with a context.
type bound struct {
	*net.TCPConn
	release func()
}

// Close also lets go of the context.
func (c bound) Close() error {
	defer c.release()
	return c.TCPConn.Close()
}

// bind closes conn when ctx ends, if it is still open then. It calls closed once
// after the first Close.
func bind(ctx context.Context, conn *net.TCPConn, closed func()) net.Conn {
	stop := context.AfterFunc(ctx, func() { drop(conn) })
	return bound{TCPConn: conn, release: sync.OnceFunc(func() {
		stop()
		closed()
	})}
}

// bindOut is bind for a connection that was dialled.
func bindOut(ctx context.Context, conn net.Conn) net.Conn {
	if tcp, ok := conn.(*net.TCPConn); ok {
		return bind(ctx, tcp, func() {})
	}
	return conn
}

// limited is a listener that takes no more connections at a time than it has
// slots. The others wait in the system's queue.
type limited struct {
	*net.TCPListener
	slots chan struct{}
	ctx   context.Context // ends the listener and its connections
}

// Accept waits for a free place, then for a connection.
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

// drop closes what is given up anyway, so that errors no longer matter.
func drop(conns ...io.Closer) {
	for _, conn := range conns {
		_ = conn.Close()
	}
}

// closeWrite tells the other side that nothing more comes, and leaves it free to
// answer where the connection can do that.
func closeWrite(conn net.Conn) error {
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return conn.Close()
}
