// Package export writes tables of trackers: for a client, and by day to files.
//
//	export.go   answers and sweeps
//	rows.go     the columns of each table; mentions, citations and metrics
//	numbers.go  numbers with all that they are made of, to be checked offline
//	day.go      files of whole days, written again when a day changes
package export

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"
	"time"

	"earshot"
	"earshot/internal/files/tablefile"
	"earshot/internal/store"
	"earshot/internal/store/tracking"
	"earshot/internal/track/aggregate"
	"earshot/internal/track/answers"
	"earshot/internal/track/definition"
	"earshot/internal/track/numbers"
	"earshot/internal/track/ruleset"
)

// Exporter writes tables of trackers: for a client, and by day to files.
type Exporter struct {
	store       *tracking.Store
	definitions *definition.Reader
	panels      *ruleset.Panels
	counter     *aggregate.Counter
	numbers     *numbers.Reader
	explorer    *answers.Explorer
	exports     Destination // nil for nowhere
	log         *slog.Logger
}

// NewExporter returns an Exporter on a store.
func NewExporter(s *tracking.Store, d *definition.Reader, p *ruleset.Panels, c *aggregate.Counter, n *numbers.Reader, a *answers.Explorer, to Destination, log *slog.Logger) *Exporter {
	return &Exporter{s, d, p, c, n, a, to, log}
}

const (
	// exportSlots is how many sweeps' slots are kept in memory.
	exportSlots = 1000
)

// Export is a file under way: few of its rows are in memory at a time.
type Export struct {
	Format tablefile.Format
	Pieces iter.Seq2[[]byte, error] // the newest rows first
}

func export[T any](f tablefile.Format, rows iter.Seq2[T, error]) *Export {
	return &Export{Format: f, Pieces: tablefile.Encode(f, rows)}
}

// Export reads a table of a tracker. Returns store.ErrNotFound when there is no such
// tracker or sweep. from and until are when the answers were asked, or sweeps were due where
// the query does not say so itself.
func (s *Exporter) Export(ctx context.Context, organization, name string, q *earshot.ExportQuery, from, until, now time.Time) (*Export, error) {
	format := cmp.Or(tablefile.Format(q.Format), tablefile.NDJSON)
	switch q.Table {
	case "numbers":
		return s.exportNumbers(ctx, organization, name, q, from, until)
	case "metrics":
		return s.exportMetrics(ctx, organization, name, q, from, until, format)
	case "sweeps":
		return s.exportSweeps(ctx, organization, name, q, from, until, format)
	}
	t, filter, known, err := s.explorer.Filter(ctx, organization, name, &q.AnswerFilter, from, until)
	if err != nil {
		return nil, err
	}
	e := &answerExport{s, s.explorer.Kept(t, filter, known, now.AddDate(0, 0, -t.KeepDays)), map[string]string{}}
	switch {
	case q.Table == "mentions" || q.Table == "citations":
		return e.findings(ctx, q.Table, format)
	case format == tablefile.NDJSON:
		return export(format, each(e.All(ctx), func(a *tracking.Answer) (earshot.TrackedAnswer, error) { return answers.View(known, a), nil })), nil
	case format == tablefile.Parquet:
		return export(format, each(e.All(ctx), func(a *tracking.Answer) (wholeAnswerRow, error) {
			row, err := e.row(ctx, a)
			return wholeAnswerRow{row, string(a.Result)}, err
		})), nil
	}
	return export(format, each(e.All(ctx), func(a *tracking.Answer) (answerRow, error) { return e.row(ctx, a) })), nil
}

// dueIn is when the sweeps of an export were due. Days are those of the tracker's time zone,
// as they are of numbers.
func dueIn(d *definition.Definition, q *earshot.ExportQuery, from, until time.Time) (definition.Span, error) {
	if q.From == "" && q.To == "" {
		return definition.Span{From: from, Until: until}, nil
	}
	return definition.ParseSpan(d.Zone(), "from", q.From, "to", q.To)
}

