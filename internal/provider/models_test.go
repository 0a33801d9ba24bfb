package provider_test

import (
	"slices"
	"testing"
	"time"

	"earshot"
	"earshot/internal/provider"
)

func TestFindModelEnd(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		api, model, reported, now string
		want                      provider.ModelEnd
	}{
		{"openai", "gpt-5", "", "2026-10-11", provider.ModelEnd{On: "2026-12-11", Use: "gpt-6.1-sol", State: earshot.ModelCurrent}},
		{"openai", "gpt-5", "", "2026-10-12", provider.ModelEnd{On: "2026-12-11", Use: "gpt-6.1-sol", State: earshot.ModelEnding}},
		{"openai", "gpt-5-2025-08-07", "", "2026-12-10", provider.ModelEnd{On: "2026-12-11", Use: "gpt-6.1-sol", State: earshot.ModelEnding}},
		{"openai", "gpt-5", "", "2026-12-11", provider.ModelEnd{On: "2026-12-11", Use: "gpt-6.1-sol", State: earshot.ModelEnded}},
		{"openai", "gpt-5", "2027-03-01", "2026-12-11", provider.ModelEnd{On: "2027-03-01", Use: "gpt-6.1-sol", State: earshot.ModelCurrent}},
		{"openai", "gpt-7", "2026-12-01", "2026-11-19", provider.ModelEnd{On: "2026-12-01", State: earshot.ModelEnding}},
		{"openai", "gpt-5-turbo", "", "2030-01-01", provider.ModelEnd{State: earshot.ModelCurrent}},
		{"anthropic", "claude-sonnet-4-5-20250929", "", "2026-11-30", provider.ModelEnd{On: "2026-11-30", Use: "claude-sonnet-5-5", State: earshot.ModelEnded}},
		{"xai", "grok-4-fast-non-reasoning", "", "2026-11-19", provider.ModelEnd{On: "2026-05-15", Use: "grok-4.7", State: earshot.ModelEnded}},
		{"perplexity", "sonar", "", "2026-11-19", provider.ModelEnd{On: "2026-09-27", Use: "perplexity/sonar", State: earshot.ModelEnded}},
		{"anthropic", "gpt-5", "soon", "2026-12-11", provider.ModelEnd{On: "soon", State: earshot.ModelCurrent}},
	} {
		now, err := time.Parse(time.DateOnly, test.now)
		if err != nil {
			t.Fatal(err)
		}
		if got := provider.FindModelEnd(test.api, test.model, test.reported, now); got != test.want {
			t.Errorf("%s of %s on %s: %+v, want %+v", test.model, test.api, test.now, got, test.want)
		}
	}
}

// A release must not suggest a model that ends soon, and every date must be one.
func TestKnownModels(t *testing.T) {
	t.Parallel()
	read, err := time.Parse(time.DateOnly, provider.ModelsRead)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range provider.KnownModels() {
		_, err := time.Parse(time.DateOnly, m.Ends)
		if m.Source == "" || m.Default == (m.Ends != "") || m.Ends != "" && (err != nil || m.Use == "") {
			t.Errorf("%+v", m)
		}
		for _, id := range append([]string{m.Use}, m.IDs...) {
			suggested := m.Default || id == m.Use
			if end := provider.FindModelEnd(m.API, id, "", read); suggested && end.State != earshot.ModelCurrent {
				t.Errorf("%s of %s is suggested and ends on %s", id, m.API, end.On)
			}
		}
		if slices.Contains(m.IDs, m.Use) {
			t.Errorf("%s replaces itself", m.Use)
		}
	}
}
