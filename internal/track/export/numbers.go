package export

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/files/tablefile"
	"earshot/internal/schema"
	"earshot/internal/store/tracking"
	"earshot/internal/track/aggregate"
	"earshot/internal/track/analysis"
	"earshot/internal/track/definition"
	"earshot/internal/track/metric"
	"earshot/internal/track/proof"
	"earshot/internal/track/ruleset"
)

// exportNumbers exports a proof: numbers with all answers behind them.
func (s *Exporter) exportNumbers(ctx context.Context, organization, name string, q *earshot.ExportQuery, from, until time.Time) (*Export, error) {
	if q.Format != "" && q.Format != string(tablefile.NDJSON) {
		return nil, schema.Invalid("format", "must be ndjson with table=numbers")
	}
	t, d, within, err := s.load(ctx, organization, name, q, from, until)
	if err != nil {
		return nil, err
	}
	b, err := s.counter.Count(ctx, t, d, aggregate.Options{Sources: metric.AllSources}, within)
	if err != nil {
		return nil, err
	}
	set, err := ruleset.Decode(b.Rules)
	if err != nil {
		return nil, err
	}
	head := &proof.Head{
		Tracker: name, Rules: ruleset.Name(b.Rules), Code: b.Rules.Code, Panel: set.Brands, Sources: set.Sources, Definition: b.Definition(),
	}
	known, err := s.definitions.Names(ctx, t)
	if err != nil {
		return nil, err
	}
	head.Reports = reportsOf(head.Definition.Targets, known)
	numbers, err := proof.Numbers(b.Dataset)
	if err != nil {
		return nil, err
	}
	return &Export{Format: tablefile.NDJSON, Pieces: func(yield func([]byte, error) bool) {
		write := func(l *proof.Line, err error) bool {
			var text []byte
			if err == nil {
				text, err = json.Marshal(l)
				text = append(text, '\n')
			}
			return yield(text, err) && err == nil
		}
		if !write(&proof.Line{Head: head}, nil) {
			return
		}
		err := s.eachCounted(ctx, b, known, func(a *proof.ProvedAnswer) bool {
			var err error
			a.Observation, err = a.Read(b.Panel, head)
			return write(&proof.Line{Answer: a}, err)
		})
		if err != nil {
			yield(nil, err)
			return
		}
		numbers(write)
	}}, nil
}

// reportsOf returns what the answers of targets report, by key.
func reportsOf(targets []metric.Target, known *definition.PartNames) map[string]analysis.Reports {
	reports := map[string]analysis.Reports{}
	for _, t := range targets {
		for id, name := range known.Targets {
			if name == strings.TrimSuffix(t.Key, "@"+t.Surface) {
				reports[t.Key] = known.Question(&tracking.Answer{Target: id, Surface: t.Surface}).Reports
			}
		}
	}
	return reports
}

// onlySpan rejects filters that select answers.
func onlySpan(q *earshot.ExportQuery) error {
	for _, filter := range []struct {
		name  string
		isSet bool
	}{
		{"sweep", q.Sweep != "" && q.Table == "numbers"},
		{"promptId", q.PromptID != 0},
		{"target", q.Target != ""},
		{"tag", q.Tag != ""},
		{"outcome", q.Outcome != ""},
		{"reason", q.Reason != ""},
		{"q", q.Text != ""},
		{"brand", q.Brand != ""},
		{"filter", q.Filter != ""},
		{"counted", q.Counted},
		{"dueFrom", q.DueFrom != ""},
		{"dueTo", q.DueTo != ""},
	} {
		if filter.isSet {
			return schema.Invalid(filter.name, "selects answers and cannot be used with table=%s", q.Table)
		}
	}
	return nil
}

// eachCounted calls use for each answer that an Aggregate counts, the newest first, until use
// returns false.
func (s *Exporter) eachCounted(ctx context.Context, b *aggregate.Aggregate, known *definition.PartNames, use func(*proof.ProvedAnswer) bool) error {
	if len(b.Sweeps) == 0 {
		return nil
	}
	def := b.Definition()
	targets, prompts, sweeps := map[string]bool{}, map[int]int{}, map[string]bool{}
	for _, t := range def.Targets {
		targets[t.Key] = true
	}
	for i, p := range def.Prompts {
		prompts[p.Version] = i
	}
	for _, sweep := range b.Sweeps {
		sweeps[sweep.ID] = true
	}
	first, _ := aggregate.ActiveTime(b.Sweeps)
	first = first.Add(-time.Hour) // in case the clock of another node is behind
	for before := uuid.Max.String(); ; {
		answers, err := s.store.NewestResults(ctx, b.Tracker, before, ruleset.Batch)
		if err != nil {
			return err
		}
		for _, a := range answers {
			before = a.ID
			prompt, isKnown := prompts[a.Prompt]
			if !sweeps[a.Sweep] || !isKnown {
				continue
			}
			key := known.Targets[a.Target]
			if !targets[key] {
				key += "@" + a.Surface
			}
			more := use(&proof.ProvedAnswer{Result: a.Result, Observation: metric.Observation{
				ID: a.ID, Prompt: prompt, Target: key, Sweep: a.Sweep, Sample: a.Sample, Outcome: metric.Outcome(a.Outcome),
			}})
			if !more {
				return nil
			}
		}
		if len(answers) == 0 || answers[len(answers)-1].AskedAt.Before(first) {
			return nil
		}
	}
}
