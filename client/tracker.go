package client

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"net/url"

	"earshot"
)

// trackerPath is the path of a tracker, or of something below it.
func trackerPath(name string, below ...string) string {
	path := "/v1/trackers/" + url.PathEscape(name)
	for _, part := range below {
		path += "/" + url.PathEscape(part)
	}
	return path
}

// Trackers lists the trackers of the organization by name, without their definitions.
func (c *Client) Trackers(ctx context.Context) ([]earshot.Tracker, error) {
	list, err := get[earshot.TrackerList](ctx, c, "/v1/trackers")
	if err != nil {
		return nil, err
	}
	return list.Trackers, nil
}

// Tracker returns a tracker with its definition.
func (c *Client) Tracker(ctx context.Context, name string) (*earshot.Tracker, error) {
	return get[earshot.Tracker](ctx, c, trackerPath(name))
}

// ApplyTracker makes a tracker what a definition, a file in JSON or YAML, says, and
// tells what that changes; with dryRun it only tells. When the answer to a first try was
// lost, what it changed is not told.
func (c *Client) ApplyTracker(ctx context.Context, name string, definition []byte, dryRun bool) (*earshot.TrackerApplied, error) {
	out := call{method: http.MethodPut, path: query(trackerPath(name), earshot.TrackerQuery{DryRun: dryRun}), body: json.RawMessage(definition), repeat: idempotent}
	if !json.Valid(definition) {
		out.body = yamlBody(definition)
	}
	return exchange[earshot.TrackerApplied](ctx, c, out)
}

// PauseTracker stops a tracker from following its schedule. Sweeps that run go on.
func (c *Client) PauseTracker(ctx context.Context, name string) (*earshot.Tracker, error) {
	return c.setTrackerState(ctx, name, earshot.TrackerPaused)
}

// ResumeTracker lets a tracker go on with the next slot of its schedule.
func (c *Client) ResumeTracker(ctx context.Context, name string) (*earshot.Tracker, error) {
	return c.setTrackerState(ctx, name, earshot.TrackerActive)
}

func (c *Client) setTrackerState(ctx context.Context, name string, state earshot.TrackerState) (*earshot.Tracker, error) {
	return exchange[earshot.Tracker](ctx, c, call{method: http.MethodPatch, path: trackerPath(name), body: earshot.TrackerPatch{State: state}, repeat: idempotent})
}

// DeleteTracker deletes a tracker with its answers.
func (c *Client) DeleteTracker(ctx context.Context, name string) error {
	o, err := c.do(ctx, call{method: http.MethodDelete, path: trackerPath(name), repeat: idempotent}, &earshot.TrackerDeleted{})
	if o.unsure && IsCode(err, earshot.CodeNotFound) {
		return nil // the try whose answer was lost has deleted it
	}
	return err
}

// StartSweep runs a tracker now. With a key, which may be "", it can be repeated without
// starting a second sweep, and is when the answer is lost.
func (c *Client) StartSweep(ctx context.Context, name, key string) (*earshot.SweepStarted, error) {
	return c.startSweep(ctx, name, earshot.SweepRequest{IdempotencyKey: key})
}

// RepeatSweep repeats the newest closed sweep of a tracker at once, to see how much of a
// change is noise. The key is that of StartSweep.
func (c *Client) RepeatSweep(ctx context.Context, name, key string) (*earshot.SweepStarted, error) {
	return c.startSweep(ctx, name, earshot.SweepRequest{IdempotencyKey: key, Repeat: true})
}

func (c *Client) startSweep(ctx context.Context, name string, request earshot.SweepRequest) (*earshot.SweepStarted, error) {
	out := call{method: http.MethodPost, path: trackerPath(name, "sweeps"), body: request, repeat: once}
	if request.IdempotencyKey != "" {
		out.repeat = idempotent
	}
	return exchange[earshot.SweepStarted](ctx, c, out)
}

// Sweeps lists the sweeps of a tracker, the newest first. It works like Tasks.
func (c *Client) Sweeps(ctx context.Context, name string, q earshot.SweepQuery) iter.Seq2[*earshot.Sweep, error] {
	return items(func(cursor string) (earshot.List[earshot.Sweep], *string, error) {
		q.Cursor = cursor
		page, err := get[earshot.SweepPage](ctx, c, query(trackerPath(name, "sweeps"), q))
		if err != nil {
			return nil, nil, err
		}
		return page.Sweeps, page.NextCursor, nil
	})
}

// Sweep returns a sweep, with the reasons of what is missing.
func (c *Client) Sweep(ctx context.Context, name, id string) (*earshot.Sweep, error) {
	return get[earshot.Sweep](ctx, c, trackerPath(name, "sweeps", id))
}

// CancelSweep stops a sweep: what is queued of it is removed, what runs goes on. For one
// that does not run it fails with CodeConflict.
func (c *Client) CancelSweep(ctx context.Context, name, id string) (*earshot.SweepCancelResult, error) {
	return exchange[earshot.SweepCancelResult](ctx, c, call{method: http.MethodDelete, path: trackerPath(name, "sweeps", id), repeat: idempotent})
}

// Answers lists what became of the questions of a tracker, the newest first and without
// results. It works like Tasks.
func (c *Client) Answers(ctx context.Context, name string, q earshot.AnswerQuery) iter.Seq2[*earshot.TrackedAnswer, error] {
	return items(func(cursor string) (earshot.List[earshot.TrackedAnswer], *string, error) {
		q.Cursor = cursor
		page, err := get[earshot.AnswerPage](ctx, c, query(trackerPath(name, "answers"), q))
		if err != nil {
			return nil, nil, err
		}
		return page.Answers, page.NextCursor, nil
	})
}

// Answer returns an answer with its result: an earshot.Answer, earshot.WebSearch or
// earshot.NewsSearch as JSON, by the provider of its target.
func (c *Client) Answer(ctx context.Context, name, id string) (*earshot.TrackedAnswer, error) {
	return get[earshot.TrackedAnswer](ctx, c, trackerPath(name, "answers", id))
}

// Export opens a stream of all answers of a tracker with their results, or of its
// sweeps: an earshot.TrackedAnswer or earshot.Sweep a line, or a table. The caller
// closes it. Reading fails, and does not just end, when the stream is not complete.
func (c *Client) Export(ctx context.Context, name string, q earshot.ExportQuery) (io.ReadCloser, error) {
	resp, err := c.open(ctx, query(trackerPath(name, "export"), q))
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}
