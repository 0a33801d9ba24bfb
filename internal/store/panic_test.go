package store_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"earshot/internal/store"
	"earshot/internal/store/engine"
	"earshot/internal/store/storetest"
)

// TestAPanicFailsOnlyItsChange has changes panic among others, which share their transactions.
func TestAPanicFailsOnlyItsChange(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		var log bytes.Buffer
		s, err := store.Open(t.Context(), store.Config{URL: address, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		o := storetest.Organization(t, s, 1, 1)
		var group sync.WaitGroup
		for i := range 10 {
			group.Go(func() {
				err := s.Commit(store.Change{Organization: o.ID, Apply: func(context.Context, *store.Work) error {
					if i == 5 {
						panic("oops")
					}
					return nil
				}})
				if bad := errors.Is(err, engine.ErrPanicked); bad != (i == 5) || !bad && err != nil {
					t.Errorf("change %d: %v", i, err)
				}
			})
		}
		s.WriteLater(&engine.Write{Organization: o.ID, Apply: func(context.Context, engine.Unit) error { return nil }, Done: func(error) { panic("in Done") }})
		group.Wait()
		if err := errors.Join(s.Commit(store.Change{Organization: o.ID, Apply: func(context.Context, *store.Work) error { return nil }}), s.Close()); err != nil {
			t.Errorf("afterwards: %v", err)
		}
		for _, want := range []string{"panic=oops", `panic="in Done"`, "panic_test.go"} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("the log does not have %s:\n%s", want, log.String())
			}
		}
	})
}
