package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"earshot"
)

const shoes = `name: shoes
brands:
  - {name: "On", own: true}
prompts:
  - best running shoes
  - {text: Which shoes last longest?, tags: [trail]}
targets:
  - {provider: chatassistant, country: US}
  - {provider: websearch/news, country: "NO"}
schedule: {every: day, at: "06:00", timezone: Europe/Berlin}
ceiling: {creditsPerMonth: 40}
`

// succeeds runs a command that must succeed.
func (u user) succeeds(args ...string) (out, errOut string) {
	u.t.Helper()
	out, errOut, status := u.does(args...)
	if status != 0 {
		u.t.Fatalf("earshot %s ends with %d: %s", strings.Join(args, " "), status, errOut)
	}
	return out, errOut
}

func TestTrackerCommands(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	file := writeFile(t, "shoes.yaml", shoes)
	out, _ := u.succeeds("tracker", "apply", file, "--dry-run")
	wants(t, out, "tracker shoes would be created\n", "+ prompts   best running shoes\n", "+ targets   websearch/news/NO\n",
		"at most 16 credits per sweep, 496 per month by its schedule", "40 credits per month, enough for 2 full sweeps", ":00 Europe/Berlin\n",
		"warning", "the scheduled sweeps of a month can cost 496 credits, and the monthly ceiling is 40")
	if strings.Contains(out, "precision") || strings.Contains(out, "threshold") {
		t.Errorf("it prints numbers that nobody asked for:\n%s", out)
	}
	if _, stderr := u.succeeds("tracker", "list"); !strings.Contains(stderr, "no trackers") {
		t.Errorf("a dry run made one: %s", stderr)
	}
	out, _ = u.succeeds("tracker", "apply", file)
	wants(t, out, "tracker shoes was created\n")
	copied, _ := u.succeeds("tracker", "show", "shoes", "--yaml")
	wants(t, copied, "name: \"On\"", "country: \"NO\"", "at: \"06:00\"")
	out, _ = u.succeeds("tracker", "apply", writeFile(t, "copy.yaml", copied))
	if !strings.HasPrefix(out, "tracker shoes is unchanged (version 1)\n") || strings.Contains(out, "at most") {
		t.Errorf("without changes, it printed\n%s", out)
	}
	out, _ = u.succeeds("tracker", "apply", writeFile(t, "same.yaml", strings.NewReplacer("chatassistant, country: US", "ChatGPT, country: us", "websearch/news", "news").Replace(shoes)))
	wants(t, out, "is unchanged (version 1)")
	out, _ = u.succeeds("tracker", "apply", "--dry-run", writeFile(t, "hats.json", `{"name":"hats","prompts":["x"],"targets":[{"provider":"aimode","country":"us"}]}`))
	wants(t, out, "+ targets  searchaimode/US\n")
	out, _ = u.succeeds("tracker", "apply", writeFile(t, "shoes.yaml", strings.Replace(shoes, "longest?", "least?", 1)))
	wants(t, out, "changed to version 2", "+ prompts  Which shoes last least?", "- prompts  Which shoes last longest?", "all series cannot be compared with earlier values")

	out, stderr := u.succeeds("tracker", "run", "shoes", "--wait", "--every", "20ms", "--key", "one")
	wants(t, stderr, "has started: 4 tasks, at most 16 credits\n")
	wants(t, out, " is closed: 4 of 4 answered, for 16 credits\n")
	out, stderr = u.succeeds("tracker", "run", "shoes", "--wait", "--json", "--key", "one")
	wants(t, stderr, "was already started with this key")
	var sweep earshot.Sweep
	if err := json.Unmarshal([]byte(out), &sweep); err != nil || sweep.State != earshot.SweepClosed {
		t.Fatalf("%s: %v", out, err)
	}
	out, _ = u.succeeds("tracker", "list")
	wants(t, out, "NAME   STATE   PROMPTS", "closed, 4 of 4 answered")
	out, _ = u.succeeds("tracker", "show", "shoes")
	wants(t, out, "asks        2 prompts on 2 targets, 1 time each\n", "spent       16 this month", "last sweep  manual one, closed")
	if n := strings.Count(out, " 06:00 Europe/Berlin\n"); n != 5 {
		t.Errorf("%d coming sweeps are listed:\n%s", n, out)
	}
	out, _ = u.succeeds("tracker", "sweeps", "shoes")
	wants(t, out, "SLOT        STATE   ANSWERED", "manual one  closed  4")
	u.readsAnswers(sweep.ID)

	u.succeeds("tracker", "run", "shoes", "--wait", "--every", "20ms")
	out, stderr, status := u.does("tracker", "run", "shoes", "--wait")
	wants(t, out+stderr, "is skipped\n", "skipped (ceiling)")
	if status != statusIncomplete {
		t.Errorf("a skipped sweep ends with %d", status)
	}
	u.succeeds("tracker", "rm", "shoes", "--yes")
	_, stderr, _ = u.does("tracker", "get", "shoes")
	wants(t, stderr, "there is no tracker shoes; 'earshot tracker list'")
}

