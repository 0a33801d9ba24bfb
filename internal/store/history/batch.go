package history

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/store"
	"earshot/internal/store/engine"
)

// BatchProgress is a batch and the state of its tasks.
type BatchProgress struct {
	store.Batch
	Tasks    map[earshot.Status]int // number of tasks that are kept, by status
	MaxCost  int64                  // of the tasks that are kept
	Charged  int64
	Failures []BatchFailure
}

// BatchFailure counts the tasks of a batch that failed with the same error.
type BatchFailure struct {
	Error json.RawMessage
	Tasks int
}

// Batches lists batches of an organization, newest first, beginning after the id before; ""
// begins with the newest.
func (s *Store) Batches(ctx context.Context, organization, before string, limit int) (found []*BatchProgress, err error) {
	return s.batches(ctx, organization, `id < $2 ORDER BY id DESC LIMIT $3`, cmp.Or(before, uuid.Max.String()), limit)
}

// Batch returns a batch of an organization. It returns ErrNotFound.
func (s *Store) Batch(ctx context.Context, organization, id string) (*BatchProgress, error) {
	id, err := store.CanonicalID(id)
	if err != nil {
		return nil, fmt.Errorf("batch: %w", err)
	}
	batch, err := engine.FirstOf(s.batches(ctx, organization, `id = $2`, id))
	return batch, engine.Wrap(err, "batch %s", id)
}

func (s *Store) batches(ctx context.Context, organization, condition string, args ...any) (found []*BatchProgress, err error) {
	err = s.ShardOf(organization).Reports.Snapshot(ctx, func(now engine.Snapshot) error {
		rows, err := engine.FindRows(ctx, now, store.BatchesTable, `WHERE organization = $1 AND `+condition, append([]any{organization}, args...)...)
		if err != nil || len(rows) == 0 {
			return err
		}
		byID := map[string]*BatchProgress{}
		for _, row := range rows {
			b := &BatchProgress{Batch: *row, Tasks: map[earshot.Status]int{}}
			byID[b.ID], found = b, append(found, b)
		}
		return countTasks(ctx, now, organization, rows[len(rows)-1].ID, rows[0].ID, byID)
	})
	return found, engine.Wrap(err, "read batches")
}

// countTasks adds the states of the tasks of batches, whose ids range from first to last.
func countTasks(ctx context.Context, now engine.Snapshot, organization, first, last string, batches map[string]*BatchProgress) error {
	for _, query := range []string{
		`SELECT t.batch, j.status, NULL, COUNT(*), SUM(j.most), 0
			FROM batch_tasks t JOIN jobs j ON j.organization = t.organization AND j.id = t.job
			WHERE t.organization = $1 AND t.batch >= $2 AND t.batch <= $3 GROUP BY t.batch, j.status`,
		`SELECT t.batch, f.status, f.error, COUNT(*), SUM(f.most), SUM(f.charged)
			FROM batch_tasks t JOIN finished f ON f.organization = t.organization AND f.id = t.job
			WHERE t.organization = $1 AND t.batch >= $2 AND t.batch <= $3 GROUP BY t.batch, f.status, f.error`,
	} {
		err := now.Find(ctx, func(r engine.Scanner) error {
			var (
				id            string
				status        earshot.Status
				failure       *string
				tasks         int
				most, charged int64
			)
			if err := r.Scan(&id, &status, &failure, &tasks, &most, &charged); err != nil {
				return err
			}
			b := batches[id]
			if b == nil {
				return nil
			}
			b.Tasks[status] += tasks
			b.MaxCost, b.Charged = b.MaxCost+most, b.Charged+charged
			if failure != nil {
				b.Failures = append(b.Failures, BatchFailure{json.RawMessage(*failure), tasks})
			}
			return nil
		}, query, organization, first, last)
		if err != nil {
			return err
		}
	}
	return nil
}

// BatchResult is an ended task of a batch and its position in the input.
type BatchResult struct {
	*store.Task
	Position int
}

// BatchResults returns the ended tasks of a batch in the order of the input. It reads them in
// chunks, as a Page does. BatchResults returns ErrNotFound.
func (s *Store) BatchResults(ctx context.Context, organization, id string) (iter.Seq2[BatchResult, error], error) {
	id, err := store.CanonicalID(id)
	if err == nil {
		_, err = engine.FirstRow(ctx, s.ShardOf(organization).Lookups, store.BatchesTable, `WHERE organization = $1 AND id = $2`, organization, id)
	}
	if err != nil {
		return nil, fmt.Errorf("results of batch %s: %w", id, err)
	}
	positions := map[string]int{}
	var chunks chunks[int64]
	err = s.ShardOf(organization).Lookups.Find(ctx, func(r engine.Scanner) error {
		var job string
		var position, bytes int64
		err := r.Scan(&job, &position, &bytes)
		positions[job] = int(position)
		chunks.add(position, bytes)
		return err
	}, `
		SELECT t.job, t.position, octet_length(f.request) + COALESCE(octet_length(f.error), 0) + COALESCE(octet_length(f.result), 0)
		FROM batch_tasks t JOIN finished f ON f.organization = t.organization AND f.id = t.job
		WHERE t.organization = $1 AND t.batch = $2 ORDER BY t.position`, organization, id)
	if err != nil {
		return nil, fmt.Errorf("results of batch %s: %w", id, err)
	}
	return func(yield func(BatchResult, error) bool) {
		each := func(t *store.Task, err error) bool {
			if err != nil {
				return yield(BatchResult{}, err)
			}
			position, known := positions[t.ID]
			if !known { // a retry that replaced a task meanwhile
				return true
			}
			return yield(BatchResult{t, position}, nil)
		}
		for _, chunk := range chunks {
			goOn := s.readChunk(ctx, each, organization, `
				JOIN batch_tasks t ON t.organization = finished.organization AND t.job = finished.id
				WHERE t.organization = $1 AND t.batch = $2 AND t.position >= $3 AND t.position <= $4 ORDER BY t.position`,
				id, chunk.first, chunk.last)
			if !goOn {
				return
			}
		}
	}, nil
}
