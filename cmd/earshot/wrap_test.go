package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/app"
)

func TestLinesAreWrappedToTheTerminal(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, want string }{
		{"short", "short"},
		{"one two three four", "one two\nthree four"},
		{"- one two three four", "- one two\n  three\n  four"},
		{"12. one two three", "12. one\n    two\n    three"},
		{"     one two three", "     one\n     two\n     three"},
		{"\x1b[1mone two\x1b[0m three", "\x1b[1mone two\x1b[0m\nthree"},
		{"東京で一番おいしい店", "東京で一番\nおいしい店"},
		{"東京で一番、おいしい", "東京で一\n番、おいし\nい"}, // no line begins with a comma
		{"see https://example.com/long", "see\nhttps://example.com/long"},
		{"e\u0301e\u0301e\u0301e\u0301 e\u0301e\u0301e\u0301e\u0301e\u0301", "e\u0301e\u0301e\u0301e\u0301 e\u0301e\u0301e\u0301e\u0301e\u0301"},
		{"```\none two three four\n```\none two three", "```\none two three four\n```\none two\nthree"},
		{"| one | two | three |", "| one | two | three |"},
	} {
		if got := wrapped(test.text, 10); got != test.want {
			t.Errorf("%q is %q, want %q", test.text, got, test.want)
		}
		if got := wrapped(test.text, 0); got != test.text {
			t.Errorf("without a terminal %q is %q", test.text, got)
		}
	}
	if got := shortened("東京で一番おいしい店", 10); got != "東京で一…" {
		t.Errorf("shortened: %q", got)
	}
	wrapped(strings.Repeat("a ", 1000), 1) // narrower than anybody has it
}

func TestLinksBecomeNumbersOfSources(t *testing.T) {
	t.Parallel()
	sources := []earshot.Source{
		{Position: 1, URL: "https://a.example/x_(y)", Label: "A"},
		{Position: 2, URL: "https://b.example/", Label: "B", RedirectLink: "https://engine.example/r?b"},
	}
	for text, want := range map[string]string{
		"Good. ([A](https://a.example/x_(y)), [B](https://b.example/))":                                       "Good. [1][2]",
		"Good ([B](https://engine.example/r?b)).":                                                             "Good [2].",
		"See [the page](https://a.example/x_(y)) first":                                                       "See the page [1] first",
		"Fact.[[2]](https://b.example/) [1](https://a.example/x_(y))":                                         "Fact.[2] [1]",
		"![a shoe](https://img.example/1.png) and [c](https://c.example/p \"title\")[d](https://c.example/p)": "a shoe and c [3]d [3]",
		"no [link] (at all) [x]()":                                                                            "no [link] (at all) x [3]",
	} {
		got, list := numberLinks(text, sources)
		if got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
		if linked := strings.Contains(want, "[3]"); linked != (len(list) == 3) || len(sources) != 2 {
			t.Errorf("%q has the sources %+v", text, list)
		}
	}
}

func TestAnswersAreFormattedForTheTerminal(t *testing.T) {
	t.Parallel()
	about, err := app.FindProvider("chatassistant")
	if err != nil {
		t.Fatal(err)
	}
	const text = "Ridge is best ([A](https://a.example/)) and [Peak](https://www.c.example/p) next."
	result, err := json.Marshal(earshot.Answer{Markdown: text, Sources: []earshot.Source{{Position: 1, URL: "https://a.example/", Label: "A", Domain: "a.example"}}})
	if err != nil {
		t.Fatal(err)
	}
	var terminal, pipe bytes.Buffer
	if err := (&printer{out: &terminal, columns: 24}).print(about, result); err != nil {
		t.Fatal(err)
	}
	wants(t, terminal.String(), "Ridge is best [1] and\nPeak [2] next.\n\nSources\n  1. A  a.example\n", "  2. Peak  c.example\n     https://www.c.example/p\n")
	if err := newPrinter(&pipe).print(about, result); err != nil {
		t.Fatal(err)
	}
	wants(t, pipe.String(), text)
}
