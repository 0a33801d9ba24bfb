package aggregate

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"earshot/internal/store/analysing"
	"earshot/internal/store/tracking"
	"earshot/internal/track/ruleset"
)

// TestBreaks uses sweeps that each differ from the one before in at most one property.
func TestBreaks(t *testing.T) {
	t.Parallel()
	target := func(change func(*targetFacts)) map[int]*targetFacts {
		f := &targetFacts{Surface: "web", Model: "m1", Ended: 10}
		change(f)
		return map[int]*targetFacts{1: f}
	}
	sweeps := []struct {
		version int
		facts   *sweepFacts
		want    []string // kind and target
	}{
		{1, &sweepFacts{1, target(func(*targetFacts) {})}, nil},
		{1, &sweepFacts{1, target(func(f *targetFacts) { f.Model = "m2" })}, []string{"model chat/US"}},
		{1, nil, nil}, // its facts are unknown
		{1, &sweepFacts{1, target(func(f *targetFacts) { f.Model = "" })}, nil},
		{1, &sweepFacts{1, target(func(f *targetFacts) { f.Model, f.Surface = "m2", "api" })}, []string{"surface chat/US"}},
		{1, &sweepFacts{2, target(func(f *targetFacts) { f.Model, f.Surface = "m2", "api" })}, []string{"parser "}},
		{1, &sweepFacts{2, target(func(f *targetFacts) { f.Model, f.Surface, f.Blocked = "m2", "api", 2 })}, []string{"blocked chat/US"}},
		{1, &sweepFacts{2, target(func(f *targetFacts) { f.Model, f.Surface, f.Blocked = "m2", "api", 9 })}, nil},
		{1, &sweepFacts{2, target(func(f *targetFacts) { f.Model, f.Surface, f.Unreadable = "m2", "api", 3 })}, []string{"parserHealth chat/US", "blocked chat/US"}},
		{2, nil, []string{"promptSet "}},
		{3, nil, []string{"locale chat/DE"}},
		{3, nil, []string{"panel "}},
	}
	start := time.Date(2026, 11, 1, 6, 0, 0, 0, time.UTC)
	h := &ClosedSweeps{
		firstRules: ruleset.FirstAlike([]*analysing.Rules{
			{Version: 1, Brands: []byte("a")},
			{Version: 2, Brands: []byte("b"), CreatedAt: start.AddDate(0, 0, 10).Add(time.Hour)},
			{Version: 3, Brands: []byte("b"), CreatedAt: start.AddDate(0, 0, 4).Add(time.Hour)},
		}, &analysing.Rules{Version: 3, Brands: []byte("b")}),
		targets: []*tracking.TrackerPart{
			{ID: 1, Name: "chat/US", Definition: []byte(`{"provider":"chat","country":"US"}`)},
			{ID: 2, Name: "chat/DE", Definition: []byte(`{"provider":"chat","country":"DE"}`)},
		},
		asked: map[int]*asked{1: {prompts: []int{1, 2}, targets: []int{1}}, 2: {prompts: []int{1, 3}, targets: []int{1}}, 3: {prompts: []int{1, 3}, targets: []int{2}}},
	}
	b := &Aggregate{}
	var want []string
	for i, s := range sweeps {
		sweep := &tracking.Sweep{ID: fmt.Sprint(i), Version: s.version, DueAt: start.AddDate(0, 0, i)}
		if s.facts != nil {
			var err error
			if sweep.Facts, err = json.Marshal(s.facts); err != nil {
				t.Fatal(err)
			}
		}
		b.Sweeps = append(b.Sweeps, sweep)
		for _, kind := range s.want {
			want = append(want, sweep.ID+" "+kind)
		}
	}
	b.Breaks = b.breaksOf(h)
	var got []string
	for _, br := range b.Breaks {
		got = append(got, br.Sweep+" "+br.Kind+" "+br.Target)
		if br.Reason == "" || br.Open == (br.Kind == "panel") {
			t.Errorf("got break %+v, want a reason, and open unless its kind is panel", br)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the breaks are\n%q, want\n%q", got, want)
	}
	if n := len(b.Touching("chat/DE", []string{"0", "1", "9", "10", "11"})); n != 2 {
		t.Errorf("%d breaks touch the target, want 2: promptSet and locale", n)
	}
	if n := len(b.Touching("chat/US@api", []string{"1", "3", "4"})); n != 1 {
		t.Errorf("%d breaks touch a surface of the target, want 1: surface", n)
	}
}

// A change of the vendor is a break, also when the surface stays the same.
func TestOriginBreaks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ before, after, want string }{
		{"web", "vendor:cloro", "surface: the surface of most answers changed from web to vendor (cloro)"},
		{"vendor:cloro", "vendor:oxylabs", "via: the vendor of most answers changed from cloro to oxylabs"},
		{"api", "api:dataforseo", "via: most answers came directly from the provider; now they come from dataforseo"},
		{"api:dataforseo", "api", "via: most answers came from dataforseo; now they come directly from the provider"},
		{"vendor:cloro", "vendor:cloro", ""},
		{"vendor:cloro", "", ""}, // nothing was answered
	} {
		got := ""
		(&targetFacts{Surface: c.after}).breaks(&targetFacts{Surface: c.before}, func(kind, reason string) { got += kind + ": " + reason })
		if got != c.want {
			t.Errorf("from %s to %s: %q, want %q", c.before, c.after, got, c.want)
		}
	}
}
