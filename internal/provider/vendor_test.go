package provider_test

import (
	"testing"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/upstream"
)

// TestCheckAnswer reads short answers, which are right, and what vendors delivered in their place.
func TestCheckAnswer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, prompt string
		answer       bool
	}{
		{"Nike", "Which brand makes Air Jordans?", true},
		{"Yes.", "Is Kestrin light?", true},
		{"1964", "When was Nike founded?", true},
		{"1,234", "How many?", true},
		{"12:30", "When does it open?", true},
		{"7.10.2026", "Which day?", true},
		{"2026-10-07", "Which day?", true},
		{"是", "它轻吗？", true},
		{"42", "What is 6 times 7?", true},
		{"Nike", "nike", true}, // a prompt of a single word may be its own answer
		{"Nike?", "Nike?", true},
		{"Which brand is best? Nike.", "Which brand is best?", true},
		{"", "Which brand?", false},
		{" \n", "Which brand?", false},
		{"  which  Brand\nis best?", "Which brand is best?", false},
		{"2026-10-07T10:30:00.000Z", "Which brand?", false},
		{"2026-10-07 10:30:00", "Which brand?", false},
		{"10/7/2026, 10:30 AM", "Which brand?", false},
		{"07.10.2026 10:30:00 +02:00", "Which brand?", false},
	} {
		failure := provider.CheckAnswer(c.text, c.prompt)
		if (failure == nil) != c.answer {
			t.Errorf("%q to %q: %v", c.text, c.prompt, failure)
		}
		if failure != nil && (failure.Reason != earshot.ReasonEmpty || failure.Final != (c.text == "" || c.text == " \n")) {
			t.Errorf("%q: %+v", c.text, failure)
		}
	}
}

func TestUnitPrice(t *testing.T) {
	t.Parallel()
	const list = upstream.USD(400_000)
	for option, want := range map[string]upstream.USD{"": list, "x": list, "-1": list, "0": 0, "0.0004": 400_000, "0.00031": 310_000, "0.0000000001": 1, "0.1": 100_000_000} {
		if got := provider.UnitPrice(option, list); got != want {
			t.Errorf("%q is %d, want %d", option, got, want)
		}
	}
}
