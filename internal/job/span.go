package job

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/store"
	"earshot/internal/telemetry/trace"
)

// traceTask begins the trace of a task that this node runs. claimed is when the claim of
// the task began, or zero without a claim. The request that submitted the task has its own
// trace, which contains the id of the task.
func (r *Runner) traceTask(ctx context.Context, job *store.Job, claimed time.Time) (context.Context, trace.Span) {
	if r.Tracer == nil {
		return ctx, trace.Span{}
	}
	now := time.Now()
	began := now
	if !claimed.IsZero() {
		began = claimed
	}
	ctx, span := r.Tracer.Begin(ctx, "task", began)
	span.String(trace.Task, job.ID)
	span.String(trace.Organization, job.Organization)
	span.String(trace.Provider, job.Provider)
	if !claimed.IsZero() {
		trace.Note(ctx, "store.claim", claimed, now)
	}
	return ctx, span
}

// endSpan ends the span of a store operation or of a job.
func endSpan(span trace.Span, err error) {
	if err != nil {
		span.Fail(string(earshot.ErrorCode(err)))
	}
	span.End()
}
