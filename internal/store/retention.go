package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/google/uuid"

	"earshot/internal/store/engine"
)

// PruneBatch keeps the transactions of house-keeping short.
const PruneBatch = 500

// DeleteFinished removes jobs that were created and ended before the given times,
// with all that is kept of them, a batch at a time. Those whose webhook is still to be
// sent stay, and those that a tracker has not recorded. It returns how many there were: as long as there are any, call it
// again.
func (s *Store) DeleteFinished(ctx context.Context, created, ended time.Time) (int, error) {
	return s.countEverywhere(func(p *engine.Shard) (int, error) { return deleteFinishedBefore(ctx, p, created, ended) })
}

// countEverywhere adds up what parts report.
func (s *Store) countEverywhere(ask func(*engine.Shard) (int, error)) (sum int, err error) {
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
	old, err := findForgettable(ctx, p.Lookups, created, ended)
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
		if err := engine.Each(ctx, tx, keepCharges, old, nil); err != nil {
			return fmt.Errorf("keep the charges of finished jobs: %w", err)
		}
		if err := engine.Each(ctx, tx, deleteFinished, old, nil); err != nil {
			return fmt.Errorf("delete finished jobs: %w", err)
		}
		if err := engine.Each(ctx, tx, deleteKeys, keys, nil); err != nil {
			return fmt.Errorf("free idempotency keys: %w", err)
		}
		if err := engine.Each(ctx, tx, deleteBatchTasks, places, nil); err != nil {
			return fmt.Errorf("take jobs out of their batches: %w", err)
		}
		if err := engine.Each(ctx, tx, deleteRetries, retries, nil); err != nil {
			return fmt.Errorf("forget retries: %w", err)
		}
		return RemoveDeliveries(ctx, tx, webhooks)
	})
	return len(old), err
}

// DeleteBatches removes batches that were submitted before the given time and of which
// no task is kept, some at a time. It returns how many there were.
func (s *Store) DeleteBatches(ctx context.Context, created time.Time) (int, error) {
	return s.countEverywhere(func(p *engine.Shard) (int, error) { return deleteBatchesBefore(ctx, p, created) })
}

func deleteBatchesBefore(ctx context.Context, p *engine.Shard, created time.Time) (int, error) {
	var old []*Batch
	err := p.Lookups.Find(ctx, engine.Collect(batchesTable, &old), `
		SELECT `+batchesTable.List+` FROM organizations o JOIN batches ON batches.organization = o.id AND batches.id < $1
		WHERE batches.created_at < $2 AND NOT EXISTS (
			SELECT 1 FROM batch_tasks t WHERE t.organization = batches.organization AND t.batch = batches.id)
		LIMIT $3`, FirstID(created), engine.Millis(created), PruneBatch)
	if err != nil || len(old) == 0 {
		return 0, err
	}
	err = p.Execute(func(ctx context.Context, tx *engine.Tx) error { return engine.Each(ctx, tx, deleteBatches, old, nil) })
	return len(old), err
}

// forgettable are the columns of a finished job that matter when it is forgotten.
var forgettable = engine.NewTable("finished",
	FinishedTable.Only("organization", "id", "idempotency_key")...)

// findForgettable finds jobs by their ids, which an index has. The time in an id is that
// of the machine that made it; the time that counts is in created_at.
func findForgettable(ctx context.Context, in engine.Querier, created, ended time.Time) (old []*Task, err error) {
	err = in.Find(ctx, engine.Collect(forgettable, &old), `
		SELECT `+forgettable.List+`
		FROM organizations o JOIN finished ON finished.organization = o.id AND finished.id < $1
		WHERE finished.finished_at < $2 AND finished.created_at < $4 AND NOT EXISTS (
			SELECT 1 FROM deliveries d WHERE d.organization = finished.organization AND d.job = finished.id AND d.due_at IS NOT NULL)
			AND NOT EXISTS (SELECT 1 FROM followers w WHERE w.organization = finished.organization AND finished.event > w.event)
		LIMIT $3`, FirstID(created), engine.Millis(ended), PruneBatch, engine.Millis(created))
	return old, err
}

// FirstID is where the ids of a moment begin.
func FirstID(t time.Time) string {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[:8], uint64(max(0, engine.Millis(t)))<<16)
	return id.String()
}
