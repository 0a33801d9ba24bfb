package metric

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestGrades(t *testing.T) {
	t.Parallel()
	best := map[string]float64{
		"prompts": 50, "sweeps": 14, "coverage": 0.95, "informative": 0.5, "providers": 2, "smallestChange": 0.05, "openBreaks": 0,
	}
	for _, test := range []struct {
		name  string
		value float64
		want  Grade
	}{
		{"prompts", 50, DecisionGrade},
		{"prompts", 49, Directional},
		{"prompts", 10, Directional},
		{"prompts", 9, Exploratory},
		{"sweeps", 13, Directional},
		{"sweeps", 4, Exploratory},
		{"coverage", 0.94, Directional},
		{"coverage", 0.79, Exploratory},
		{"informative", 0.49, Directional},
		{"informative", 0, Directional},
		{"providers", 1, Directional},
		{"smallestChange", 0.051, Directional},
		{"openBreaks", 1, Directional},
		{"smallestChange", math.NaN(), Directional}, // NaN stands for an unknown value
		{"coverage", math.NaN(), Exploratory},
	} {
		values := map[string]*float64{}
		for name, value := range best {
			if name == test.name {
				value = test.value
			}
			if !math.IsNaN(value) {
				values[name] = &value
			}
		}
		if g := judge(values); g.Grade != test.want || len(g.Criteria) != len(thresholds) {
			t.Errorf("%s of %v makes it %s, want %s", test.name, test.value, g.Grade, test.want)
		}
	}
}

func TestGradesOfADataset(t *testing.T) {
	t.Parallel()
	def := Definition{
		Samples: 1, Brands: []PanelBrand{{Name: "A"}}, Prompts: []Prompt{{Weight: 1}, {Weight: 1}, {Weight: 1, Branded: true}},
		Targets: []Target{{Key: "chat/US"}, {Key: "engine/US"}}, Breaks: []Break{{Sweep: "s3"}},
	}
	for _, id := range []string{"s1", "s2", "s3", "s4"} {
		def.Sweeps = append(def.Sweeps, AskedSweep{ID: id, Slot: id})
	}
	b, err := NewDataset(def)
	if err != nil {
		t.Fatal(err)
	}
	for at, s := range def.Sweeps {
		for p := range def.Prompts {
			a := Observation{Prompt: p, Target: "chat/US", Sweep: s.ID, Sample: 1, Outcome: Answered}
			if at%2 == 0 {
				a.Mentions = []Mention{{Brand: "A", Kind: Name, Position: 1}}
			}
			if err := b.Add(a); err != nil {
				t.Fatal(err)
			}
		}
	}
	grades, err := b.Grades(Query{}, []string{"s1", "s2", "s3", "s4"})
	if err != nil || len(grades) != 1 || grades[0].Grade != Exploratory {
		t.Fatalf("%v, %+v", err, grades)
	}
	want := map[string]float64{"prompts": 2, "sweeps": 4, "coverage": 0.5, "informative": 0.5, "providers": 1, "openBreaks": 1} // engine never answered
	for _, c := range grades[0].Criteria {
		if value, ok := want[c.Name]; ok && (c.Value == nil || *c.Value != value) {
			t.Errorf("%s is %v, want %v", c.Name, c.Value, value)
		}
		if c.Name == "smallestChange" && (c.Value == nil || c.Met) {
			t.Errorf("the smallest change is %v and met: %t, though visibility alternates between 0 and 1", c.Value, c.Met)
		}
	}
}

// TestComponents estimates known variances from simulated answers.
func TestComponents(t *testing.T) {
	t.Parallel()
	const sweeps, cells, samples = 200, 60, 3
	r := rand.New(rand.NewPCG(5, 5))
	day, promptDay := 0.05, 0.10
	var entries []entry
	for s := range sweeps {
		d := day * r.NormFloat64()
		for c := range cells {
			p := 0.5 + d + promptDay*r.NormFloat64()
			hits := 0.0
			for range samples {
				if r.Float64() < p {
					hits++
				}
			}
			entries = append(entries, entry{s, [2]int{c, 0}, hits / samples, samples})
		}
	}
	found, ok := components(entries)
	if !ok {
		t.Fatal("components returns false")
	}
	for what, pair := range map[string][2]float64{
		"day": {found.Day, day * day}, "promptDay": {found.PromptDay, promptDay * promptDay}, "answer": {found.Answer, 0.25 - day*day - promptDay*promptDay},
	} {
		if math.Abs(pair[0]-pair[1]) > 0.25*pair[1] {
			t.Errorf("the variance of %s is %.5f, want about %.5f", what, pair[0], pair[1])
		}
	}
	if found.Lag1 > 0.2 {
		t.Errorf("independent days have a lag-1 correlation of %v", found.Lag1)
	}
	if _, ok := components(entries[:cells*4]); ok {
		t.Error("components accepts four sweeps")
	}
}
