package examples

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot/internal/track/metric"
	"earshot/test/captures"
	"earshot/test/harness/tool"
)

// number is a number that the service and the example both compute.
type number struct{ metric, brand, target, field string }

// recomputed runs the example with a folder of exports.
func recomputed(t *testing.T, a account, program, folder, since string) map[number]any {
	t.Helper()
	found := map[number]any{}
	for line := range strings.Lines(a.run(t, folder, tool.Python(t, "pandas", "scipy"), program, folder, since)) {
		addNumbers(t, found, []byte(line))
	}
	return found
}

// addNumbers adds the numbers of a row of the example, the service or the samples.
func addNumbers(t *testing.T, into map[number]any, row []byte) {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal(row, &fields); err != nil {
		t.Fatalf("%v: %s", err, row)
	}
	name, _ := fields["metric"].(string)
	name, _, _ = strings.Cut(name, "@")
	brand, _ := fields["brand"].(string)
	target, _ := fields["target"].(string)
	var add func(field string, value any)
	add = func(field string, value any) {
		switch value := value.(type) {
		case map[string]any:
			for inner, v := range value {
				add(inner, v)
			}
		case []any:
			for i, v := range value {
				add(fmt.Sprint(field, i), v)
			}
		default:
			into[number{name, brand, target, field}] = value
		}
	}
	for field, value := range fields {
		switch field {
		case "a": // the samples' names of two fields
			field = "before"
		case "b":
			field = "after"
		}
		add(field, value)
	}
}

// compared are the fields that both compute.
var compared = []string{"value", "rerun0", "rerun1", "market0", "market1", "before", "after", "change", "interval0", "interval1", "verdict"}

// differences returns the numbers that differ, and how many were compared. The quantiles of
// scipy have nine digits.
func differences(got, want map[number]any) (different []string, count int) {
	for key, value := range got {
		if !slices.Contains(compared, key.field) {
			continue
		}
		count++
		x, isNumber := value.(float64)
		y, ok := want[key].(float64)
		if isNumber && (!ok || math.Abs(x-y) > 1e-8) || !isNumber && value != want[key] {
			different = append(different, fmt.Sprintf("%v is %v, recomputed %v", key, want[key], value))
		}
	}
	slices.Sort(different)
	return different, count
}

// TestRecomputeTrackers recomputes the numbers of a tracker with weights and a branded prompt,
// and of a demo, which lacks some answers.
func TestRecomputeTrackers(t *testing.T) {
	t.Parallel()
	made, a := create(t, "org", "create", "auditors", "--credits", "100000"), server
	a.key = made.Key
	for name, test := range map[string]struct {
		numbers int
		make    func(t *testing.T, dir string) (since string)
	}{
		"weights": {90, func(t *testing.T, dir string) (since string) {
			t.Helper()
			file := filepath.Join(dir, "weights.yaml")
			err := os.WriteFile(file, []byte(`name: weights
brands: [{name: Ollaro, own: true, domains: [ollaro.example]}, {name: Kestrin}, {name: Nordvale}]
prompts: [{text: best caps, weight: 3}, {text: warm caps, weight: 0.5}, red caps, light caps, caps like Ollaro]
targets: [{provider: chatassistant, country: US}, {provider: answerengine, country: DE}]
samples: 2
`), 0o600)
			if err != nil {
				t.Fatal(err)
			}
			a.run(t, dir, "earshot", "tracker", "apply", file)
			for n := range 6 {
				if n == 3 {
					since = time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
				}
				a.run(t, dir, "earshot", "tracker", "run", "weights", "--wait")
			}
			return since
		}},
		"months": {200, func(t *testing.T, dir string) string {
			t.Helper()
			a.run(t, dir, "earshot", "tracker", "demo", "--name", "months", "--days", "30", "--prompts", "10")
			return time.Now().UTC().AddDate(0, 0, -15).Format("2006-01-02T00:00:00Z")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool.Python(t, "pandas", "scipy")
			dir := t.TempDir()
			since := test.make(t, dir)
			a.export(t, name, "format=csv&counted=true", filepath.Join(dir, "answers.csv"))
			a.export(t, name, "format=csv&table=mentions", filepath.Join(dir, "mentions.csv"))
			served := map[number]any{}
			for _, query := range []string{
				"metrics?metric=visibility,shareOfVoice&from=2020-01-01&by=target", "metrics?metric=visibility,shareOfVoice&from=2020-01-01&by=brand",
				"compare?metric=visibility,shareOfVoice&baselineFrom=2020-01-01&baselineTo=" + url.QueryEscape(since) + "&from=" + url.QueryEscape(since),
			} {
				var report struct{ Rows []json.RawMessage }
				if err := json.Unmarshal(a.get(t, "/v1/trackers/"+name+"/"+query), &report); err != nil {
					t.Fatal(err)
				}
				for _, row := range report.Rows {
					addNumbers(t, served, row)
				}
			}
			different, count := differences(recomputed(t, a, example("recompute", "recompute.py"), dir, since), served)
			for _, difference := range different {
				t.Error(difference)
			}
			if count < test.numbers {
				t.Errorf("only %d numbers were compared", count)
			}

			// An answer whose mentions are lost changes values. Starting Python takes seconds, so one tracker shows it.
			if name != "weights" {
				return
			}
			loseMentions(t, dir)
			lost, _ := differences(recomputed(t, a, example("recompute", "recompute.py"), dir, since), served)
			if !slices.ContainsFunc(lost, func(difference string) bool { return strings.Contains(difference, " value}") }) {
				t.Error("without the mentions of an answer all values agree")
			}
		})
	}
}

