package metric_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"earshot/internal/track/metric"
	"earshot/test/captures"
)

// tolerance is the largest accepted difference from the numbers of another implementation.
const tolerance = 1e-9

// TestWorkedExamples compares with the numbers of another implementation. The examples are
// stored outside the repository.
func TestWorkedExamples(t *testing.T) {
	t.Parallel()
	for _, path := range captures.Samples(t, "metrics/*/expected.json") {
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) {
			t.Parallel()
			expected := readJSON(t, path)
			for _, row := range objects(expected["metrics"]) {
				if name, _ := row["metric"].(string); !strings.HasSuffix(name, metric.Version) {
					t.Skipf("it has %s, and this program computes only metrics of %s", name, metric.Version)
				}
			}
			d := differ{}
			d.compare("", reportOf(t, filepath.Dir(path)), expected)
			d.report(t)
		})
	}
}

// TestExamplesWorkedOutByHand computes the examples in testdata. They list some fields of
// some rows, each with the reason for its numbers.
func TestExamplesWorkedOutByHand(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("testdata", "corners")
	report := reportOf(t, dir)
	d := differ{some: true}
	for part, rows := range readJSON(t, filepath.Join(dir, "expected.json")) {
		for _, want := range objects(rows) {
			found := slices.DeleteFunc(objects(report[part]), func(have map[string]any) bool {
				return have["metric"] != want["metric"] || have["brand"] != want["brand"] || have["target"] != want["target"] || have["domain"] != want["domain"]
			})
			if len(found) != 1 {
				t.Errorf("%s: %v of %v on %v is there %d times", part, want["metric"], want["brand"], want["target"], len(found))
				continue
			}
			why := fmt.Sprintf("%v of %v on %v (%v)", want["metric"], want["brand"], want["target"], want["why"])
			delete(want, "why")
			d.compare(why, found[0], want)
		}
	}
	d.report(t)
}

// objects returns the entries of a JSON list.
func objects(list any) []map[string]any {
	entries, _ := list.([]any)
	var found []map[string]any
	for _, entry := range entries {
		object, _ := entry.(map[string]any)
		found = append(found, object)
	}
	return found
}

func reportOf(t *testing.T, dir string) map[string]any {
	t.Helper()
	report, err := readDataset(t, dir).Report()
	if err != nil {
		t.Fatal(err)
	}
	return asJSON(t, report)
}

func asJSON(t *testing.T, value any) map[string]any {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, text)
}

func readJSON(t *testing.T, path string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, text)
}

func readDataset(t *testing.T, dir string) *metric.Dataset {
	t.Helper()
	definition, err := os.Open(filepath.Join(dir, "definition.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer definition.Close()
	answers, err := os.Open(filepath.Join(dir, "answers.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	defer answers.Close()
	b, err := metric.Read(definition, answers)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func decode(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var value map[string]any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// differ collects the differences between two documents. Numbers may differ by tolerance.
type differ struct {
	some    bool // fields that are not wanted are no difference
	found   []string
	numbers int
	largest float64
}

// report fails the test with the first differences.
func (d *differ) report(t *testing.T) {
	t.Helper()
	for _, difference := range d.found[:min(len(d.found), 20)] {
		t.Error(difference)
	}
	t.Logf("%d numbers, the largest deviation is %.2g", d.numbers, d.largest)
	if d.numbers == 0 {
		t.Error("nothing was compared")
	}
}

func (d *differ) compare(path string, got, want any) {
	switch want := want.(type) {
	case map[string]any:
		have, _ := got.(map[string]any)
		for key := range want {
			if _, ok := have[key]; !ok {
				d.found = append(d.found, path+"."+key+" is not there")
				continue
			}
			d.compare(path+"."+key, have[key], want[key])
		}
		for key := range have {
			if _, ok := want[key]; !ok && !d.some {
				d.found = append(d.found, path+"."+key+" is too much")
			}
		}
	case []any:
		have, _ := got.([]any)
		if len(have) != len(want) {
			d.found = append(d.found, fmt.Sprintf("%s has %d entries, want %d", path, len(have), len(want)))
			return
		}
		for i := range want {
			d.compare(fmt.Sprintf("%s[%d]", path, i), have[i], want[i])
		}
	case float64:
		have, ok := got.(float64)
		d.numbers++
		d.largest = math.Max(d.largest, math.Abs(have-want))
		if !ok || math.Abs(have-want) > tolerance {
			d.found = append(d.found, fmt.Sprintf("%s is %v, want %v", path, got, want))
		}
	default:
		if got != want {
			d.found = append(d.found, fmt.Sprintf("%s is %v, want %v", path, got, want))
		}
	}
}
