package proof_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/track/analysis"
	"earshot/internal/track/metric"
	"earshot/internal/track/proof"
)

// newProof writes a proof with two prompts and three sweeps as a version of the analysis did, and
// returns its lines.
func newProof(t *testing.T, code int) []string {
	t.Helper()
	brands := []earshot.Brand{{Name: "Ollaro", Own: true, Domains: earshot.List[string]{"ollaro.example"}}, {Name: "Kestrin"}}
	panel, err := analysis.NewPanel(brands)
	if err != nil {
		t.Fatal(err)
	}
	head := &proof.Head{Tracker: "shoes", Rules: "r1", Code: code, Panel: brands, Definition: metric.Definition{
		Brands: panel.Brands, Samples: 1, Prompts: []metric.Prompt{{Text: "best shoes", Weight: 1}, {Text: "light shoes", Weight: 2}},
		Targets: []metric.Target{{Key: "chatassistant/US", Surface: "lab"}},
		Sweeps:  []metric.AskedSweep{{ID: "s1", Slot: "2026-11-01T06:00"}, {ID: "s2", Slot: "2026-11-02T06:00", Prompts: []int{0, 1}}, {ID: "s3", Slot: "2026-11-03T06:00"}},
	}}
	head.Reports = map[string]analysis.Reports{"chatassistant/US": {Unreported: metric.Unreported{metric.FieldAds: metric.NotRequested}, Inline: true}}
	dataset, err := metric.NewDataset(head.Definition)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	write := func(l *proof.Line) {
		text, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		file.Write(append(text, '\n'))
	}
	write(&proof.Line{Head: head})
	for i, text := range []string{"1. **Ollaro** is light.", "Kestrin lasts.", "Nobody is best.", "**Ollaro** and Kestrin.", "Ollaro.", "Kestrin."} {
		a := &proof.ProvedAnswer{
			Observation: metric.Observation{ID: fmt.Sprint("a", i), Prompt: i % 2, Target: "chatassistant/US", Sweep: head.Definition.Sweeps[i/2].ID, Sample: 1, Outcome: metric.Answered},
			Result:      fmt.Appendf(nil, `{"surface":"lab","markdown":%q,"sources":[{"position":1,"url":"https://ollaro.example/","label":"Ollaro"}],"searchQueries":["shoes"],"ads":[{"title":"x"}]}`, text),
		}
		if a.Observation, err = a.Read(panel, head); err != nil {
			t.Fatal(err)
		}
		if err := dataset.Add(a.Observation); err != nil {
			t.Fatal(err)
		}
		write(&proof.Line{Answer: a})
	}
	numbers, err := proof.Numbers(dataset)
	if err != nil {
		t.Fatal(err)
	}
	for l, err := range numbers {
		if err != nil {
			t.Fatal(err)
		}
		write(l)
	}
	return strings.SplitAfter(strings.TrimSuffix(file.String(), "\n"), "\n")
}

// proves reports whether a file is a valid proof and all of its numbers agree.
func proves(text string) bool {
	_, checks, err := proof.Verify(strings.NewReader(text))
	for _, check := range checks {
		if !check.Agrees {
			return false
		}
	}
	return err == nil
}

func TestProofWithADamagedLineFails(t *testing.T) {
	t.Parallel()
	lines := newProof(t, analysis.Version)
	if !proves(strings.Join(lines, "")) {
		t.Fatal("the numbers of the undamaged proof do not agree")
	}
	for i, line := range lines {
		before, after := strings.Join(lines[:i], ""), strings.Join(lines[i+1:], "")
		for what, text := range map[string]string{
			"missing":      before + after,
			"the last":     before + line,
			"cut":          before + line[:len(line)/2],
			"twice":        before + line + line + after,
			"null":         before + "null\n" + after,
			"without rows": before + "{\"number\":{}}\n" + after,
			"a null row":   before + "{\"number\":null}\n" + after,
		} {
			if text != strings.Join(lines, "") && proves(text) {
				t.Errorf("line %d is %s, but all numbers agree: %.80s", i+1, what, line)
			}
		}
	}
}

// The contents of answers are analysed with the reports of the head. Proofs of the version before
// have neither, and their numbers still agree.
func TestProofsWithAndWithoutContents(t *testing.T) {
	t.Parallel()
	lines := newProof(t, analysis.Version)
	for _, part := range []string{`"searches":["shoes"]`, `"untold":{"ads":"notRequested"}`} {
		if !strings.Contains(lines[1], part) {
			t.Errorf("an answer does not have %s: %s", part, lines[1])
		}
		if changed := strings.Replace(lines[1], part, `"x":1`, 1); proves(lines[0] + changed + strings.Join(lines[2:], "")) {
			t.Errorf("an answer without %s agrees", part)
		}
	}
	if proves(strings.Replace(strings.Join(lines, ""), `"reports"`, `"x"`, 1)) {
		t.Error("without reports, all numbers agree")
	}
	before := strings.Join(newProof(t, 3), "")
	if strings.Contains(before, "searches") || !proves(before) {
		t.Error("the numbers of a proof without contents do not agree")
	}
	if proves(strings.Join(newProof(t, 2), "")) || proves(strings.Join(newProof(t, analysis.Version+1), "")) {
		t.Error("a proof of another version agrees")
	}
}

func TestVerifyDoesNotPanic(t *testing.T) {
	t.Parallel()
	lines := newProof(t, analysis.Version)
	others := []any{nil, "x", -1.0, 1e300, true, []any{nil}, map[string]any{"x": nil}}
	seen := map[string]bool{}
	for i, line := range lines {
		kind, _, _ := strings.Cut(line, ":")
		if seen[kind] {
			continue
		}
		seen[kind] = true // other lines of this kind have the same fields
		var value any
		if err := json.Unmarshal([]byte(line), &value); err != nil {
			t.Fatal(err)
		}
		replaceEach(value, others, func(place string) {
			changed, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if recovered := recover(); recovered != nil {
					t.Errorf("line %d, %s: %v: %s", i+1, place, recovered, changed)
				}
			}()
			proves(strings.Join(lines[:i], "") + string(changed) + "\n" + strings.Join(lines[i+1:], ""))
		})
	}
}

// replaceEach replaces each value within a document by each of the others, one at a time, and
// calls visit.
func replaceEach(document any, others []any, visit func(place string)) {
	each := func(name string, value any, set func(any)) {
		for _, other := range others {
			set(other)
			visit(fmt.Sprintf("%s = %v", name, other))
		}
		set(value)
		replaceEach(value, others, func(place string) { visit(name + "." + place) })
	}
	switch document := document.(type) {
	case map[string]any:
		for name, value := range document {
			each(name, value, func(other any) { document[name] = other })
		}
	case []any:
		for i, value := range document {
			each(fmt.Sprint(i), value, func(other any) { document[i] = other })
		}
	}
}
