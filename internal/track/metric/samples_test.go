package metric_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"earshot/internal/track/metric"
	"earshot/test/captures"
)

// tolerance is the largest accepted difference from the numbers of another implementation.
const tolerance = 1e-9

// TestWorkedExamples compares with the numbers of another implementation. The examples are
// stored outside the repository. Each lists the rows of some metrics. Newer comparisons and series of
// an example are in metrics3/older.
func TestWorkedExamples(t *testing.T) {
	t.Parallel()
	for _, path := range slices.Concat(captures.Samples(t, "metrics/*/expected.json"), captures.Samples(t, "metrics3/gaps-*/expected.json")) {
		name := filepath.Base(filepath.Dir(path))
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report, expected := reportOf(t, filepath.Dir(path)), readJSON(t, path)
			newer := filepath.Join(filepath.Dir(path), "../../metrics3/older", name+".json")
			if _, err := os.Stat(newer); err == nil {
				maps.Copy(expected, readJSON(t, newer))
			}
			d := differ{}
			for part, list := range expected {
				listed := map[any]bool{}
				for _, row := range objects(list) {
					listed[row["metric"]] = true
				}
				rows := slices.DeleteFunc(objects(report[part]), func(row map[string]any) bool { return !listed[row["metric"]] })
				d.compare(part, byKey(t, rows), byKey(t, objects(list)))
			}
			d.report(t)
		})
	}
}

// keyOf returns the values of the fields that identify a row.
func keyOf(row map[string]any) string {
	var values []any
	for _, field := range []string{"metric", "brand", "target", "via", "domain", "merchant", "product", "currency", "block", "sweep"} {
		values = append(values, row[field])
	}
	return fmt.Sprintf("%q", values)
}

func byKey(t *testing.T, rows []map[string]any) map[string]any {
	t.Helper()
	found := map[string]any{}
	for _, row := range rows {
		if key := keyOf(row); found[key] != nil {
			t.Errorf("row %s is there twice", key)
		} else {
			found[key] = row
		}
	}
	return found
}

// TestExamplesWorkedOutByHand computes the examples in testdata. They list some fields of
// some rows, each with the reason for its numbers.
func TestExamplesWorkedOutByHand(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"corners", "contents"} {
		dir := filepath.Join("testdata", name)
		report := reportOf(t, dir)
		d := differ{some: true}
		for part, rows := range readJSON(t, filepath.Join(dir, "expected.json")) {
			have := byKey(t, objects(report[part]))
			for _, want := range objects(rows) {
				key := keyOf(want)
				why := fmt.Sprintf("%s (%v)", key, want["why"])
				delete(want, "why")
				d.compare(why, have[key], want)
			}
		}
		d.report(t)
	}
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