// readsAnswers lists, prints and exports answers.
func (u user) readsAnswers(sweep string) {
	t := u.t
	t.Helper()
	out, _ := u.succeeds("tracker", "answers", "shoes", "--sweep", sweep, "--tag", "trail", "--target", "websearch/news/NO")
	wants(t, out, "ASKED", "answered, made up")
	id := regexp.MustCompile(`\S{36}`).FindString(out)
	if strings.Count(out, "\n") != 2 || id == "" {
		t.Fatalf("it listed\n%s", out)
	}
	out, stderr := u.succeeds("tracker", "answers", "shoes", id)
	wants(t, out, "outcome  answered, made up\n", "\nNews\n  1. ")
	wants(t, stderr, "made up")
	out, _ = u.succeeds("tracker", "answers", "shoes", id, "--json")
	wants(t, out, `"newsResults"`)
	_, stderr = u.succeeds("tracker", "answers", "shoes", "--outcome", "missing")
	wants(t, stderr, "no such answers")
	file := filepath.Join(t.TempDir(), "out.csv")
	u.succeeds("tracker", "export", "shoes", "-o", file)
	text, err := os.ReadFile(file)
	if err != nil || !strings.HasPrefix(string(text), "id,sweep,slot,") {
		t.Errorf("the file is %.100s (%v)", text, err)
	}
	out, _ = u.succeeds("tracker", "export", "shoes", "--prompt-id", "1")
	if strings.Count(out, "\n") != 2 || !strings.Contains(out, `"result":{`) {
		t.Errorf("the export is %.300s", out)
	}
	out, _ = u.succeeds("tracker", "export", "shoes", "--table", "sweeps")
	wants(t, out, `"slot":"manual one"`)
}

func TestErrorsInADefinitionHaveLines(t *testing.T) {
	t.Parallel()
	u := newUser(t, "--role", "api") // nobody works the queue off
	bad := writeFile(t, "bad.yaml", "name: bad\nprompts: [a]\n\ntargets: [{provider: nobody, country: US}]\nshedule: {}\n")
	_, stderr, status := u.does("tracker", "apply", bad)
	wants(t, stderr, bad+":4: targets[0].provider: must be one of ", bad+":5: shedule: ", "earshot: 2 errors in "+bad+"; nothing was changed\n")
	if status != 1 {
		t.Errorf("mistakes end with %d", status)
	}
	bad = writeFile(t, "bad.json", "{\"name\": \"bad\",\n\"prompts\": [\"a\",\n\"a\"],\n\"targets\": [{\"provider\": \"chatassistant\", \"country\": \"US\"}]}")
	_, stderr, _ = u.does("tracker", "apply", bad)
	wants(t, stderr, bad+":3: prompts[1]: is the same prompt")
	bad = writeFile(t, "bad.yaml", "name: bad\nprompts: [a\n")
	_, stderr, _ = u.does("tracker", "apply", bad)
	wants(t, stderr, bad+":2: body: is not valid YAML")
	_, stderr, _ = u.does("tracker", "apply", writeFile(t, "summer.yaml", "prompts: [a]\n"))
	wants(t, stderr, "add a line such as 'name: summer', or pass --name")
	_, stderr, _ = u.does("tracker", "delete", "bad")
	wants(t, stderr, "--yes")
	_, stderr, _ = u.does("tracker", "sweeps", "bad")
	wants(t, stderr, "there is no tracker bad")

	u.succeeds("tracker", "apply", writeFile(t, "x.yaml", shoes))
	u.interrupted()
}

// interrupted interrupts a waiting command, which leaves the sweep running, and cancels the sweep.
func (u user) interrupted() {
	t := u.t
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	stderr := &stopper{lines: 1, stop: stop} // that it has begun
	err := run(ctx, []string{"tracker", "run", "shoes", "--wait", "--url", u.base, "--api-key", u.key}, &bytes.Buffer{}, stderr)
	if statusFor(err) != statusInterrupted || !strings.Contains(err.Error(), "'earshot tracker sweeps shoes'") {
		t.Fatalf("it ended with %v", err)
	}
	out, _ := u.succeeds("tracker", "sweeps", "shoes", "--state", "running", "--json")
	var sweep earshot.Sweep
	if bad := json.Unmarshal([]byte(out), &sweep); bad != nil || !strings.Contains(err.Error(), "DELETE /v1/trackers/shoes/sweeps/"+sweep.ID) {
		t.Fatalf("%s: %v, after %v", out, bad, err)
	}
	u.succeeds("api", "DELETE", "/v1/trackers/shoes/sweeps/"+sweep.ID)
}

func TestStringsSurviveYAML(t *testing.T) {
	t.Parallel()
	want := map[string]string{"first": "y"}
	for i, text := range []string{
		"", " ", "plain", "don't: stop", "a: b", "a:", "a #b", "#a", "- a", "-", "?", "? a", "& a", "*a", "!a", "%a", "@a", "a - b", "a, b", "[a", "{a}", "'a'", `"a"`, `a "b" c`,
		"yes", "No", "ON", "null", "~", "true", "1", "1e3", "0x1", "06:00", "2026-11-17", ".inf", "<<", "=", "a\nb", " a\n  b\n", "a\tb", "\ta", "a\r", "a\x00b", "a\u2028b", "Köln, 東京 🎈", "e\u0301",
		"which shoes (2026) cost < 100 €?", "C:\\x", "a ", "---", "...", "|", "> a",
	} {
		want[fmt.Sprint("text", i)] = text
	}
	var out bytes.Buffer
	if err := (&invocation{out: &out}).yaml(want); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	if err := yaml.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v in\n%s", err, out.String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
