package engine

import (
	"context"
	"testing"
)

// Servers returns the system identifier of the coordinator, and of the server that the
// connections of each shard lead to.
func (s *DB) Servers(tb testing.TB) (coordinator int64, shards []int64) {
	tb.Helper()
	for _, p := range append([]*Shard{s.Shard}, s.Shards...) {
		server, err := FindValues[int64](tb.Context(), p.Lookups, serverIdentity)
		if err != nil {
			tb.Fatal(err)
		}
		shards = append(shards, server...)
	}
	return shards[0], shards[1:]
}

// FirstWorker returns the worker that has the first shard.
func (s *DB) FirstWorker(tb testing.TB) (host string, port uint16, server int64) {
	tb.Helper()
	found, err := s.findWorker(tb.Context(), s.Shards[0].Schema)
	if err != nil {
		tb.Fatal(err)
	}
	return found.host, found.port, found.server
}

// Reached returns the server that a connection to a shard leads to if the coordinator reports
// the given worker.
func (s *DB) Reached(tb testing.TB, host string, port uint16, server int64) (reached int64) {
	tb.Helper()
	w := &worker{circuit: newCircuit("", s.log), log: s.log, find: func(context.Context) (workerPlace, error) { return workerPlace{host, port, server}, nil }}
	pool := openPostgresPool(s.Listener, 1, nil, w.connector(s.dial, false))
	defer pool.Close()
	if err := pool.QueryRowContext(tb.Context(), serverIdentity).Scan(&reached); err != nil {
		tb.Fatal(err)
	}
	return reached
}
