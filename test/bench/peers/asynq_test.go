package peers

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"
)

const (
	callers     = 16 // add jobs side by side, as there is no bulk insert; as many as in package bench
	servers     = 16 // take jobs side by side, as each takes one at a time: with a synced log three times as fast as one
	concurrency = 50 // of each server; 10 to 1,000 make no difference to jobs that do nothing
)

// BenchmarkAsynq measures asynq on Redis as it comes, which may lose the last
// minute in a crash, and on Redis as lasting as PostgreSQL.
func BenchmarkAsynq(b *testing.B) {
	b.Run("redis", func(b *testing.B) {
		server := address(b, "EARSHOT_TEST_REDIS")
		measure(b, 50_000, func(b *testing.B, n int) { runAsynq(b, server, n) })
	})
	b.Run("redis-aof", func(b *testing.B) {
		server := address(b, "EARSHOT_TEST_REDIS")
		syncAlways(b, server)
		measure(b, 50_000, func(b *testing.B, n int) { runAsynq(b, server, n) })
	})
}

func runAsynq(b *testing.B, address string, n int) {
	b.Helper()
	server := asynq.RedisClientOpt{Addr: address}
	queue := "test_" + strings.ToLower(rand.Text())
	enqueue(b, server, queue, n)
	inspector := asynq.NewInspector(server)
	defer inspector.Close()
	var unhandled sync.WaitGroup
	unhandled.Add(n)
	handler := asynq.HandlerFunc(func(context.Context, *asynq.Task) error {
		unhandled.Done()
		return nil
	})
	workers := make([]*asynq.Server, servers)
	for i := range workers {
		workers[i] = asynq.NewServer(server, asynq.Config{Concurrency: concurrency, Queues: map[string]int{queue: 1}, LogLevel: asynq.ErrorLevel})
	}
	b.StartTimer()
	for _, w := range workers {
		check(b, w.Start(handler))
	}
	unhandled.Wait()
	for { // until the last is acknowledged too
		info, err := inspector.GetQueueInfo(queue)
		check(b, err)
		if info.Size == 0 && info.ProcessedTotal == n && info.FailedTotal == 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	b.StopTimer()
	var stopping sync.WaitGroup // each takes about a second
	for _, w := range workers {
		stopping.Go(w.Shutdown)
	}
	stopping.Wait()
	check(b, inspector.DeleteQueue(queue, true))
}

func enqueue(b *testing.B, server asynq.RedisClientOpt, queue string, n int) {
	b.Helper()
	payload, err := json.Marshal(question())
	check(b, err)
	client := asynq.NewClient(server)
	defer client.Close()
	var added atomic.Int64
	var group errgroup.Group
	for range callers {
		group.Go(func() error {
			for added.Add(1) <= int64(n) {
				if _, err := client.EnqueueContext(b.Context(), asynq.NewTask(noop{}.Kind(), payload), asynq.Queue(queue)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	check(b, group.Wait())
}

// syncAlways has Redis write every change to its log, and sync it, before it
// answers, until the benchmark ends.
func syncAlways(b *testing.B, server string) {
	b.Helper()
	client := redis.NewClient(&redis.Options{Addr: server})
	set := func(name, value string) {
		check(b, client.ConfigSet(context.WithoutCancel(b.Context()), name, value).Err())
	}
	set("appendfsync", "always")
	set("appendonly", "yes")
	b.Cleanup(func() {
		set("appendonly", "no")
		set("appendfsync", "everysec")
		_ = client.Close() // nothing is left to lose
	})
	for { // until the log is begun
		info, err := client.Info(b.Context(), "persistence").Result()
		check(b, err)
		if strings.Contains(info, "aof_enabled:1") && strings.Contains(info, "aof_rewrite_scheduled:0") && strings.Contains(info, "aof_rewrite_in_progress:0") {
			return
		}
		time.Sleep(time.Millisecond)
	}
}