// loseMentions removes the mentions of one counted answer that names a brand.
func loseMentions(t *testing.T, dir string) {
	t.Helper()
	answers, err := os.ReadFile(filepath.Join(dir, "answers.csv"))
	if err != nil {
		t.Fatal(err)
	}
	mentions, err := os.ReadFile(filepath.Join(dir, "mentions.csv"))
	if err != nil {
		t.Fatal(err)
	}
	loser := ""
	var kept strings.Builder
	for line := range strings.Lines(string(mentions)) {
		id, _, _ := strings.Cut(line, ",")
		if loser == "" && strings.Contains(line, ",name,") && bytes.Contains(answers, []byte("\n"+id+",")) {
			loser = id
		}
		if id != loser {
			kept.WriteString(line)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "mentions.csv"), []byte(kept.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// get returns the body of a response.
func (a account) get(t *testing.T, path string) []byte {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, a.url+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+a.key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v: %s", path, response.Status, err, body)
	}
	return body
}

// export writes an export of a tracker to a file.
func (a account) export(t *testing.T, name, query, file string) {
	t.Helper()
	if err := os.WriteFile(file, a.get(t, "/v1/trackers/"+name+"/export?"+query), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestRecomputeSamples recomputes examples with missing answers that others have computed. They
// are stored outside the repository.
func TestRecomputeSamples(t *testing.T) {
	t.Parallel()
	for _, path := range captures.Samples(t, "metrics3/gaps-*/expected.json") {
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			since := writeExports(t, filepath.Dir(path), dir)
			var expected struct{ Metrics, Compare []json.RawMessage }
			text, err := os.ReadFile(path)
			if err == nil {
				err = json.Unmarshal(text, &expected)
			}
			if err != nil {
				t.Fatal(err)
			}
			want := map[number]any{}
			for _, row := range slices.Concat(expected.Metrics, expected.Compare) {
				addNumbers(t, want, row)
			}
			program := example("recompute", "recompute.py")
			different, count := differences(recomputed(t, server, program, dir, since), want)
			if len(different) > 0 || count < 100 {
				t.Errorf("%d numbers were compared: %q", count, different)
			}

			// Without the correction for the sweeps that a cell missed, intervals differ.
			broken := filepath.Join(dir, "broken.py")
			if err := os.WriteFile(broken, []byte(strings.Replace(readFile(t, "recompute", "recompute.py"), "k < sweeps, g, 1", "k < sweeps, 1, 1", 1)), 0o600); err != nil {
				t.Fatal(err)
			}
			if different, _ := differences(recomputed(t, server, broken, dir, since), want); len(different) == 0 {
				t.Error("a broken program computes the same")
			}
		})
	}
}

// writeExports writes a sample as a tracker exports it, and returns when its later period
// begins.
func writeExports(t *testing.T, sample, dir string) (since string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(sample, "definition.json"))
	var def metric.Definition
	if err == nil {
		err = json.Unmarshal(text, &def)
	}
	if err != nil {
		t.Fatal(err)
	}
	slots := map[string]string{}
	for _, sweep := range def.Sweeps {
		slots[sweep.ID] = sweep.Slot
	}
	lines, err := os.Open(filepath.Join(sample, "answers.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	defer lines.Close()
	answers := [][]string{{"id", "sweep", "askedAt", "promptId", "weight", "target", "outcome", "surface", "via"}}
	mentions := [][]string{{"answer", "brand", "kind"}}
	for scanner := bufio.NewScanner(lines); scanner.Scan(); {
		var a metric.Observation
		if err := json.Unmarshal(scanner.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		prompt := def.Prompts[a.Prompt]
		if prompt.Branded {
			continue
		}
		answers = append(answers, []string{a.ID, a.Sweep, slots[a.Sweep], fmt.Sprint(a.Prompt), fmt.Sprint(prompt.Weight), a.Target, string(a.Outcome), "web", ""})
		for _, m := range a.Mentions {
			mentions = append(mentions, []string{a.ID, m.Brand, string(m.Kind)})
		}
	}
	for name, rows := range map[string][][]string{"answers.csv": answers, "mentions.csv": mentions} {
		file, err := os.Create(filepath.Join(dir, name))
		if err == nil {
			err = csv.NewWriter(file).WriteAll(rows)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return slots[def.Periods.B[0]]
}
