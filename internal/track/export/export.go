// Package export writes tables of trackers, as responses to clients and as one file per day.
//
//	export.go  answers and sweeps
//	rows.go    the columns of each table; mentions, citations and metrics
//	day.go     files and rows of SQL views for whole days, rewritten when a day changes
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
	"earshot/internal/schema"
	"earshot/internal/store"
	"earshot/internal/store/exporting"
	"earshot/internal/store/tracking"
	"earshot/internal/track/aggregate"
	"earshot/internal/track/answers"
	"earshot/internal/track/definition"
	"earshot/internal/track/ruleset"
)

// Exporter writes tables of trackers.
type Exporter struct {
	store       *tracking.Store
	days        *exporting.Store
	definitions *definition.Reader
	panels      *ruleset.Panels
	counter     *aggregate.Counter
	explorer    *answers.Explorer
	exports     Destination // nil if the service writes no files
	log         *slog.Logger
}

// NewExporter returns an Exporter.
func NewExporter(s *store.Store, d *definition.Reader, p *ruleset.Panels, c *aggregate.Counter, a *answers.Explorer, to Destination, log *slog.Logger) *Exporter {
	return &Exporter{tracking.New(s), exporting.New(s), d, p, c, a, to, log}
}

// maxSlots is the maximum number of slots in the cache of an export.
const maxSlots = 1000

// Export is a file that is written piece by piece, with few rows in memory at a time.
type Export struct {
	Format tablefile.Format
	Pieces iter.Seq2[[]byte, error] // the newest rows first
}

func export[T any](f tablefile.Format, rows iter.Seq2[T, error]) *Export {
	return &Export{Format: f, Pieces: tablefile.Encode(f, rows)}
}

// Export exports a table of a tracker. If the query has no time range, from and until limit
// when answers were asked or sweeps were due. Returns store.ErrNotFound if there is no such
// tracker or sweep.
func (s *Exporter) Export(ctx context.Context, organization, name string, q *earshot.ExportQuery, from, until, now time.Time) (*Export, error) {
	format := cmp.Or(tablefile.Format(q.Format), tablefile.NDJSON)
	switch q.Table {
	case "metrics":
		rows, err := s.metrics(ctx, organization, name, q, from, until)
		return export(format, rows), err
	case "sweeps":
		return s.exportSweeps(ctx, organization, name, q, from, until, format)
	}
	e, err := s.answersOf(ctx, organization, name, &q.AnswerFilter, from, until, now)
	if err != nil {
		return nil, err
	}
	switch {
	case q.Table == "mentions":
		rows, err := e.mentions(ctx)
		return export(format, rows), err
	case q.Table == "citations":
		rows, err := e.citations(ctx)
		return export(format, rows), err
	case format == tablefile.NDJSON:
		return export(format, rowsOf(e.All(ctx), func(a *tracking.Answer) ([]earshot.TrackedAnswer, error) {
			return []earshot.TrackedAnswer{answers.View(e.Names, a)}, nil
		})), nil
	case format == tablefile.Parquet:
		return export(format, rowsOf(e.All(ctx), func(a *tracking.Answer) ([]wholeAnswerRow, error) {
			row, err := e.row(ctx, a)
			return []wholeAnswerRow{{row, string(a.Result)}}, err
		})), nil
	}
	return export(format, rowsOf(e.All(ctx), func(a *tracking.Answer) ([]answerRow, error) {
		row, err := e.row(ctx, a)
		return []answerRow{row}, err
	})), nil
}

// load returns the tracker of a table about sweeps, and the time range in which the sweeps
// were due. Days are days in the tracker's time zone.
func (s *Exporter) load(ctx context.Context, organization, name string, q *earshot.ExportQuery, from, until time.Time) (*tracking.Tracker, *definition.Definition, definition.Span, error) {
	within := definition.Span{From: from, Until: until}
	if err := onlySpan(q); err != nil {
		return nil, nil, within, err
	}
	t, d, err := s.definitions.Load(ctx, organization, name)
	if err == nil && (q.From != "" || q.To != "") {
		within, err = definition.ParseSpan(d.Zone(), "from", q.From, "to", q.To)
	}
	return t, d, within, err
}

