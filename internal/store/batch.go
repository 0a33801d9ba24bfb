package store

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"earshot"
	"earshot/internal/store/engine"
)

// Batch is a set of tasks that were submitted together.
type Batch struct {
	ID           string
	Organization string
	CreatedAt    time.Time
	Total        int // number of submitted tasks
	Accepted     int // number of queued tasks
}

// batchTask is the position of a task in a batch.
type batchTask struct {
	organization, job, batch string
	position                 int // in the input, from 0
}

var (
	// BatchesTable has the batches.
	BatchesTable = engine.NewTable("batches",
		engine.Field("organization", "uuid", func(b *Batch) *string { return &b.Organization }),
		engine.Field("id", "uuid", func(b *Batch) *string { return &b.ID }),
		engine.TimeField("created_at", func(b *Batch) *time.Time { return &b.CreatedAt }),
		engine.IntField("total", func(b *Batch) *int { return &b.Total }),
		engine.IntField("accepted", func(b *Batch) *int { return &b.Accepted }))
	insertBatches = BatchesTable.Insert("")
	deleteBatches = BatchesTable.Delete("organization", "id")

	batchTasksTable = engine.NewTable("batch_tasks",
		engine.Field("organization", "uuid", func(t *batchTask) *string { return &t.organization }),
		engine.Field("job", "uuid", func(t *batchTask) *string { return &t.job }),
		engine.Field("batch", "uuid", func(t *batchTask) *string { return &t.batch }),
		engine.IntField("position", func(t *batchTask) *int { return &t.position }))
	insertBatchTasks = batchTasksTable.Insert("")
	selectBatchTasks = batchTasksTable.Select("organization", "job")
	deleteBatchTasks = batchTasksTable.Delete("organization", "job")
)

// SubmitBatch is Submit for the tasks of a batch; positions are their positions in the input.
// It returns the id of the batch. If all tasks are duplicates (by idempotency key) of tasks in one
// earlier batch, it returns the id of that batch and creates none. Each of more stores additional rows
// in the same transaction.
func (s *Store) SubmitBatch(batch Batch, tasks []Job, positions []int, now time.Time, more ...func(ctx context.Context, w *Work, id string, refusals []error) error) (id string, refusals []error, err error) {
	rows := func(ctx context.Context, w *Work, refusals []error) (err error) {
		var places, others []*batchTask
		for i, task := range tasks {
			if refusals[i] == nil {
				places = append(places, &batchTask{batch.Organization, task.ID, batch.ID, positions[i]})
			} else if other := duplicateOf(refusals[i]); other != "" {
				others = append(others, &batchTask{organization: batch.Organization, job: other})
			}
		}
		if len(others) == batch.Total {
			id, err = w.batchOf(ctx, others)
			if err != nil || id != "" {
				return err
			}
		}
		id = batch.ID
		stored := batch
		stored.Accepted = len(places)
		if err := engine.Each(ctx, w.Tx, insertBatches, []*Batch{&stored}, nil); err != nil {
			return err
		}
		return engine.Each(ctx, w.Tx, insertBatchTasks, places, nil)
	}
	all := []func(context.Context, *Work, []error) error{rows}
	for _, store := range more {
		all = append(all, func(ctx context.Context, w *Work, refusals []error) error { return store(ctx, w, id, refusals) })
	}
	refusals, err = s.Submit(batch.Organization, tasks, batch.Total, now, all...)
	return id, refusals, err
}

// duplicateOf returns the id of the task whose idempotency key caused a refusal, or "".
func duplicateOf(refusal error) string {
	if e, ok := errors.AsType[*earshot.Error](refusal); ok {
		if details, ok := e.Details.(earshot.DuplicateDetails); ok {
			return details.TaskID
		}
	}
	return ""
}

// batchOf returns the batch that contains all of the tasks, or "".
func (w *Work) batchOf(ctx context.Context, tasks []*batchTask) (string, error) {
	asked := map[string]*batchTask{} // a batch may name a task twice
	for _, task := range tasks {
		asked[task.job] = task
	}
	unique := slices.Collect(maps.Values(asked))
	var found []*batchTask
	if err := engine.Each(ctx, w.Tx, selectBatchTasks, unique, engine.Collect(batchTasksTable, &found)); err != nil {
		return "", err
	}
	if len(found) != len(unique) {
		return "", nil
	}
	for _, task := range found {
		if task.batch != found[0].batch {
			return "", nil
		}
	}
	return found[0].batch, nil
}
