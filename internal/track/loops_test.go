package track_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store/storetest"
	"earshot/internal/track"
)

// blockingLog blocks the writer of one log message, and signals another message.
type blockingLog struct {
	slog.Handler
	block, signal               string
	panics                      bool // instead of blocking
	reached, released, signaled chan struct{}
}

func (*blockingLog) Enabled(context.Context, slog.Level) bool { return true }

func (h *blockingLog) Handle(_ context.Context, r slog.Record) error {
	switch r.Message {
	case h.block:
		close(h.reached)
		if h.panics {
			panic("as a mistake in our code would")
		}
		<-h.released
	case h.signal:
		close(h.signaled)
	}
	return nil
}

// While the answers of one tracker are analysed again, and after that work panicked, sweeps of another
// tracker start and end.
func TestSweepsDoNotWaitForAnalyses(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) { sweepBesideAnalysis(t, address, false) })
	t.Run("panic", func(t *testing.T) { sweepBesideAnalysis(t, storetest.SQLite(t), true) })
}

func sweepBesideAnalysis(t *testing.T, address string, panics bool) {
	t.Helper()
	w := newWorld(t, address, time.Now())
	w.apply("large", fmt.Sprintf(cells, "two")+"brands: [{name: Acme}]\n")
	w.apply("large", fmt.Sprintf(cells, "two")+"brands: [{name: Acme}, {name: Globex}]\n")
	w.apply("small", fmt.Sprintf(cells, "two"))
	log := &blockingLog{
		block: "finished a reanalysis", signal: "sweep ended", panics: panics,
		reached: make(chan struct{}), released: make(chan struct{}), signaled: make(chan struct{}),
	}
	cfg := w.services[0].Config
	cfg.Log = slog.New(log)
	service := track.New(cfg)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- service.Run(ctx) }()
	defer func() {
		close(log.released)
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}()
	<-log.reached
	if _, err := service.RunNow(ctx, w.organization, "small", earshot.SweepRequest{}, account.Operator(), time.Now()); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-log.signaled:
			return
		case <-tick.C:
			w.work()
		}
	}
}
