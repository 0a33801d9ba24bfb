package examples

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"earshot"
)

func TestTrackersCanBeApplied(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(root + "/examples/trackers/*.yaml")
	if err != nil || len(files) < 5 {
		t.Fatalf("there are %d trackers (%v)", len(files), err)
	}
	for _, file := range files {
		var applied earshot.TrackerApplied
		text := server.run(t, root, "earshot", "tracker", "apply", file, "--dry-run", "--json")
		if err := json.Unmarshal([]byte(text), &applied); err != nil {
			t.Fatal(err)
		}
		if name := applied.Tracker.Name; len(applied.Warnings) > 0 || name+".yaml" != filepath.Base(file) {
			t.Errorf("%s: the dry run returns the tracker %s with warnings %v", file, name, applied.Warnings)
		}
	}
}

// The nightly job runs the tracker that it names.
func TestNightlyJobRunsATracker(t *testing.T) {
	t.Parallel()
	job := readWorkflow(t).Jobs.Visibility
	server.run(t, root, "earshot", "tracker", "apply", "examples/trackers/"+job.Env["TRACKER"]+".yaml")
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, ".github"), os.DirFS(root+"/examples/nightly")); err != nil {
		t.Fatal(err)
	}
	output := ""
	for _, step := range job.Steps {
		if step.Run != "" {
			output += server.with("TRACKER="+job.Env["TRACKER"], "BRAND="+job.Env["BRAND"]).run(t, dir, "bash", "-e", "-c", step.Run)
		}
	}
	if !strings.Contains(output, "32 of 32 prompts answered") || !strings.Contains(output, "**tooEarly**") {
		t.Errorf("the job prints %s", output)
	}
	var report earshot.MetricReport
	text := server.run(t, root, "earshot", "tracker", "metrics", job.Env["TRACKER"], "--json", "--by", "brand", "--metric", "visibility")
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		t.Fatal(err)
	}
	answers := map[string]int{}
	for _, row := range report.Rows {
		answers[row.Brand] = row.Answers
	}
	if !maps.Equal(answers, map[string]int{"Ollaro": 32, "Kestrin": 32, "Nordvale": 32, "Velquist": 32}) {
		t.Errorf("the answers by brand are %v", answers)
	}
}

// workflow is the part of a GitHub Actions workflow that the test runs.
type workflow struct {
	Jobs struct {
		Visibility struct {
			Env   map[string]string
			Steps []struct{ Run string }
		}
	}
}

func readWorkflow(t *testing.T) (w workflow) {
	t.Helper()
	text, err := os.ReadFile(root + "/examples/nightly/workflow.yaml")
	if err == nil {
		err = yaml.Unmarshal(text, &w)
	}
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// The check fails exactly for brands that fell by more than normal variation.
func TestNightlyCheckFailsWhenABrandFalls(t *testing.T) {
	t.Parallel()
	since := newHistory(t)
	var compared earshot.CompareReport
	text := server.run(t, root, "earshot", "tracker", "compare", "history", "--from", since, "--json")
	if err := json.Unmarshal([]byte(text), &compared); err != nil {
		t.Fatal(err)
	}
	var fell, passed []string
	for _, row := range compared.Rows {
		if row.Target != "*" {
			continue
		}
		summary := filepath.Join(t.TempDir(), "summary.md")
		check := server.with("TRACKER=history", "BRAND="+row.Brand, "SINCE="+since, "GITHUB_STEP_SUMMARY="+summary)
		output, err := check.try(t, root, "bash", "examples/nightly/check.sh")
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 {
			fell = append(fell, row.Brand)
		} else if err != nil {
			t.Fatal(err)
		} else {
			passed = append(passed, row.Brand)
		}
		if falls := row.Verdict == earshot.VerdictMoved && *row.Change < 0; falls != (err != nil) {
			t.Errorf("the verdict on %s is %s, but the check returns %v", row.Brand, row.Verdict, err)
		}
		if written, err := os.ReadFile(summary); err != nil || string(written) != output || !strings.Contains(output, row.Summary) {
			t.Errorf("the check of %s prints %q and writes %q (%v)", row.Brand, output, written, err)
		}
	}
	if !slices.Contains(fell, "Ollaro") || len(passed) == 0 {
		t.Errorf("the check fails for %v and passes for %v", fell, passed)
	}
	if _, err := server.with("TRACKER=history", "BRAND=Nobody").try(t, root, "bash", "examples/nightly/check.sh"); err == nil {
		t.Error("the check passes for a brand that the tracker does not have")
	}
}
