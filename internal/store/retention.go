package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// pruneBatch keeps the transactions of house-keeping short.
const pruneBatch = 500

// DeleteFinished removes jobs that were created and ended before the given times,
// with all that is kept of them, a batch at a time. Those whose webhook is still to be
// sent stay. It returns how many there were: as long as there are any, call it
// again.
func (s *Store) DeleteFinished(ctx context.Context, created, ended time.Time) (int, error) {
	old, err := findForgettable(ctx, s.lookups, created, ended)
	if err != nil || len(old) == 0 {
		return 0, err
	}
	var keys []*keyedTask
	var webhooks []*deliveryRow
	var places []*batchTask
	var retries []*retryRow
	for _, task := range old {
		if task.IdempotencyKey != nil {
			keys = append(keys, &keyedTask{taskKey{task.Organization, *task.IdempotencyKey}, task.ID})
		}
		places = append(places, &batchTask{organization: task.Organization, job: task.ID})
		retries = append(retries, &retryRow{organization: task.Organization, job: task.ID})
		webhooks = append(webhooks, &deliveryRow{Delivery: Delivery{Organization: task.Organization, Job: task.ID}})
	}
	err = s.execute(func(ctx context.Context, tx *tx) error {
		if err := each(ctx, tx, deleteFinished, old, nil); err != nil {
			return fmt.Errorf("delete finished jobs: %w", err)
		}
		if err := each(ctx, tx, deleteKeys, keys, nil); err != nil {
			return fmt.Errorf("free idempotency keys: %w", err)
		}
		if err := each(ctx, tx, deleteBatchTasks, places, nil); err != nil {
			return fmt.Errorf("take jobs out of their batches: %w", err)
		}
		if err := each(ctx, tx, deleteRetries, retries, nil); err != nil {
			return fmt.Errorf("forget retries: %w", err)
		}
		return tx.deleteDeliveries(ctx, webhooks)
	})
	return len(old), err
}

// DeleteBatches removes batches that were submitted before the given time and of which
// no task is kept, some at a time. It returns how many there were.
func (s *Store) DeleteBatches(ctx context.Context, created time.Time) (int, error) {
	var old []*Batch
	err := s.lookups.find(ctx, collect(batchesTable, &old), `
		SELECT `+batchesTable.list+` FROM organizations o JOIN batches ON batches.organization = o.id AND batches.id < $1
		WHERE batches.created_at < $2 AND NOT EXISTS (
			SELECT 1 FROM batch_tasks t WHERE t.organization = batches.organization AND t.batch = batches.id)
		LIMIT $3`, firstID(created), millis(created), pruneBatch)
	if err != nil || len(old) == 0 {
		return 0, err
	}
	err = s.execute(func(ctx context.Context, tx *tx) error { return each(ctx, tx, deleteBatches, old, nil) })
	return len(old), err
}

// forgettable are the columns of a finished job that matter when it is forgotten.
var forgettable = newTable("finished",
	finishedTable.only("organization", "id", "idempotency_key")...)

// findForgettable finds jobs by their ids, which an index has. The time in an id is that
// of the machine that made it; the time that counts is in created_at.
func findForgettable(ctx context.Context, in finder, created, ended time.Time) (old []*Task, err error) {
	err = in.find(ctx, collect(forgettable, &old), `
		SELECT `+forgettable.list+`
		FROM organizations o JOIN finished ON finished.organization = o.id AND finished.id < $1
		WHERE finished.finished_at < $2 AND finished.created_at < $4 AND NOT EXISTS (
			SELECT 1 FROM deliveries d WHERE d.organization = finished.organization AND d.job = finished.id AND d.due_at IS NOT NULL)
		LIMIT $3`, firstID(created), millis(ended), pruneBatch, millis(created))
	return old, err
}

// firstID is where the ids of a moment begin.
func firstID(t time.Time) string {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[:8], uint64(max(0, millis(t)))<<16)
	return id.String()
}
