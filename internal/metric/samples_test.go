package metric_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"earshot/internal/metric"
)

// tolerance is how far a number may lie from that of another implementation.
const tolerance = 1e-9

// TestWorkedExamples computes the examples in testdata, whose numbers were worked out by
// other means, and those that lie beside the repository where there are any.
func TestWorkedExamples(t *testing.T) {
	t.Parallel()
	own, err := filepath.Glob("testdata/*/expected.json")
	if err != nil || len(own) == 0 {
		t.Fatalf("there are no examples of our own: %v", err)
	}
	for _, path := range own {
		checkExample(t, filepath.Dir(path))
	}
	shared, err := filepath.Glob("../../../shared/samples/metrics/*/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	if len(shared) == 0 {
		t.Skip("there are no examples beside the repository")
	}
	for _, path := range shared {
		checkExample(t, filepath.Dir(path))
	}
}

func checkExample(t *testing.T, dir string) {
	t.Helper()
	t.Run(filepath.Base(dir), func(t *testing.T) {
		t.Parallel()
		report, err := readBook(t, dir).Report()
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(report)
		if err != nil {
			t.Fatal(err)
		}
		expected, err := os.ReadFile(filepath.Join(dir, "expected.json"))
		if err != nil {
			t.Fatal(err)
		}
		d := differ{}
		d.compare("", decode(t, text), decode(t, expected))
		for _, difference := range d.found[:min(len(d.found), 20)] {
			t.Error(difference)
		}
		t.Logf("%d numbers, the largest deviation is %.2g", d.numbers, d.largest)
		if d.numbers == 0 {
			t.Error("nothing was compared")
		}
	})
}

func readBook(t *testing.T, dir string) *metric.Book {
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

func decode(t *testing.T, text []byte) any {
	t.Helper()
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// differ collects where two documents differ, numbers by more than the tolerance.
type differ struct {
	found   []string
	numbers int
	largest float64
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
			if _, ok := want[key]; !ok {
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
