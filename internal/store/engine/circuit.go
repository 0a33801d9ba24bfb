package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// probeEvery is the interval of probes while the server answers.
	probeEvery = time.Second
	// probeTime is how long a server may take to answer a probe while the circuit is closed.
	probeTime = 1500 * time.Millisecond
	// openProbeTime is the same while the circuit is open. It is enough to try several addresses.
	openProbeTime = 10 * time.Second
	// silentProbes is how many probes in a row must remain unanswered to open a circuit. After a
	// pause of this process the first one may be unanswered for that reason.
	silentProbes = 2
)

// errSilent is returned instead of a connection to a server that does not answer.
var errSilent = errors.New("the server does not answer")

// circuit is a circuit breaker for connections to a server that hangs: its connections stay open,
// but nothing answers, so no time limit of the server helps.
//
// The circuit opens when probes remain unanswered. It then closes all connections, which ends what
// waits for them, and refuses new ones, so that nothing else waits. Probes continue, and the circuit
// closes when one is answered. An error other than a timeout is an answer too: without the circuit,
// callers get it just as quickly.
//
// The time limit applies to the probes alone, so slow statements and those that wait for locks are
// not affected.
type circuit struct {
	server string // in the log
	log    *slog.Logger
	probe  func(context.Context) error
	closed atomic.Pointer[period] // the last one
}

// period is the time from the closing of a circuit to its opening.
type period struct {
	context.Context
	end context.CancelFunc
}

func newCircuit(server string, log *slog.Logger) *circuit {
	c := &circuit{server: server, log: log}
	c.close()
	return c
}

func (c *circuit) close() {
	ctx, end := context.WithCancel(context.Background())
	c.closed.Store(&period{ctx, end})
}

// isOpen reports whether the circuit is open.
func (c *circuit) isOpen() bool { return c.closed.Load().Err() != nil }

// watch probes the server until ctx ends.
func (c *circuit) watch(ctx context.Context) {
	ticker := time.NewTicker(probeEvery)
	defer ticker.Stop()
	for silent := 0; ; {
		if silent == 0 {
			select {
			case <-ctx.Done():
			case <-ticker.C:
			}
		}
		answered := c.answers(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case !answered:
			silent++
			if silent == silentProbes {
				c.log.Error("the database does not answer: its connections are closed, and new ones refused", "server", c.server)
				c.closed.Load().end()
			}
			continue
		case c.isOpen():
			c.log.Info("the database answers again", "server", c.server)
			c.close()
		}
		silent = 0
	}
}

// answers reports whether the server answers a probe in time.
func (c *circuit) answers(ctx context.Context) bool {
	limit := probeTime
	if c.isOpen() {
		limit = openProbeTime
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := c.probe(ctx)
	network, ok := errors.AsType[net.Error](err)
	return err == nil || ctx.Err() == nil && (!ok || !network.Timeout())
}

// through returns a dial function whose connections last until the circuit opens.
func (c *circuit) through(dial pgconn.DialFunc) pgconn.DialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		closed := c.closed.Load()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(closed, cancel)()
		conn, err := dial(ctx, network, address)
		if closed.Err() != nil { // err may say that the caller has ended it
			if err == nil {
				_ = conn.Close()
			}
			return nil, errSilent
		}
		if err != nil {
			return nil, err
		}
		return &guardedConn{Conn: conn, forget: context.AfterFunc(closed, func() { _ = conn.Close() })}, nil
	}
}

// guardedConn is a connection through a circuit.
type guardedConn struct {
	net.Conn
	forget func() bool // releases the circuit's reference; reports whether the connection was still open
}

// Close implements net.Conn.
func (c *guardedConn) Close() error {
	if !c.forget() {
		return nil // the circuit has closed it
	}
	return c.Conn.Close()
}

// guard adds a circuit to a configuration, for the pools that are opened with it from now on.
func (s *DB) guard(pg *pgx.ConnConfig) {
	probes := openPostgresPool(pg, 1, nil, toServer)
	c := newCircuit(fmt.Sprintf("%s:%d", pg.Host, pg.Port), s.log)
	pg.DialFunc = c.through(pg.DialFunc)
	s.watch(c, probes, `SELECT 1`)
}

// watch probes a server with a statement until the database is closed.
func (s *DB) watch(c *circuit, probes Pool, statement string) {
	c.probe = func(ctx context.Context) error {
		_, err := probes.ExecContext(ctx, statement)
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.watch(ctx)
	}()
	closeRest := s.close
	s.close = func() error {
		cancel()
		<-ended
		return errors.Join(probes.Close(), closeRest())
	}
}
