package tracker

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/internal/csvfile"
	"earshot/internal/store"
)

const (
	// exportPage is how many answers, without their results, are read together.
	exportPage = 500
	// exportSlots is how many sweeps' slots are kept in memory.
	exportSlots = 1000
)

// Table is what can be exported: one row after the other, of which one is in memory.
type Table struct {
	// Header is the line of names, nil where lines are JSON.
	Header []byte
	// Lines are the rows, the newest first.
	Lines iter.Seq2[[]byte, error]
}

// Export reads a table of a tracker. Returns store.ErrNotFound when there is no such
// tracker or sweep. from and until are when the answers were asked, or sweeps were due.
func (s *Service) Export(ctx context.Context, organization, name string, q *earshot.ExportQuery, from, until, now time.Time) (*Table, error) {
	isCSV := q.Format == "csv"
	if q.Table == "numbers" {
		return s.exportNumbers(ctx, organization, name, q, from, until)
	}
	if q.Table == "sweeps" {
		return s.exportSweeps(ctx, organization, name, q, from, until, isCSV)
	}
	t, filter, known, err := s.filter(ctx, organization, name, &q.AnswerFilter, from, until)
	if err != nil {
		return nil, err
	}
	e := &answerExport{Service: s, t: t, filter: filter, known: known, slots: map[string]string{}, expired: now.AddDate(0, 0, -t.KeepDays)}
	if !isCSV {
		return &Table{Lines: e.lines(ctx, func(_ context.Context, a *store.Answer) ([]byte, error) { return jsonLine(known.view(a)) })}, nil
	}
	return &Table{Header: csvfile.Row(answerColumns...), Lines: e.lines(ctx, e.row)}, nil
}

func jsonLine(value any) ([]byte, error) {
	line, err := json.Marshal(value)
	return append(line, '\n'), err
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

// lines reads pages of answers, and the result of one answer at a time.
func (e *answerExport) lines(ctx context.Context, encode func(context.Context, *store.Answer) ([]byte, error)) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for filter := e.filter; ; {
			filter.Limit = exportPage
			answers, next, err := e.Store.Answers(ctx, e.t, filter)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, a := range answers {
				err := e.Store.ReadResult(ctx, a)
				if errors.Is(err, store.ErrNotFound) && a.AskedAt.Before(e.expired) {
					continue // it was removed meanwhile
				}
				var line []byte
				if err == nil {
					line, err = encode(ctx, a)
				}
				a.Result = nil
				if !yield(line, err) || err != nil {
					return
				}
			}
			if next == "" {
				return
			}
			filter.Before = next
		}
	}
}

var answerColumns = []string{
	"id", "sweep", "slot", "askedAt", "finishedAt", "promptId", "prompt", "tags", "target", "sample", "outcome", "reason",
	"surface", "madeUp", "model", "text", "sources", "creditsCharged", "attempts",
}

// row is an answer as a row of a table.
func (e *answerExport) row(ctx context.Context, stored *store.Answer) ([]byte, error) {
	slot, err := e.slot(ctx, stored.Sweep)
	if err != nil {
		return nil, err
	}
	a := e.known.view(stored)
	text, sources := gist(a.Result)
	return csvfile.Row(
		a.ID, a.Sweep, slot, moment(&a.AskedAt), moment(a.FinishedAt), strconv.Itoa(a.PromptID), a.Prompt, strings.Join(e.known.tags[a.PromptID], ";"),
		a.Target, strconv.Itoa(a.Sample), string(a.Outcome), a.Reason, a.Surface, strconv.FormatBool(a.MadeUp), a.Model, text, sources,
		strconv.FormatInt(a.Charged, 10), strconv.Itoa(a.Attempts),
	), nil
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
// its overview. Both are empty, which is not 0, where there is no answer.
func gist(result json.RawMessage) (text, sources string) {
	type answer struct {
		Text    *string           `json:"text"`
		Sources []json.RawMessage `json:"sources"`
	}
	var page struct {
		answer
		SearchOverview answer `json:"searchoverview"`
	}
	if result == nil || json.Unmarshal(result, &page) != nil { // what has another shape has neither
		return "", ""
	}
	for _, a := range []answer{page.answer, page.SearchOverview} {
		if a.Text != nil {
			return *a.Text, strconv.Itoa(len(a.Sources))
		}
	}
	return "", ""
}

func moment(at *earshot.Timestamp) string {
	if at == nil {
		return ""
	}
	return at.UTC().Format("2006-01-02T15:04:05.000Z07:00")
}

var sweepColumns = []string{
	"id", "slot", "state", "reason", "version", "dueAt", "startedAt", "endsAt", "closedAt",
	"planned", "submitted", "answered", "missing", "coverage", "creditsToCharge", "creditsCharged",
}

func sweepRow(sweep earshot.Sweep) []byte {
	p := sweep.Progress
	return csvfile.Row(
		sweep.ID, sweep.Slot, string(sweep.State), sweep.Reason, strconv.Itoa(sweep.Version),
		moment(&sweep.DueAt), moment(sweep.StartedAt), moment(&sweep.EndsAt), moment(sweep.ClosedAt),
		strconv.Itoa(p.Planned), strconv.Itoa(p.Submitted), strconv.Itoa(p.Answered), strconv.Itoa(p.Missing),
		strconv.FormatFloat(p.Coverage, 'g', -1, 64),
		strconv.FormatInt(sweep.Credits.CreditsToCharge, 10), strconv.FormatInt(sweep.Credits.CreditsCharged, 10),
	)
}

// exportSweeps is Export for the sweeps, of which only some filters make sense.
func (s *Service) exportSweeps(ctx context.Context, organization, name string, q *earshot.ExportQuery, from, until time.Time, isCSV bool) (*Table, error) {
	if err := onlySpan(q, false, "sweeps"); err != nil {
		return nil, err
	}
	t, err := s.Store.Tracker(ctx, organization, name)
	if err != nil {
		return nil, err
	}
	if q.Sweep != "" {
		if _, err := s.Store.Sweep(ctx, t, q.Sweep); err != nil {
			return nil, err
		}
	}
	table := &Table{}
	if isCSV {
		table.Header = csvfile.Row(sweepColumns...)
	}
	table.Lines = func(yield func([]byte, error) bool) {
		for before, more := "", true; more; {
			sweeps, err := s.Store.Sweeps(ctx, t, "", before, exportPage)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, sweep := range sweeps {
				before = sweep.ID
				if q.Sweep != "" && q.Sweep != sweep.ID || sweep.DueAt.Before(from) || !until.IsZero() && !sweep.DueAt.Before(until) {
					continue
				}
				line, err := sweepRow(sweepView(sweep)), error(nil)
				if !isCSV {
					line, err = jsonLine(sweepView(sweep))
				}
				if !yield(line, err) || err != nil {
					return
				}
			}
			more = len(sweeps) == exportPage
		}
	}
	return table, nil
}
