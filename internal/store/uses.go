package store

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"earshot/internal/store/engine"
)

// Uses caches when keys or sessions were last used until Write has written the times. So a request
// waits for no write. It is safe for concurrent use.
type Uses struct {
	table  string
	update engine.Statement[use]

	mu     sync.Mutex
	latest map[string]int64 // by id
}

type use struct {
	id string
	at int64
}

// NewUses returns a cache of the times in a column of a table of the coordinator.
func NewUses(table, column string) *Uses {
	columns := []engine.Column[use]{
		engine.TextField("id", func(u *use) *string { return &u.id }),
		engine.IntField(column, func(u *use) *int64 { return &u.at }),
	}
	return &Uses{table: table, latest: map[string]int64{}, update: engine.NewStatement(columns, func(in engine.Input) string {
		return `UPDATE ` + table + ` SET ` + in.Assign(column) + ` ` + in.Where(table, "id") + `
			AND (` + table + `.` + column + ` IS NULL OR ` + table + `.` + column + ` < ` + in.Value(column) + `)`
	})}
}

// Note records in memory that a row was used.
func (u *Uses) Note(id string, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.latest[id] = max(u.latest[id], engine.Millis(now))
}

// Latest returns the cached time of a row, or the zero time.
func (u *Uses) Latest(id string) time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	if at := u.latest[id]; at > 0 {
		return time.UnixMilli(at)
	}
	return time.Time{}
}

// Write writes the cached times. If a write fails, its times stay in the cache for the next call.
func (u *Uses) Write(db *engine.DB) error {
	u.mu.Lock()
	noted := maps.Clone(u.latest)
	u.mu.Unlock()
	var used []*use
	for _, id := range slices.Sorted(maps.Keys(noted)) {
		used = append(used, &use{id, noted[id]})
	}
	for batch := range slices.Chunk(used, PruneBatch) {
		err := db.Execute(func(ctx context.Context, tx *engine.Tx) error { return engine.Each(ctx, tx, u.update, batch, nil) })
		if err != nil {
			return engine.Wrap(err, "store the last uses of %s", u.table)
		}
		u.forget(batch)
	}
	return nil
}

// forget removes written times from the cache, unless the row was used again.
func (u *Uses) forget(written []*use) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, one := range written {
		if u.latest[one.id] == one.at {
			delete(u.latest, one.id)
		}
	}
}
