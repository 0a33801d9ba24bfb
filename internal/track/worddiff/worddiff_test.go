package worddiff_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot/internal/track/worddiff"
)

func TestDiff(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, a, b, want string }{
		{"nothing", "", "", ""},
		{"the same", "Ollaro is light.", "Ollaro  is\nlight.", "=Ollaro  is\nlight."},
		{"all new", "", "Ollaro", "+Ollaro"},
		{"all gone", "Ollaro", "", "-Ollaro"},
		{"a word", "Ollaro is light.", "Kestrin is light.", "-Ollaro |+Kestrin |=is light."},
		{"a word inside", "pick Ollaro, then run", "pick Ollaro Pro, then walk", "=pick Ollaro |+Pro|=, then |-run|+walk"},
		{"order", "Ollaro Kestrin Veltra", "Veltra Ollaro Kestrin", "+Veltra |=Ollaro Kestrin|-Veltra"},
		{"without spaces", "我买了鞋", "我卖了鞋", "=我|-买|+卖|=了鞋"},
	}
	for _, test := range tests {
		runs, cut := worddiff.Diff(test.a, test.b)
		var got []string
		for _, run := range runs {
			got = append(got, map[worddiff.Kind]string{worddiff.Same: "=", worddiff.Removed: "-", worddiff.Added: "+"}[run.Kind]+run.Text)
		}
		if diff := cmp.Diff(test.want, strings.Join(got, "|")); diff != "" || cut {
			t.Errorf("%s: cut %t, (-want +got):\n%s", test.name, cut, diff)
		}
	}
}

func TestOnly(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, a, b, want string }{
		{"nothing", "", "running shoes", ""},
		{"order and case", "Shoes for Running", "best running shoes", "for"},
		{"punctuation", "best (running) shoes?", "best shoes", "running"},
		{"twice", "shoes 2026 reviews 2026", "shoes", "2026|reviews|2026"},
		{"full case folding", "STRASSE laufen", "Straße", "laufen"},
		{"without spaces", "跑步鞋推荐", "推荐 鞋", "跑步"},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, strings.Join(worddiff.Only(test.a, test.b), "|")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestLongTextIsCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a b ", worddiff.MaxWords)
	runs, cut := worddiff.Diff(long, long)
	if !cut || len(runs) != 1 || len(strings.Fields(runs[0].Text)) != worddiff.MaxWords {
		t.Errorf("cut %t, %d runs", cut, len(runs))
	}
}

func FuzzDiff(f *testing.F) {
	f.Add("a b c d", "b a d c e")
	f.Add("é\xff 我", " \n我é")
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)+len(b) > 2000 {
			return
		}
		runs, _ := worddiff.Diff(a, b)
		var one, two strings.Builder
		for _, run := range runs {
			if run.Kind != worddiff.Added {
				one.WriteString(run.Text)
			}
			if run.Kind != worddiff.Removed {
				two.WriteString(run.Text)
			}
		}
		if bare(one.String()) != bare(a) || two.String() != b {
			t.Errorf("the runs of %q and %q are %q", a, b, runs)
		}
	})
}

// bare removes white space.
func bare(text string) string { return strings.Join(strings.Fields(text), "") }
