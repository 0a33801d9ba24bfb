package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"earshot/internal/app"
)

func TestMarkdownIsStyledOnATerminal(t *testing.T) {
	t.Parallel()
	text := "# Shoes #\n- **Ridge** and **Peak** for 2 * 3\n#hash"
	if got := (textStyle{}).markdown(text); got != text {
		t.Errorf("without a terminal: %q", got)
	}
	want := "\x1b[1mShoes\x1b[0m\n- \x1b[1mRidge\x1b[0m and \x1b[1mPeak\x1b[0m for 2 * 3\n#hash"
	if got := (textStyle{true}).markdown(text); got != want {
		t.Errorf("on a terminal: %q", got)
	}
}

func TestControlCharactersAreRemoved(t *testing.T) {
	t.Parallel()
	evil := "a\x1b[2J\x1b]0;title\x07b\u009b1mc\u202ed\r"
	result, err := json.Marshal(map[string]any{
		"text": evil, "sources": []any{map[string]any{"position": 1, "label": evil, "url": "https://example.com/" + evil, "domain": evil}},
		"searchQueries": []string{evil + "\nSources"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range app.Providers() {
		var out bytes.Buffer
		if err := (&printer{out: &out}).print(p.Definition(), result); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(out.String(), "\x1b\x07\u009b\u202e\r") || strings.Contains(out.String(), "\nSources\nSources") {
			t.Errorf("%s printed %q", p.Definition().Name, out.String())
		}
	}
}

func TestProgressShowsRateAndTimeLeft(t *testing.T) {
	t.Parallel()
	began := time.Now()
	for _, test := range []struct {
		terminal bool
		want     string
	}{
		{false, "20 of 100 ended, 1 failed, 2.0 per second, about 40s left\n"},
		{true, "\r\x1b[K[####....................] 20 of 100 ended, 1 failed, 2.0 per second, about 40s left\r\x1b[K"},
	} {
		var out bytes.Buffer
		p := newProgress(&out, test.terminal)
		p.begin(100, began)
		p.show(9, 0, began.Add(10*time.Millisecond)) // too soon to show, and too few tasks for a rate
		p.show(20, 1, began.Add(10*time.Second))
		p.show(21, 1, began.Add(10*time.Second+time.Millisecond)) // too soon to look again
		p.clear()
		p.clear()
		if out.String() != test.want {
			t.Errorf("it showed %q, want %q", out.String(), test.want)
		}
	}
}

func TestThousands(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -100: "-100", -1000: "-1,000"} {
		if got := thousands(n); got != want {
			t.Errorf("%d is %s", n, got)
		}
	}
	if many(1, "task") != "1 task" || many(2000, "task") != "2,000 tasks" {
		t.Error("words do not follow their numbers")
	}
}
