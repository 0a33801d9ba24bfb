package bench

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/store"
	"earshot/internal/store/storetest"
)

// BenchmarkBeginSettle measures the two transactions of a synchronous call, for
// one organization, for many, and while 100 other writes a second are refused.
func BenchmarkBeginSettle(b *testing.B) {
	for _, db := range databases {
		for _, organizations := range []int{1, 100} {
			b.Run(fmt.Sprintf("%s/%d", db.name, organizations), func(b *testing.B) {
				beginSettle(b, db.address(b), organizations, 0)
			})
		}
		b.Run(db.name+"/refused", func(b *testing.B) { beginSettle(b, db.address(b), 100, 100) })
	}
}

// refuse makes some writes a second that are refused, until stop is called.
func refuse(s *store.Store, organization string, perSecond int) (stop func()) {
	ended := make(chan struct{})
	var writes sync.WaitGroup
	writes.Go(func() {
		tick := time.NewTicker(time.Second / time.Duration(perSecond))
		defer tick.Stop()
		for {
			select {
			case <-ended:
				return
			case <-tick.C:
				writes.Go(func() {
					_ = s.Commit(store.Change{Organization: organization, Apply: func(context.Context, *store.Work) error { return store.ErrNotFound }})
				})
			}
		}
	})
	return func() {
		close(ended)
		writes.Wait()
	}
}

func beginSettle(b *testing.B, address string, organizations, refused int) {
	b.Helper()
	s := storetest.Open(b, address)
	node, err := s.RegisterNode("bench", 1, time.Now())
	if err != nil {
		b.Fatal(err)
	}
	ids := make([]string, organizations)
	for i := range ids {
		ids[i] = storetest.Organization(b, s, 1000, 1<<40).ID
	}
	if refused > 0 {
		defer refuse(s, ids[0], refused)()
	}
	var next atomic.Int64
	b.SetParallelism(callers / 2)
	cpu := cpuUsed(b, address)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			job := store.Job{
				ID: uuid.Must(uuid.NewV7()).String(), Organization: ids[int(next.Add(1))%organizations], KeyID: "key",
				Provider: "chatassistant", Mode: store.ModeSync, Request: []byte(question), MaxCost: 5, Node: node, CreatedAt: time.Now(),
			}
			if _, err := s.Begin(job); err != nil {
				b.Error(err)
				return
			}
			if _, err := s.Settle(store.Settlement{Job: &job, Status: earshot.StatusCompleted, Charge: 5, Attempts: 1}, time.Now()); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
	cpu.report(b, address, b.N)
}
