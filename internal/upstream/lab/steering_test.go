package lab

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"earshot/internal/upstream/lab/world"
)

func TestSteer(t *testing.T) {
	t.Parallel()
	n := func(i int) *int { return &i }
	for _, test := range []struct {
		prompt string
		want   Steering
		rest   string
	}{
		{"plain question", Steering{}, "plain question"},
		{"a [[delay=2s]] b", Steering{Delay: 2 * time.Second}, "a b"},
		{"[[delay=99h]]a", Steering{Delay: 5 * time.Minute}, "a"},
		{"a [[drip=50ms]]", Steering{Drip: 50 * time.Millisecond}, "a"},
		{"a [[fail=2]][[status=503]] b", Steering{Fail: 2, Status: 503}, "a b"},
		{"[[block]] [[garbage]] [[empty]] [[hang]] [[cut]] [[huge]] [[spin]]", Steering{Block: true, Garbage: true, Empty: true, Hang: true, Cut: true, Huge: true, Spin: true}, ""},
		{"[[shape=legacy]] a", Steering{Shape: "legacy"}, "a"},
		{"[[shape=mobile]] a", Steering{Shape: "mobile"}, "a"},
		{"a [[clusters=8]] [[overview=none]] [[results=37]]", Steering{Clusters: n(8), Overview: "none", Results: n(37)}, "a"},
		{"[[results=0]]", Steering{Results: n(0)}, ""},
		{"[[unknown]] [[delay]] [[delay=abc]] [[delay=-1s]]", Steering{}, "[[unknown]] [[delay]] [[delay=abc]] [[delay=-1s]]"},
		{"[[fail=x]] [[fail=-1]] [[status=99]] [[status=600]]", Steering{}, "[[fail=x]] [[fail=-1]] [[status=99]] [[status=600]]"},
		{"[[sample=2026-11-20/7]] a", Steering{Sample: "2026-11-20/7"}, "a"},
		{"a [[brands=Ollaro:0.6, Isolde & Finch:0.3]]", Steering{Brands: []world.BrandRate{{Name: "Ollaro", Rate: 0.6}, {Name: "Isolde & Finch", Rate: 0.3}}}, "a"},
		{"a [[noise=0.3]] [[shift=2026-11-20:Ollaro:0.3]][[shift=2026-11-25:Kestrin:1]]", Steering{
			Noise: new(0.3), Shifts: []world.Shift{{Day: "2026-11-20", Brand: "Ollaro", Rate: 0.3}, {Day: "2026-11-25", Brand: "Kestrin", Rate: 1}},
		}, "a"},
		{"[[sample]] [[brands=Ollaro]] [[brands=A:2]] [[brands=A:1,A:1]] [[noise=NaN]]", Steering{}, "[[sample]] [[brands=Ollaro]] [[brands=A:2]] [[brands=A:1,A:1]] [[noise=NaN]]"},
		{"[[shift=soon:A:1]] [[shift=2026-11-20:A]] [[shift=2026-11-20]]", Steering{}, "[[shift=soon:A:1]] [[shift=2026-11-20:A]] [[shift=2026-11-20]]"},
		{"[[shape=round]] [[overview=all]] [[clusters=-1]]", Steering{}, "[[shape=round]] [[overview=all]] [[clusters=-1]]"},
		{"[[block=1]] [[BLOCK]] [ [block]] [[ block ]]", Steering{}, "[[block=1]] [[BLOCK]] [ [block]] [[ block ]]"},
	} {
		got, rest := Steer(test.prompt)
		if diff := cmp.Diff(test.want, got); diff != "" || rest != test.rest {
			t.Errorf("%q leaves %q, want %q; steering (-want +got):\n%s", test.prompt, rest, test.rest, diff)
		}
	}
}
