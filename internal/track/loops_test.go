package track_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"earshot"
	"earshot/internal/store/storetest"
	"earshot/internal/track"
)

// held is a log that keeps whoever writes one message waiting, and tells of another.
type held struct {
	slog.Handler
	hold, tell              string
	reached, released, told chan struct{}
}

func (*held) Enabled(context.Context, slog.Level) bool { return true }

func (h *held) Handle(_ context.Context, r slog.Record) error {
	switch r.Message {
	case h.hold:
		close(h.reached)
		<-h.released
	case h.tell:
		close(h.told)
	}
	return nil
}

// While the answers of one tracker are analysed anew, sweeps of another begin and end.
func TestSweepsDoNotWaitForAnalyses(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		w := newWorld(t, address, time.Now())
		w.apply("large", fmt.Sprintf(cells, "two")+"brands: [{name: Acme}]\n")
		w.apply("large", fmt.Sprintf(cells, "two")+"brands: [{name: Acme}, {name: Globex}]\n")
		w.apply("small", fmt.Sprintf(cells, "two"))
		log := &held{
			hold: "answers are analysed", tell: "sweep ended",
			reached: make(chan struct{}), released: make(chan struct{}), told: make(chan struct{}),
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
		if _, err := service.RunNow(ctx, w.organization, "small", earshot.SweepRequest{}, time.Now()); err != nil {
			t.Fatal(err)
		}
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-log.told:
				return
			case <-tick.C:
				w.work()
			}
		}
	})
}
