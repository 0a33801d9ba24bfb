package track

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"time"

	"earshot"
	"earshot/internal/files/tablefile"
	"earshot/internal/store"
)

const (
	// exportPage is how many answers, without their results, are read together.
	exportPage = 500
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
func (s *Service) Export(ctx context.Context, organization, name string, q *earshot.ExportQuery, from, until, now time.Time) (*Export, error) {
	format := cmp.Or(tablefile.Format(q.Format), tablefile.NDJSON)
	switch q.Table {
	case "numbers":
		return s.exportNumbers(ctx, organization, name, q, from, until)
	case "metrics":
		return s.exportMetrics(ctx, organization, name, q, from, until, format)
	case "sweeps":
		return s.exportSweeps(ctx, organization, name, q, from, until, format)
	}
	t, filter, known, err := s.filter(ctx, organization, name, &q.AnswerFilter, from, until)
	if err != nil {
		return nil, err
	}
	e := &answerExport{Service: s, t: t, filter: filter, known: known, slots: map[string]string{}, expired: now.AddDate(0, 0, -t.KeepDays)}
	switch {
	case q.Table == "mentions" || q.Table == "citations":
		return e.findings(ctx, q.Table, format)
	case format == tablefile.NDJSON:
		return export(format, each(e.answers(ctx), func(a *store.Answer) (earshot.TrackedAnswer, error) { return known.view(a), nil })), nil
	case format == tablefile.Parquet:
		return export(format, each(e.answers(ctx), func(a *store.Answer) (wholeAnswerRow, error) {
			row, err := e.row(ctx, a)
			return wholeAnswerRow{row, string(a.Result)}, err
		})), nil
	}
	return export(format, each(e.answers(ctx), func(a *store.Answer) (answerRow, error) { return e.row(ctx, a) })), nil
}

// dueIn is when the sweeps of an export were due. Days are those of the tracker's time zone,
// as they are of numbers.
func dueIn(d *definition, q *earshot.ExportQuery, from, until time.Time) (span, error) {
	if q.From == "" && q.To == "" {
		return span{from, until}, nil
	}
	return spanOf(zoneOf(d), "from", q.From, "to", q.To)
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

// answerExport is an export of answers under way.
type answerExport struct {
	*Service
	t       *store.Tracker
	filter  store.AnswerFilter
	known   *names
	slots   map[string]string // of sweeps
	expired time.Time         // answers that were asked before may be gone
}

// pages reads answers without their results.
func (e *answerExport) pages(ctx context.Context) iter.Seq2[[]*store.Answer, error] {
	return func(yield func([]*store.Answer, error) bool) {
		for filter := e.filter; ; {
			filter.Limit = exportPage
			answers, next, err := e.Store.Answers(ctx, e.t, filter)
			if !yield(answers, err) || err != nil || next == "" {
				return
			}
			filter.Before = next
		}
	}
}

// answers reads one answer after the other, with its result.
func (e *answerExport) answers(ctx context.Context) iter.Seq2[*store.Answer, error] {
	return func(yield func(*store.Answer, error) bool) {
		for page, err := range e.pages(ctx) {
			if err != nil {
				yield(nil, err)
				return
			}
			for _, a := range page {
				isThere, err := e.readResult(ctx, a)
				if err == nil && !isThere {
					continue
				}
				if !yield(a, err) || err != nil {
					return
				}
				a.Result = nil
			}
		}
	}
}

// readResult fills in the result. It tells whether the answer is still there.
func (e *answerExport) readResult(ctx context.Context, a *store.Answer) (bool, error) {
	err := e.Store.ReadResult(ctx, a)
	if errors.Is(err, store.ErrNotFound) && a.AskedAt.Before(e.expired) {
		return false, nil // it was removed meanwhile
	}
	return err == nil, err
}

// row is an answer as a row of a table.
func (e *answerExport) row(ctx context.Context, stored *store.Answer) (answerRow, error) {
	slot, err := e.slot(ctx, stored.Sweep)
	a := e.known.view(stored)
	text, sources := gist(a.Result)
	return answerRow{
		ID: a.ID, Sweep: a.Sweep, Slot: slot, AskedAt: tablefile.At(a.AskedAt.Time), FinishedAt: tablefile.At(stored.FinishedAt),
		PromptID: int64(a.PromptID), Prompt: a.Prompt, Tags: e.known.tags[a.PromptID], Target: a.Target, Sample: int64(a.Sample),
		Outcome: string(a.Outcome), Reason: a.Reason, Surface: a.Surface, MadeUp: a.MadeUp, Model: a.Model,
		Text: text, Sources: sources, Charged: a.Charged, Attempts: int64(a.Attempts),
	}, err
}

// slot is that of a sweep, "" when it is gone already.
func (e *answerExport) slot(ctx context.Context, id string) (string, error) {
	if slot, ok := e.slots[id]; ok {
		return slot, nil
	}
	sweep, err := e.Store.Sweep(ctx, e.t, id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		sweep = &store.Sweep{}
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
func (s *Service) exportSweeps(ctx context.Context, organization, name string, q *earshot.ExportQuery, from, until time.Time, format tablefile.Format) (*Export, error) {
	if err := onlySpan(q, false, "sweeps"); err != nil {
		return nil, err
	}
	t, d, err := s.load(ctx, organization, name)
	if err != nil {
		return nil, err
	}
	within, err := dueIn(d, q, from, until)
	if err != nil {
		return nil, err
	}
	if q.Sweep != "" {
		if _, err := s.Store.Sweep(ctx, t, q.Sweep); err != nil {
			return nil, err
		}
	}
	sweeps := func(yield func(*store.Sweep, error) bool) {
		for before, more := "", true; more; {
			page, err := s.Store.Sweeps(ctx, t, "", before, exportPage)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, sweep := range page {
				before = sweep.ID
				if q.Sweep != "" && q.Sweep != sweep.ID || !within.has(sweep.DueAt) {
					continue
				}
				if !yield(sweep, nil) {
					return
				}
			}
			more = len(page) == exportPage
		}
	}
	if format == tablefile.NDJSON {
		return export(format, each(sweeps, func(sweep *store.Sweep) (earshot.Sweep, error) { return sweepView(sweep), nil })), nil
	}
	return export(format, each(sweeps, func(sweep *store.Sweep) (sweepRow, error) { return rowOfSweep(sweep), nil })), nil
}