// answerExport is an export of answers under way.
type answerExport struct {
	*Exporter
	*answers.Kept
	slots map[string]string // of sweeps
}

// each makes rows of other ones.
func each[A, B any](all iter.Seq2[A, error], of func(A) (B, error)) iter.Seq2[B, error] {
	return func(yield func(B, error) bool) {
		for a, err := range all {
			var b B
			if err == nil {
				b, err = of(a)
			}
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}

// row is an answer as a row of a table.
func (e *answerExport) row(ctx context.Context, stored *tracking.Answer) (answerRow, error) {
	slot, err := e.slot(ctx, stored.Sweep)
	a := answers.View(e.Names, stored)
	text, sources := gist(a.Result)
	return answerRow{
		ID: a.ID, Sweep: a.Sweep, Slot: slot, AskedAt: tablefile.At(a.AskedAt.Time), FinishedAt: tablefile.At(stored.FinishedAt),
		PromptID: int64(a.PromptID), Prompt: a.Prompt, Tags: e.Names.Tags[a.PromptID], Target: a.Target, Sample: int64(a.Sample),
		Outcome: string(a.Outcome), Reason: a.Reason, Surface: a.Surface, MadeUp: a.MadeUp, Model: a.Model,
		Text: text, Sources: sources, Charged: a.Charged, Attempts: int64(a.Attempts),
	}, err
}

// slot is that of a sweep, "" when it is gone already.
func (e *answerExport) slot(ctx context.Context, id string) (string, error) {
	if slot, ok := e.slots[id]; ok {
		return slot, nil
	}
	sweep, err := e.store.Sweep(ctx, e.Tracker, id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		sweep = &tracking.Sweep{}
	case err != nil:
		return "", err
	}
	if len(e.slots) == exportSlots {
		clear(e.slots)
	}
	e.slots[id] = sweep.Slot
	return sweep.Slot, nil
}

// gist is the text of a result and the number of its sources, of a search page those of
// its overview. There is neither, which is not 0, where there is no answer.
func gist(result json.RawMessage) (text string, sources *int64) {
	type answer struct {
		Text    *string           `json:"text"`
		Sources []json.RawMessage `json:"sources"`
	}
	var page struct {
		answer
		SearchOverview answer `json:"searchoverview"`
	}
	if result == nil || json.Unmarshal(result, &page) != nil { // what has another shape has neither
		return "", nil
	}
	for _, a := range []answer{page.answer, page.SearchOverview} {
		if a.Text != nil {
			n := int64(len(a.Sources))
			return *a.Text, &n
		}
	}
	return "", nil
}

// exportSweeps is Export for the sweeps, of which only some filters make sense.
func (s *Exporter) exportSweeps(ctx context.Context, organization, name string, q *earshot.ExportQuery, from, until time.Time, format tablefile.Format) (*Export, error) {
	if err := onlySpan(q, false, "sweeps"); err != nil {
		return nil, err
	}
	t, d, err := s.definitions.Load(ctx, organization, name)
	if err != nil {
		return nil, err
	}
	within, err := dueIn(d, q, from, until)
	if err != nil {
		return nil, err
	}
	if q.Sweep != "" {
		if _, err := s.store.Sweep(ctx, t, q.Sweep); err != nil {
			return nil, err
		}
	}
	sweeps := func(yield func(*tracking.Sweep, error) bool) {
		for sweep, err := range answers.EachSweep(ctx, s.store, t) {
			if err == nil && (q.Sweep != "" && q.Sweep != sweep.ID || !within.Has(sweep.DueAt)) {
				continue
			}
			if !yield(sweep, err) {
				return
			}
		}
	}
	if format == tablefile.NDJSON {
		return export(format, each(sweeps, func(sweep *tracking.Sweep) (earshot.Sweep, error) { return answers.SweepView(sweep), nil })), nil
	}
	return export(format, each(sweeps, func(sweep *tracking.Sweep) (sweepRow, error) { return rowOfSweep(sweep), nil })), nil
}
