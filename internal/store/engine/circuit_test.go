package engine

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// pipeDial is a dial function for connections to nobody.
func pipeDial(context.Context, string, string) (net.Conn, error) {
	conn, _ := net.Pipe()
	return conn, nil
}

func TestACircuitOpensWhileItsServerIsSilent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var silent, failing atomic.Bool
		c := newCircuit("server", slog.New(slog.DiscardHandler))
		c.probe = func(ctx context.Context) error {
			if silent.Load() {
				<-ctx.Done()
				return ctx.Err()
			}
			if failing.Load() {
				return errors.New("refused")
			}
			return nil
		}
		ctx, stop := context.WithCancel(t.Context())
		go c.watch(ctx)
		dial := c.through(pipeDial)
		conn, err := dial(ctx, "", "")
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() {
			_, err := conn.Read(make([]byte, 1))
			ended <- err
		}()
		wait := func(d time.Duration, open bool) {
			t.Helper()
			time.Sleep(d) // synctest's clock
			synctest.Wait()
			if c.isOpen() != open {
				t.Errorf("open: %v", !open)
			}
			if _, err := dial(ctx, "", ""); errors.Is(err, errSilent) != open {
				t.Errorf("a new connection: %v", err)
			}
		}
		wait(time.Minute, false)
		failing.Store(true)
		wait(time.Minute, false)
		failing.Store(false)

		silent.Store(true)
		wait(probeEvery+probeTime, false) // one unanswered probe is not enough
		silent.Store(false)
		wait(probeTime, false)
		silent.Store(true)
		wait(probeEvery+silentProbes*probeTime, true)
		if err := <-ended; err == nil {
			t.Error("a read ended without an error")
		}
		wait(time.Minute, true)
		silent.Store(false)
		wait(openProbeTime, false)
		stop()
	})
}

func TestACircuitEndsConnectionAttempts(t *testing.T) {
	t.Parallel()
	c := newCircuit("server", slog.New(slog.DiscardHandler))
	dial := c.through(func(ctx context.Context, _, _ string) (net.Conn, error) {
		c.closed.Load().end()
		<-ctx.Done()
		return nil, ctx.Err()
	})
	if _, err := dial(t.Context(), "", ""); !errors.Is(err, errSilent) {
		t.Error(err)
	}
	c.close()
	dial = c.through(func(ctx context.Context, _, _ string) (net.Conn, error) {
		c.closed.Load().end()
		return pipeDial(ctx, "", "")
	})
	if _, err := dial(t.Context(), "", ""); !errors.Is(err, errSilent) {
		t.Error(err)
	}
}
