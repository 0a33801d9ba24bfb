package client_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"earshot"
	"earshot/client"
)

const hats = "prompts: [best hats, \"broken [[garbage]]\"]\ntargets: [{provider: genassistant, country: US}]\nschedule: {every: day}\n"

// A tracker is applied, run, read, exported and deleted.
func TestTrackerLifecycle(t *testing.T) {
	t.Parallel()
	c, ctx := running(t), t.Context()
	if dry, err := c.ApplyTracker(ctx, "hats", []byte(hats), true); err != nil || !dry.DryRun || !dry.Created || dry.Tracker.Cost.Sweep != 8 {
		t.Fatalf("a dry run returns %+v, %v", dry, err)
	}
	if made, err := c.ApplyTracker(ctx, "hats", []byte(hats), false); err != nil || !made.Created {
		t.Fatalf("applied: %+v, %v", made, err)
	}
	asJSON := `{"prompts":["best hats","broken [[garbage]]"],"targets":[{"provider":"genassistant","country":"US"}],"schedule":{"every":"day"}}`
	if again, err := c.ApplyTracker(ctx, "hats", []byte(asJSON), false); err != nil || again.Changed {
		t.Errorf("the same as JSON changes %+v, %v", again, err)
	}
	if paused, err := c.PauseTracker(ctx, "hats"); err != nil || paused.State != earshot.TrackerPaused {
		t.Errorf("paused: %+v, %v", paused, err)
	}
	if resumed, err := c.ResumeTracker(ctx, "hats"); err != nil || resumed.NextSweepAt == nil {
		t.Errorf("resumed: %+v, %v", resumed, err)
	}
	sweep := swept(t, c, "hats")
	if sweep.State != earshot.SweepClosed || sweep.Progress.Answered != 1 || len(sweep.Missing) != 1 {
		t.Errorf("the sweep ended as %+v", sweep)
	}
	if _, err := c.CancelSweep(ctx, "hats", sweep.ID); !client.IsCode(err, earshot.CodeConflict) {
		t.Errorf("canceling a closed sweep: %v", err)
	}
	for listed, err := range c.Sweeps(ctx, "hats", earshot.SweepQuery{}) {
		if err != nil || listed.ID != sweep.ID {
			t.Errorf("listed: %+v, %v", listed, err)
		}
	}
	for listed, err := range c.Answers(ctx, "hats", earshot.AnswerQuery{AnswerFilter: earshot.AnswerFilter{Sweep: sweep.ID, Outcome: earshot.OutcomeAnswered}}) {
		if err != nil {
			t.Fatal(err)
		}
		if one, err := c.Answer(ctx, "hats", listed.ID); err != nil || one.Result == nil || !one.MadeUp {
			t.Errorf("the answer is %+v, %v", one, err)
		}
	}
	stream, err := c.Export(ctx, "hats", earshot.ExportQuery{AnswerFilter: earshot.AnswerFilter{Sweep: sweep.ID}})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	rows := 0
	for lines := bufio.NewScanner(stream); lines.Scan(); rows++ {
		var row earshot.TrackedAnswer
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil || (row.Outcome == earshot.OutcomeAnswered) != (row.Result != nil) {
			t.Errorf("a row is %s (%v)", lines.Bytes(), err)
		}
	}
	all, err := c.Trackers(ctx)
	if rows != 2 || err != nil || len(all) != 1 {
		t.Errorf("%d rows, %d trackers, %v", rows, len(all), err)
	}
	if err := c.DeleteTracker(ctx, "hats"); err != nil {
		t.Error(err)
	}
	if _, err := c.Tracker(ctx, "hats"); !client.IsCode(err, earshot.CodeNotFound) {
		t.Errorf("a deleted tracker: %v", err)
	}
}

// swept runs a tracker and waits for the end of the sweep.
func swept(t *testing.T, c *client.Client, name string) *earshot.Sweep {
	t.Helper()
	started, err := c.StartSweep(t.Context(), name, "one")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := c.StartSweep(t.Context(), name, "one"); err != nil || !again.Replayed || again.Sweep.ID != started.Sweep.ID {
		t.Errorf("the same key starts %+v, %v", again, err)
	}
	for deadline := time.After(time.Minute); ; {
		sweep, err := c.Sweep(t.Context(), name, started.Sweep.ID)
		if err != nil {
			t.Fatal(err)
		}
		if sweep.State != earshot.SweepRunning {
			return sweep
		}
		select {
		case <-deadline:
			t.Fatalf("the sweep does not end: %+v", sweep)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func TestContentTypeOfDefinitions(t *testing.T) {
	t.Parallel()
	for definition, media := range map[string]string{`{"prompts":["x"]}`: "application/json", "prompts: [x]": "application/yaml"} {
		c, service := answering(says(http.StatusOK, `{"success":true}`))
		if _, err := c.ApplyTracker(t.Context(), "a b", []byte(definition), true); err != nil {
			t.Fatal(err)
		}
		if got := service.sent[0]; got.line != "PUT /v1/trackers/a%20b?dryRun=true" || got.body != definition || got.header.Get("Content-Type") != media {
			t.Errorf("it sent %+v", got)
		}
	}
}

func TestIncompleteExportFails(t *testing.T) {
	t.Parallel()
	c, service := answering(cut)
	stream, err := c.Export(t.Context(), "hats", earshot.ExportQuery{Format: "csv", AnswerFilter: earshot.AnswerFilter{PromptID: 2_000_000}})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	if _, err := io.ReadAll(stream); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("it ended with %v", err)
	}
	if got := service.lines(); got[0] != "GET /v1/trackers/hats/export?format=csv&promptId=2000000" {
		t.Errorf("it sent %q", got)
	}
}
