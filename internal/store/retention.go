package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/google/uuid"

	"earshot/internal/store/engine"
)

// PruneBatch limits the rows of a deletion, which keeps its transaction short.
const PruneBatch = 500

// DeleteFinished deletes a batch of jobs that were created and ended before the given times,
// with all rows that refer to them. It keeps jobs whose webhook is not sent yet or whose tracker has not
// recorded them. It returns the number of deleted jobs. Call it again until it returns 0.
func (s *Store) DeleteFinished(ctx context.Context, created, ended time.Time) (int, error) {
	return s.sumOverShards(func(p *engine.Shard) (int, error) { return deleteFinishedBefore(ctx, p, created, ended) })
}

// sumOverShards returns the sum of the results of all shards.
func (s *Store) sumOverShards(ask func(*engine.Shard) (int, error)) (sum int, err error) {
	counts, err := engine.FromAllShards(s.DB, func(p *engine.Shard) ([]int, error) {
		n, err := ask(p)
		return []int{n}, err
	})
	for _, n := range counts {
		sum += n
	}
	return sum, err
}

func deleteFinishedBefore(ctx context.Context, p *engine.Shard, created, ended time.Time) (int, error) {
	old, err := findExpiredJobs(ctx, p.Lookups, created, ended)
	if err != nil || len(old) == 0 {
		return 0, err
	}
	var keys []*keyedTask
	var webhooks []*DeliveryRow
	var places []*batchTask
	var retries []*retryRow
	for _, task := range old {
		if task.IdempotencyKey != nil {
			keys = append(keys, &keyedTask{taskKey{task.Organization, *task.IdempotencyKey}, task.ID})
		}
		places = append(places, &batchTask{organization: task.Organization, job: task.ID})
		retries = append(retries, &retryRow{organization: task.Organization, job: task.ID})
		webhooks = append(webhooks, &DeliveryRow{Delivery: Delivery{Organization: task.Organization, Job: task.ID}})
	}
	err = p.Execute(func(ctx context.Context, tx *engine.Tx) error {
		if err := engine.Each(ctx, tx, insertCharges, old, nil); err != nil {
			return fmt.Errorf("keep the charges of finished jobs: %w", err)
		}
		if err := engine.Each(ctx, tx, deleteFinished, old, nil); err != nil {
			return fmt.Errorf("delete finished jobs: %w", err)
		}
		if err := engine.Each(ctx, tx, deleteKeys, keys, nil); err != nil {
			return fmt.Errorf("free idempotency keys: %w", err)
		}
		if err := engine.Each(ctx, tx, deleteBatchTasks, places, nil); err != nil {
			return fmt.Errorf("delete positions in batches: %w", err)
		}
		if err := engine.Each(ctx, tx, deleteRetries, retries, nil); err != nil {
			return fmt.Errorf("delete retries: %w", err)
		}
		return RemoveDeliveries(ctx, tx, webhooks)
	})
	return len(old), err
}

// DeleteBatches deletes some batches that were submitted before the given time and have no
// tasks left. It returns their number.
func (s *Store) DeleteBatches(ctx context.Context, created time.Time) (int, error) {
	return s.sumOverShards(func(p *engine.Shard) (int, error) { return deleteBatchesBefore(ctx, p, created) })
}

func deleteBatchesBefore(ctx context.Context, p *engine.Shard, created time.Time) (int, error) {
	var old []*Batch
	err := p.Lookups.Find(ctx, engine.Collect(BatchesTable, &old), `
		SELECT `+BatchesTable.List+` FROM organizations o JOIN batches ON batches.organization = o.id AND batches.id < $1
		WHERE batches.created_at < $2 AND NOT EXISTS (
			SELECT 1 FROM batch_tasks t WHERE t.organization = batches.organization AND t.batch = batches.id)
		LIMIT $3`, FirstID(created), engine.Millis(created), PruneBatch)
	if err != nil || len(old) == 0 {
		return 0, err
	}
	err = p.Execute(func(ctx context.Context, tx *engine.Tx) error { return engine.Each(ctx, tx, deleteBatches, old, nil) })
	return len(old), err
}

// expiredJobs has the columns of a finished job that its deletion needs.
var expiredJobs = engine.NewTable("finished",
	FinishedTable.Only("organization", "id", "idempotency_key")...)

// findExpiredJobs uses the index on ids. The time in an id comes from the machine that made the
// id and is not exact, so created_at is compared as well.
func findExpiredJobs(ctx context.Context, in engine.Querier, created, ended time.Time) (old []*Task, err error) {
	err = in.Find(ctx, engine.Collect(expiredJobs, &old), `
		SELECT `+expiredJobs.List+`
		FROM organizations o JOIN finished ON finished.organization = o.id AND finished.id < $1
		WHERE finished.finished_at < $2 AND finished.created_at < $4 AND NOT EXISTS (
			SELECT 1 FROM deliveries d WHERE d.organization = finished.organization AND d.job = finished.id AND d.due_at IS NOT NULL)
			AND NOT EXISTS (SELECT 1 FROM followers w WHERE w.organization = finished.organization AND finished.event > w.event)
		LIMIT $3`, FirstID(created), engine.Millis(ended), PruneBatch, engine.Millis(created))
	return old, err
}

// FirstID returns the smallest id of a moment.
func FirstID(t time.Time) string {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[:8], uint64(max(0, engine.Millis(t)))<<16)
	return id.String()
}
