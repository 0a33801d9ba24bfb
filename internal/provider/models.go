package provider

import (
	"cmp"
	"regexp"
	"slices"
	"time"

	"earshot"
)

// ModelsRead is the day on which the sources of Models were read.
const ModelsRead = "2026-11-19"

// Models are models of official APIs with the same fate: a default, or models that their vendor
// ends on one day.
type Models struct {
	API     string // the name of the API
	IDs     []string
	Default bool   // the only id is the API's default model
	Pinned  string // of a default: the id that never answers with another model; "" if the API has no such id
	Ends    string // the announced date of the end; "" if none is announced
	Use     string // of models that end: what to use instead
	Source  string // the page of the vendor
}

// KnownModels returns the table of models. The defaults of providers, `earshot check`, the state of
// upstreams and the documentation are based on it.
func KnownModels() []Models {
	const (
		openAI     = "developers.openai.com/api/docs/deprecations"
		gemini     = "ai.google.dev/gemini-api/docs/deprecations"
		anthropic  = "platform.claude.com/docs/en/about-claude/model-deprecations"
		perplexity = "docs.perplexity.ai/docs/agent-api/migrate-from-sonar/overview"
		xai        = "docs.x.ai/developers/migration/may-15-retirement"
	)
	return []Models{
		{API: "openai", IDs: []string{"gpt-6.1-sol"}, Default: true, Pinned: "gpt-6.1-sol-2026-09-29", Source: "developers.openai.com/api/docs/models"},
		{API: "openai", IDs: []string{"gpt-3.5-turbo", "gpt-4", "o1", "o3-mini", "o4-mini", "gpt-4.1-nano"}, Ends: "2026-10-23", Use: "gpt-6-luna", Source: openAI},
		{API: "openai", IDs: []string{"gpt-5", "gpt-5-mini", "gpt-5-nano", "gpt-5-pro", "o3", "o3-pro"}, Ends: "2026-12-11", Use: "gpt-6.1-sol", Source: openAI},
		{API: "openai", IDs: []string{"gpt-4o", "gpt-4o-mini", "gpt-4.1", "gpt-4.1-mini"}, Ends: "2027-01-14", Use: "gpt-6-luna", Source: openAI},
		{API: "openai", IDs: []string{"gpt-5.1", "gpt-5.3-codex", "gpt-5.4-nano"}, Ends: "2027-04-01", Use: "gpt-6.1-sol", Source: openAI},

		{API: "gemini", IDs: []string{"gemini-3.8-flash"}, Default: true, Source: "ai.google.dev/gemini-api/docs/models"},
		{API: "gemini", IDs: []string{"gemini-3.7-flash"}, Ends: "2026-10-08", Use: "gemini-3.8-flash", Source: gemini},
		{API: "gemini", IDs: []string{"gemini-3.5-flash"}, Ends: "2026-10-08", Use: "gemini-3.6-flash", Source: gemini},
		{API: "gemini", IDs: []string{"gemini-2.5-flash", "gemini-2.5-flash-lite", "gemini-2.5-pro"}, Ends: "2026-10-16", Use: "gemini-3.8-flash", Source: gemini},
		{API: "gemini", IDs: []string{"gemini-3.1-flash-lite"}, Ends: "2027-05-07", Use: "gemini-3.5-flash-lite", Source: gemini},

		{API: "xai", IDs: []string{"grok-4.7"}, Default: true, Pinned: "grok-4.7", Source: "docs.x.ai/developers/pricing"},
		{
			API: "xai", IDs: []string{"grok-3", "grok-4-0709", "grok-4-fast", "grok-4-1-fast", "grok-code-fast-1"},
			Ends: "2026-05-15", Use: "grok-4.7", Source: xai,
		},

		{API: "perplexity", IDs: []string{"perplexity/sonar"}, Default: true, Source: perplexity},
		{API: "perplexity", IDs: []string{"sonar", "sonar-pro"}, Ends: "2026-09-27", Use: "perplexity/sonar", Source: perplexity},

		{API: "anthropic", IDs: []string{"claude-sonnet-5-5"}, Default: true, Pinned: "claude-sonnet-5-5", Source: anthropic},
		{API: "anthropic", IDs: []string{"claude-sonnet-4-5"}, Ends: "2026-11-30", Use: "claude-sonnet-5-5", Source: anthropic},
	}
}

// DefaultModel returns the default model of an official API, or "".
func DefaultModel(api string) string {
	for _, m := range KnownModels() {
		if m.API == api && m.Default {
			return m.IDs[0]
		}
	}
	return ""
}

// modelVariant matches what vendors append to the id of a model: the date of a version, or the
// kind of a model that ends with the others.
var modelVariant = regexp.MustCompile(`-(?:\d{4}-?\d{2}-?\d{2}|(?:non-)?reasoning)$`)

// ModelEnd is the announced end of a model.
type ModelEnd struct {
	On    string // the date; "" if none is known
	Use   string // what to use instead, if known
	State earshot.ModelState
}

// FindModelEnd returns the announced end of a model of an official API. reported is the date that
// the API itself reports, which overrides the table; "" if it reports none.
func FindModelEnd(api, model, reported string, now time.Time) ModelEnd {
	end := ModelEnd{On: reported}
	for _, m := range KnownModels() {
		if m.API == api && (slices.Contains(m.IDs, model) || slices.Contains(m.IDs, modelVariant.ReplaceAllString(model, ""))) {
			end.On, end.Use = cmp.Or(reported, m.Ends), m.Use
			break
		}
	}
	end.State = modelState(end.On, now)
	return end
}

// warnDays is how long before its end a model counts as ending. It is the shortest notice that
// vendors promise.
const warnDays = 60

// modelState returns the state of a model that ends on a date, or at an unknown time.
func modelState(date string, now time.Time) earshot.ModelState {
	on, err := time.Parse(time.DateOnly, date)
	switch {
	case err != nil:
		return earshot.ModelCurrent
	case !now.Before(on):
		return earshot.ModelEnded
	case !now.Before(on.AddDate(0, 0, -warnDays)):
		return earshot.ModelEnding
	default:
		return earshot.ModelCurrent
	}
}
