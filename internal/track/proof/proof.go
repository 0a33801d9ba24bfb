// Package proof writes and verifies proofs: numbers with all answers behind them, so that
// anybody can recompute the numbers without a server.
//
// A proof is a file with one JSON object per line: first a head with the definition and the
// brands, then every answer with its whole result, then every number.
package proof

import (
	"encoding/json"
	"fmt"
	"iter"

	"earshot"
	"earshot/internal/track/analysis"
	"earshot/internal/track/metric"
)

// Line is a line of a proof. Exactly one of its fields is set.
type Line struct {
	Head      *Head           `json:"head,omitempty"`
	Answer    *ProvedAnswer   `json:"answer,omitempty"`
	Number    json.RawMessage `json:"number,omitempty"` // a metric.Row
	Series    json.RawMessage `json:"series,omitempty"`
	Stability json.RawMessage `json:"stability,omitempty"`
}

// codeWithContents is the first version of the analysis that reads the contents of answers
// besides their text. Proofs of the version before it have the numbers m1 only.
const codeWithContents = 4

// Head is the first line of a proof.
type Head struct {
	Tracker string `json:"tracker"`
	Rules   string `json:"rules"`
	// Code is the version of the code that finds brands and citations.
	Code       int                  `json:"code"`
	Panel      []earshot.Brand      `json:"panel"`
	Sources    []earshot.SourceType `json:"sources,omitempty"` // types of sites
	Definition metric.Definition    `json:"definition"`
	// Reports says what the answers of each target report, by key. It follows from the provider,
	// the upstream that answered, and the options of the target.
	Reports map[string]analysis.Reports `json:"reports,omitempty"`
}

// ProvedAnswer is an answer as the metrics count it, with the result it was read from.
type ProvedAnswer struct {
	metric.Observation
	Result json.RawMessage `json:"result"`
}

// Read analyses the result of an answer again and returns the observation.
func (a *ProvedAnswer) Read(panel *analysis.Panel, head *Head) (metric.Observation, error) {
	prompts := head.Definition.Prompts
	if a.Prompt < 0 || a.Prompt >= len(prompts) {
		return metric.Observation{}, fmt.Errorf("there is no prompt %d", a.Prompt)
	}
	found, err := panel.Analyse(a.Result, analysis.Question{Text: prompts[a.Prompt].Text, Reports: head.Reports[a.Target]})
	if err != nil {
		found = &analysis.Analysis{} // an unreadable result names no brand
	}
	if head.Code < codeWithContents {
		found.Contents = metric.Contents{}
	}
	read := found.Answer(panel)
	read.ID, read.Prompt, read.Target, read.Sweep, read.Sample, read.Outcome = a.ID, a.Prompt, a.Target, a.Sweep, a.Sample, a.Outcome
	return read, nil
}

// Numbers returns the lines of all numbers of a dataset.
func Numbers(b *metric.Dataset) (iter.Seq2[*Line, error], error) {
	report, err := b.Report()
	if err != nil {
		return nil, err
	}
	return func(yield func(*Line, error) bool) {
		_ = each(report.Metrics, yield, func(l *Line) *json.RawMessage { return &l.Number }) &&
			each(report.Series, yield, func(l *Line) *json.RawMessage { return &l.Series }) &&
			each(report.Stability, yield, func(l *Line) *json.RawMessage { return &l.Stability })
	}, nil
}

// each yields a line for each value, and reports whether to continue.
func each[T any](values []T, yield func(*Line, error) bool, field func(*Line) *json.RawMessage) bool {
	for _, v := range values {
		line := &Line{}
		var err error
		*field(line), err = json.Marshal(v)
		if !yield(line, err) || err != nil {
			return false
		}
	}
	return true
}
