package mention_test

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"earshot/internal/track/mention"
	"earshot/test/captures"
)

var (
	spaceAfterStop = regexp.MustCompile(`([.:!?)\]]) +(\p{Lu})`)
	addresses      = regexp.MustCompile(`https?://\S*|Amazon\.com:`)
)

// TestAnswers searches real answers for the brands that people found in them, and without the
// spaces between sentences, for each brand that people found in any of them.
func TestAnswers(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile(captures.Find(t, "product-bench/answers.jsonl")[0])
	if err != nil {
		t.Fatal(err)
	}
	count, rules := 0, map[string]*mention.Rules{}
	var texts []string
	for line := range bytes.Lines(file) {
		var answer struct {
			Text   string
			Brands []string
		}
		if err := json.Unmarshal(line, &answer); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, spaceAfterStop.ReplaceAllString(answer.Text, "$1$2"))
		folded := prose(answer.Text)
		for _, brand := range answer.Brands {
			rules[brand] = compile(t, mention.BrandNames{Name: brand})
			stands := len(occurrences(folded, strings.ToLower(brand))) > 0
			if stands && len(rules[brand].Find(mention.Text{Body: answer.Text}).Mentions) == 0 {
				t.Errorf("%s is not found in %q", brand, answer.Text)
			}
		}
	}
	for _, text := range texts {
		folded := prose(text)
		for brand := range rules {
			var found []mention.Mention
			for i, at := range occurrences(folded, strings.ToLower(brand)) {
				if count++; i == 0 {
					found = rules[brand].Find(mention.Text{Body: text, Format: mention.Plain}).Mentions
				}
				if !slices.ContainsFunc(found, func(m mention.Mention) bool { return m.Start == at && m.Counts() }) {
					t.Errorf("%s is not found at %q", brand, text[max(0, at-40):min(len(text), at+40)])
				}
			}
		}
	}
	if count < 5_000 {
		t.Errorf("only %d occurrences", count)
	}
}

// prose returns a text in lower case, of the same length, with spaces instead of addresses.
func prose(text string) string {
	return strings.ToLower(addresses.ReplaceAllStringFunc(text, func(a string) string { return strings.Repeat(" ", len(a)) }))
}

// occurrences returns where a name stands as a whole word.
func occurrences(text, name string) (places []int) {
	inWord := func(r rune, _ int) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	parts := strings.Split(text, name)
	at := 0
	for i, before := range parts[:len(parts)-1] {
		at += len(before)
		if !inWord(utf8.DecodeLastRuneInString(before)) && !inWord(utf8.DecodeRuneInString(parts[i+1])) {
			places = append(places, at)
		}
		at += len(name)
	}
	return places
}
