package client

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

	"earshot"
)

// ApplyTracker makes a tracker what a definition, a file in JSON or YAML, says, and
// tells what that changes; with dryRun it only tells. When the answer to a first try was
// lost, what it changed is not told.
func (c *Client) ApplyTracker(ctx context.Context, name string, definition []byte, dryRun bool) (*earshot.TrackerApplied, error) {
	out := call{method: http.MethodPut, path: withQuery(pathOf("/v1/trackers/{name}", name), earshot.TrackerQuery{DryRun: dryRun}), body: json.RawMessage(definition), repeat: idempotent}
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
	return exchange[earshot.Tracker](ctx, c, call{method: http.MethodPatch, path: pathOf("/v1/trackers/{name}", name), body: earshot.TrackerPatch{State: state}, repeat: idempotent})
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
	out := call{method: http.MethodPost, path: pathOf("/v1/trackers/{name}/sweeps", name), body: request, repeat: once}
	if request.IdempotencyKey != "" {
		out.repeat = idempotent
	}
	return exchange[earshot.SweepStarted](ctx, c, out)
}

// Export opens a stream of all answers of a tracker with their results, or of its
// sweeps: an earshot.TrackedAnswer or earshot.Sweep a line, or a table. The caller
// closes it. Reading fails, and does not just end, when the stream is not complete.
func (c *Client) Export(ctx context.Context, name string, q earshot.ExportQuery) (io.ReadCloser, error) {
	return c.stream(ctx, withQuery(pathOf("/v1/trackers/{name}/export", name), q))
}

// Report opens a document about a tracker, as HTML or Markdown: one period against the one
// before. The caller closes it.
func (c *Client) Report(ctx context.Context, tracker string, q earshot.ReportQuery) (io.ReadCloser, error) {
	return c.stream(ctx, withQuery(pathOf("/v1/trackers/{name}/report", tracker), q))
}

func (c *Client) stream(ctx context.Context, path string) (io.ReadCloser, error) {
	resp, err := c.open(ctx, path)
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}
