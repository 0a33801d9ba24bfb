package mention_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"earshot/internal/track/mention"
)

// FuzzFind checks invariants for every text: no panic; ranges are whole characters in the
// order of the body; kinds, positions and ranks are consistent; and the visible text of a hit
// is found as the same name when it is the whole text.
func FuzzFind(f *testing.F) {
	file, err := os.ReadFile("testdata/cases.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(file)) {
		var c mention.Case
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			f.Fatal(err)
		}
		f.Add(c.Text, c.Prompt, c.Format == mention.Plain)
	}
	f.Add("\xff**Oll\xc3**aro &#0; &CounterClockwiseContourIntegral; <a href='", "\xff", false)
	brands := append(panel(),
		mention.BrandNames{Name: "On", Match: mention.Match{Case: "exact", Near: []string{"shoes"}, Not: []string{"on sale", "x"}}},
		mention.BrandNames{Name: "New-Balance Shoe", Match: mention.Match{Joined: true, Suffixes: []string{"s", "es"}, Prefixes: []string{"e"}}},
		mention.BrandNames{Name: "ナイキ", Aliases: []mention.Alias{{Name: "나이키"}, {Name: "نايكي"}, {Name: "C++"}, {Name: "Dr. Weiß"}}},
		mention.BrandNames{Name: "Booking.com", Domains: []string{"booking.com"}},
	)
	rules := compile(f, brands...)
	f.Fuzz(func(t *testing.T, body, prompt string, plain bool) {
		text := mention.Text{Body: body, Prompt: prompt, Sources: []mention.Source{{URL: "https://a.example/", Title: prompt}}}
		if plain {
			text.Format = mention.Plain
		}
		found := rules.Find(text)
		end := 0
		for _, m := range found.Mentions {
			check(t, text, m, end)
			end = m.End
			if m.Kind == mention.Name && m.Brand < 3 { // brands without matching rules
				hit := mention.Hit(text, m)
				again := rules.Find(mention.Text{Body: hit, Format: mention.Plain})
				if len(again.Mentions) != 1 || again.Mentions[0].Brand != m.Brand || again.Mentions[0].Name != m.Name {
					t.Errorf("%q in %q is found as %+v", hit, body, again.Mentions)
				}
			}
		}
		for _, link := range found.Links {
			if link.Source >= len(text.Sources) {
				t.Errorf("link %+v in %q", link, body)
			}
		}
	})
}

func check(t *testing.T, text mention.Text, m mention.Mention, after int) {
	t.Helper()
	if m.Start < after || m.End <= m.Start || m.End > len(text.Body) {
		t.Fatalf("range of %+v in %q, after %d", m, text.Body, after)
	}
	if utf8.ValidString(text.Body) && !utf8.ValidString(text.Body[m.Start:m.End]) {
		t.Errorf("%+v cuts a character of %q", m, text.Body)
	}
	if m.SentenceStart > m.Start || m.SentenceEnd < m.End || m.SentenceEnd > len(text.Body) {
		t.Errorf("the sentence of %+v in %q does not contain the mention", m, text.Body)
	}
	if (m.Position == 0) != (m.Kind == mention.Absent) || m.Kind == mention.Absent && m.ListRank != 0 {
		t.Errorf("%+v in %q contradicts itself", m, text.Body)
	}
}

// TestHostileTextsTakeLinearTime runs texts that are designed to be slow. Each is so long that
// quadratic time would make the test visibly slow.
func TestHostileTextsTakeLinearTime(t *testing.T) {
	t.Parallel()
	rules := compile(t,
		mention.BrandNames{Name: "a a a a", Match: mention.Match{Joined: true, Suffixes: []string{"a", "aa"}, Prefixes: []string{"a"}}},
		mention.BrandNames{Name: "b", Match: mention.Match{Near: []string{"zzz"}, Within: 20, Not: []string{"b x", "y b"}}},
		mention.BrandNames{Name: "x.example", Domains: []string{"x.example"}},
	)
	for name, unit := range map[string]string{
		"letters": "a", "joined": "a-", "hyphens": "-", "near": "b ", "long words": "bé", "marks": "e\u0301\u0302", "stops": "x. ", "dots": "x.",
		"hosts": "x.example/", "sentences": "x.Xx.", "colons": "http://", "at": "a@", "angle": "<a:", "brackets": "[1]", "round": "(b)", "quotes": "“b”",
		"commas": "b,[1], ", "no mention": "no mention of b ", "footnotes": "b[^1]",
		"items": "1. b\n", "links": "[b](http://x.example) ", "addresses": "http://x.example/b ", "cells": "| b ",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rules.Find(mention.Text{Body: strings.Repeat(unit, 60_000/len(unit)), Format: mention.Plain, Prompt: strings.Repeat(unit, 2000)})
			rules.Find(mention.Text{Body: strings.Repeat(unit, 20_000/len(unit))})
		})
	}
}
