package client

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

	"earshot"
)

// ApplyTracker applies a definition in JSON or YAML and returns the changes; with dryRun, it
// changes nothing. If the response to a first attempt was lost, its changes are not returned.
func (c *Client) ApplyTracker(ctx context.Context, name string, definition []byte, dryRun bool) (*earshot.TrackerApplied, error) {
	out := call{method: http.MethodPut, path: withQuery(pathOf("/v1/trackers/{name}", name), earshot.TrackerQuery{DryRun: dryRun}), body: json.RawMessage(definition), repeat: idempotent}
	if !json.Valid(definition) {
		out.body = yamlBody(definition)
	}
	return exchange[earshot.TrackerApplied](ctx, c, out)
}

// PauseTracker stops a tracker from following its schedule. Running sweeps continue.
func (c *Client) PauseTracker(ctx context.Context, name string) (*earshot.Tracker, error) {
	return c.setTrackerState(ctx, name, earshot.TrackerPaused)
}

// ResumeTracker resumes a tracker with the next slot of its schedule.
func (c *Client) ResumeTracker(ctx context.Context, name string) (*earshot.Tracker, error) {
	return c.setTrackerState(ctx, name, earshot.TrackerActive)
}

func (c *Client) setTrackerState(ctx context.Context, name string, state earshot.TrackerState) (*earshot.Tracker, error) {
	return exchange[earshot.Tracker](ctx, c, call{method: http.MethodPatch, path: pathOf("/v1/trackers/{name}", name), body: earshot.TrackerPatch{State: &state}, repeat: idempotent})
}

// StartSweep runs a tracker now. If key, an idempotency key, is not empty, another call with this key
// starts no second sweep.
func (c *Client) StartSweep(ctx context.Context, name, key string) (*earshot.SweepStarted, error) {
	return c.startSweep(ctx, name, earshot.SweepRequest{IdempotencyKey: key})
}

// RepeatSweep repeats the newest closed sweep of a tracker to measure the normal variation.
// The key is an idempotency key, as for StartSweep.
func (c *Client) RepeatSweep(ctx context.Context, name, key string) (*earshot.SweepStarted, error) {
	return c.startSweep(ctx, name, earshot.SweepRequest{IdempotencyKey: key, Repeat: true})
}

func (c *Client) startSweep(ctx context.Context, name string, request earshot.SweepRequest) (*earshot.SweepStarted, error) {
	out := call{method: http.MethodPost, path: pathOf("/v1/trackers/{name}/sweeps", name), body: request, repeat: replayed}
	return exchange[earshot.SweepStarted](ctx, c, out)
}

// Export opens a stream of a tracker's data: an earshot.TrackedAnswer or earshot.Sweep per
// line, or a table. The caller closes it. If the stream is incomplete, reading returns an
// error instead of io.EOF.
func (c *Client) Export(ctx context.Context, name string, q earshot.ExportQuery) (io.ReadCloser, error) {
	return c.stream(ctx, withQuery(pathOf("/v1/trackers/{name}/export", name), q))
}

// Report opens a report on a tracker, as HTML or Markdown. It compares a period with the
// one before. The caller closes it.
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
