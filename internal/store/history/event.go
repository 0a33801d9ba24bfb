package history

import (
	"context"
	"fmt"
	"strconv"

	"earshot/internal/store"
	"earshot/internal/store/engine"
)

// Events returns tasks of an organization in the order in which they ended, beginning after the
// sequence number after. Next is the number of the last task, or "" if the page is empty.
func (s *Store) Events(ctx context.Context, organization string, after int64, limit int) (*Page, error) {
	last := after
	var chunks chunks[int64]
	err := s.ShardOf(organization).Lookups.Find(ctx, func(r engine.Scanner) error {
		var bytes int64
		if err := r.Scan(&last, &bytes); err != nil {
			return err
		}
		chunks.add(last, bytes)
		return nil
	}, `
		SELECT event, octet_length(request) + COALESCE(octet_length(error), 0) + COALESCE(octet_length(result), 0)
		FROM finished WHERE organization = $1 AND event > $2 ORDER BY event LIMIT $3`, organization, after, limit)
	if err != nil {
		return nil, fmt.Errorf("list events: %w", err)
	}
	page := &Page{Tasks: func(yield func(*store.Task, error) bool) {
		for _, chunk := range chunks {
			if !s.readChunk(ctx, yield, organization, `WHERE organization = $1 AND event >= $2 AND event <= $3 ORDER BY event`, chunk.first, chunk.last) {
				return
			}
		}
	}}
	if last != after {
		page.Next = strconv.FormatInt(last, 10)
	}
	return page, nil
}

// chunks are ranges of the ids, sequence numbers or positions of tasks. Each chunk is read at once.
type chunks[N int64 | string] []chunk[N]

type chunk[N int64 | string] struct {
	first, last N
	bytes       int64
}

// add adds a task to the last chunk, or to a new one if the last chunk is full.
func (c *chunks[N]) add(number N, bytes int64) {
	if n := len(*c); n > 0 && (*c)[n-1].bytes+bytes <= store.EventBytes {
		last := &(*c)[n-1]
		last.last, last.bytes = number, last.bytes+bytes
		return
	}
	*c = append(*c, chunk[N]{number, number, bytes})
}

// readChunk yields the ended tasks of an organization ($1) in a chunk and reports whether to
// continue. It omits tasks that were deleted meanwhile.
func (s *Store) readChunk(ctx context.Context, yield func(*store.Task, error) bool, organization, clause string, args ...any) bool {
	tasks, err := engine.FindRows(ctx, s.ShardOf(organization).Lookups, store.FinishedTable, clause, append([]any{organization}, args...)...)
	if err != nil {
		return yield(nil, fmt.Errorf("read ended tasks: %w", err))
	}
	for i, task := range tasks {
		tasks[i] = nil // free the memory: the task may be large and the caller slow
		if err := task.Unpack(); err != nil {
			return yield(nil, err)
		}
		if !yield(task, nil) {
			return false
		}
	}
	return true
}