// answerExport is an export of answers.
type answerExport struct {
	*Exporter
	*answers.Kept
	slots map[string]string // cache of slots by sweep
}

func (s *Exporter) answersOf(ctx context.Context, organization, name string, q *earshot.AnswerFilter, from, until, now time.Time) (*answerExport, error) {
	t, filter, known, err := s.explorer.Filter(ctx, organization, name, q, from, until)
	if err != nil {
		return nil, err
	}
	return &answerExport{s, s.explorer.Kept(t, filter, known, now.AddDate(0, 0, -t.KeepDays)), map[string]string{}}, nil
}

// rowsOf yields the rows of each item until the first error.
func rowsOf[A, B any](items iter.Seq2[A, error], rows func(A) ([]B, error)) iter.Seq2[B, error] {
	return func(yield func(B, error) bool) {
		for item, err := range items {
			var found []B
			if err == nil {
				found, err = rows(item)
			}
			if err != nil {
				var none B
				yield(none, err)
				return
			}
			for _, row := range found {
				if !yield(row, nil) {
					return
				}
			}
		}
	}
}

// row returns the table row of an answer.
func (e *answerExport) row(ctx context.Context, stored *tracking.Answer) (answerRow, error) {
	slot, err := e.slot(ctx, stored.Sweep)
	a := answers.View(e.Names, stored)
	text, sources := gist(a.Result)
	return answerRow{
		ID: a.ID, Sweep: a.Sweep, Slot: slot, AskedAt: tablefile.At(a.AskedAt.Time), FinishedAt: tablefile.At(stored.FinishedAt),
		PromptID: int64(a.PromptID), Prompt: a.Prompt, Tags: e.Names.Tags[a.PromptID], Weight: e.Names.Weights[a.PromptID], Target: a.Target, Sample: int64(a.Sample),
		Outcome: string(a.Outcome), Reason: a.Reason, Surface: a.Surface, Via: a.Via, MadeUp: a.MadeUp, Model: a.Model,
		Text: text, Sources: sources, Charged: a.Charged, Attempts: int64(a.Attempts),
	}, err
}

// slot returns the slot of a sweep, or "" if the sweep is deleted.
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
	if len(e.slots) == maxSlots {
		clear(e.slots)
	}
	e.slots[id] = sweep.Slot
	return sweep.Slot, nil
}

// gist returns the text of a result and the number of its sources. For a search page, it
// reads the overview. Without a text it returns "" and nil.
func gist(result json.RawMessage) (text string, sources *int64) {
	type answer struct {
		Text    *string           `json:"text"`
		Sources []json.RawMessage `json:"sources"`
	}
	var page struct {
		answer
		SearchOverview answer `json:"searchoverview"`
	}
	if result == nil || json.Unmarshal(result, &page) != nil {
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

// exportSweeps exports the table of sweeps.
func (s *Exporter) exportSweeps(ctx context.Context, organization, name string, q *earshot.ExportQuery, from, until time.Time, format tablefile.Format) (*Export, error) {
	t, _, within, err := s.load(ctx, organization, name, q, from, until)
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
		return export(format, rowsOf(sweeps, func(sweep *tracking.Sweep) ([]earshot.Sweep, error) {
			return []earshot.Sweep{answers.SweepView(sweep)}, nil
		})), nil
	}
	return export(format, rowsOf(sweeps, func(sweep *tracking.Sweep) ([]sweepRow, error) { return []sweepRow{rowOfSweep(sweep)}, nil })), nil
}

// onlySpan rejects filters that select answers.
func onlySpan(q *earshot.ExportQuery) error {
	for _, filter := range []struct {
		name  string
		isSet bool
	}{
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
