package export

import (
	"context"
	"iter"
	"slices"
	"time"

	"earshot"
	"earshot/internal/files/tablefile"
	"earshot/internal/store/tracking"
	"earshot/internal/track/aggregate"
	"earshot/internal/track/analysis"
	"earshot/internal/track/answers"
	"earshot/internal/track/metric"
	"earshot/internal/track/numbers"
	"earshot/internal/track/ruleset"
)

// The rows of exported tables. docs/exports.md explains each column. The tag sql has the name of a
// column in the views if the usual name is a keyword of SQL.
type (
	answerRow struct {
		ID         string         `json:"id" parquet:"id"`
		Sweep      string         `json:"sweep" parquet:"sweep,dict"`
		Slot       string         `json:"slot" parquet:"slot,dict"`
		AskedAt    tablefile.Time `json:"askedAt" parquet:"askedAt,timestamp(millisecond)"`
		FinishedAt tablefile.Time `json:"finishedAt" parquet:"finishedAt,optional,timestamp(millisecond)"`
		PromptID   int64          `json:"promptId" parquet:"promptId"`
		Prompt     string         `json:"prompt" parquet:"prompt,dict"`
		Tags       []string       `json:"tags" parquet:"tags,list"`
		Weight     float64        `json:"weight" parquet:"weight"`
		Target     string         `json:"target" parquet:"target,dict"`
		Sample     int64          `json:"sample" parquet:"sample"`
		Outcome    string         `json:"outcome" parquet:"outcome,dict"`
		Reason     string         `json:"reason" parquet:"reason,optional,dict"`
		Surface    string         `json:"surface" parquet:"surface,optional,dict"`
		Via        string         `json:"via" parquet:"via,optional,dict"`
		MadeUp     bool           `json:"madeUp" parquet:"madeUp"`
		Model      string         `json:"model" parquet:"model,optional,dict"`
		Text       string         `json:"text" parquet:"text,optional"`
		Sources    *int64         `json:"sources" parquet:"sources,optional"`
		Charged    int64          `json:"creditsCharged" parquet:"creditsCharged"`
		Attempts   int64          `json:"attempts" parquet:"attempts"`
	}

	// wholeAnswerRow is an answer with its whole result, which is too long for spreadsheets.
	wholeAnswerRow struct {
		answerRow
		Result string `json:"result" parquet:"result,optional"` // JSON
	}

	sweepRow struct {
		ID         string         `json:"id" parquet:"id"`
		Slot       string         `json:"slot" parquet:"slot"`
		State      string         `json:"state" parquet:"state,dict"`
		Reason     string         `json:"reason" parquet:"reason,optional"`
		Version    int64          `json:"version" parquet:"version"`
		DueAt      tablefile.Time `json:"dueAt" parquet:"dueAt,timestamp(millisecond)"`
		StartedAt  tablefile.Time `json:"startedAt" parquet:"startedAt,optional,timestamp(millisecond)"`
		EndsAt     tablefile.Time `json:"endsAt" parquet:"endsAt,timestamp(millisecond)"`
		ClosedAt   tablefile.Time `json:"closedAt" parquet:"closedAt,optional,timestamp(millisecond)"`
		Planned    int64          `json:"planned" parquet:"planned"`
		Submitted  int64          `json:"submitted" parquet:"submitted"`
		Answered   int64          `json:"answered" parquet:"answered"`
		Missing    int64          `json:"missing" parquet:"missing"`
		Coverage   float64        `json:"coverage" parquet:"coverage"`
		MaxCredits int64          `json:"creditsToCharge" parquet:"creditsToCharge"`
		Charged    int64          `json:"creditsCharged" parquet:"creditsCharged"`
		Repeats    string         `json:"repeats" parquet:"repeats,optional"`
	}

	mentionRow struct {
		Answer   string         `json:"answer" parquet:"answer" sql:",uuid"`
		Sweep    string         `json:"sweep" parquet:"sweep,dict" sql:",uuid"`
		AskedAt  tablefile.Time `json:"askedAt" parquet:"askedAt,timestamp(millisecond)"`
		PromptID int64          `json:"promptId" parquet:"promptId"`
		Target   string         `json:"target" parquet:"target,dict"`
		Surface  string         `json:"surface" parquet:"surface,dict"`
		Via      string         `json:"via" parquet:"via,optional,dict"`
		Rules    string         `json:"rules" parquet:"rules,dict"`
		Brand    string         `json:"brand" parquet:"brand,dict"`
		Name     string         `json:"name" parquet:"name,dict"`
		Kind     string         `json:"kind" parquet:"kind,dict"`
		Where    string         `json:"where" parquet:"where,dict" sql:"found_in"`
		Index    int64          `json:"index" parquet:"index" sql:"found_index"`
		Start    int64          `json:"start" parquet:"start" sql:"start_byte"`
		End      int64          `json:"end" parquet:"end" sql:"end_byte"`
		Position *int64         `json:"position" parquet:"position,optional"`
		ListRank *int64         `json:"listRank" parquet:"listRank,optional"`
		Domains  []string       `json:"domains" parquet:"domains,list"`
	}

	citationRow struct {
		Answer   string         `json:"answer" parquet:"answer" sql:",uuid"`
		Sweep    string         `json:"sweep" parquet:"sweep,dict" sql:",uuid"`
		AskedAt  tablefile.Time `json:"askedAt" parquet:"askedAt,timestamp(millisecond)"`
		PromptID int64          `json:"promptId" parquet:"promptId"`
		Target   string         `json:"target" parquet:"target,dict"`
		Surface  string         `json:"surface" parquet:"surface,dict"`
		Via      string         `json:"via" parquet:"via,optional,dict"`
		Rules    string         `json:"rules" parquet:"rules,dict"`
		URL      string         `json:"url" parquet:"url"`
		Domain   string         `json:"domain" parquet:"domain,dict"`
		Type     string         `json:"type" parquet:"type,dict"`
		Position int64          `json:"position" parquet:"position"`
	}

	metricRow struct {
		Sweep       string         `json:"sweep" parquet:"sweep,dict" sql:",uuid"`
		Slot        string         `json:"slot" parquet:"slot,dict"`
		DueAt       tablefile.Time `json:"dueAt" parquet:"dueAt,timestamp(millisecond)"`
		Rules       string         `json:"rules" parquet:"rules,dict"`
		Metric      string         `json:"metric" parquet:"metric,dict"`
		Brand       *string        `json:"brand" parquet:"brand,optional,dict"`
		Target      string         `json:"target" parquet:"target,dict"`
		Surface     *string        `json:"surface" parquet:"surface,optional,dict"`
		Via         *string        `json:"via" parquet:"via,optional,dict"`
		Merchant    *string        `json:"merchant" parquet:"merchant,optional,dict"`
		Product     *string        `json:"product" parquet:"product,optional,dict"`
		Currency    *string        `json:"currency" parquet:"currency,optional,dict"`
		Block       *string        `json:"block" parquet:"block,optional,dict"`
		Value       *float64       `json:"value" parquet:"value,optional"`
		Lowest      *float64       `json:"lowest" parquet:"lowest,optional"`
		Position    *float64       `json:"medianPosition" parquet:"medianPosition,optional"`
		Numerator   float64        `json:"numerator" parquet:"numerator"`
		Denominator float64        `json:"denominator" parquet:"denominator"`
		Answers     int64          `json:"answers" parquet:"answers"`
		Missing     int64          `json:"missing" parquet:"missing"`
		Reason      *string        `json:"reason" parquet:"reason,optional,dict"`
		RerunLow    *float64       `json:"rerunLow" parquet:"rerunLow,optional"`
		RerunHigh   *float64       `json:"rerunHigh" parquet:"rerunHigh,optional"`
		MarketLow   *float64       `json:"marketLow" parquet:"marketLow,optional"`
		MarketHigh  *float64       `json:"marketHigh" parquet:"marketHigh,optional"`
		MadeUp      bool           `json:"madeUp" parquet:"madeUp"`
	}
)

func rowOfSweep(s *tracking.Sweep) sweepRow {
	return sweepRow{
		ID: s.ID, Slot: s.Slot, State: string(s.State), Reason: s.Reason, Version: int64(s.Version),
		DueAt: tablefile.At(s.DueAt), StartedAt: tablefile.At(s.StartedAt), EndsAt: tablefile.At(s.EndsAt), ClosedAt: tablefile.At(s.ClosedAt),
		Planned: int64(s.Planned), Submitted: int64(s.Submitted), Answered: int64(s.Answered), Missing: int64(s.Missing),
		Coverage: answers.SweepView(s).Progress.Coverage, MaxCredits: s.MaxCost, Charged: s.Charged,
		Repeats: s.Repeats,
	}
}

// mentions returns the mentions that the current rules find in answers.
func (e *answerExport) mentions(ctx context.Context) (iter.Seq2[mentionRow, error], error) {
	rules, panel, found, err := e.findings(ctx)
	return rowsOf(found, func(f answers.Finding) (rows []mentionRow, err error) {
		surface, via := analysis.SplitOrigin(f.Surface)
		for _, m := range f.Found.Mentions {
			rows = append(rows, mentionRow{
				Answer: f.ID, Sweep: f.Sweep, AskedAt: tablefile.At(f.AskedAt), PromptID: int64(f.Prompt), Target: e.Names.Targets[f.Target], Surface: surface, Via: via,
				Rules: rules, Brand: panel.Brands[m.Brand].Name, Name: panel.NameOf(m), Kind: string(m.Kind), Where: string(m.Where), Index: int64(m.Index),
				Start: int64(m.Start), End: int64(m.End), Position: orNil(int64(m.Position)), ListRank: orNil(int64(m.ListRank)), Domains: m.Domains,
			})
		}
		return rows, nil
	}), err
}

// citations returns the citations that the current rules find in answers.
func (e *answerExport) citations(ctx context.Context) (iter.Seq2[citationRow, error], error) {
	rules, _, found, err := e.findings(ctx)
	return rowsOf(found, func(f answers.Finding) (rows []citationRow, err error) {
		surface, via := analysis.SplitOrigin(f.Surface)
		for _, c := range f.Found.Citations {
			rows = append(rows, citationRow{
				Answer: f.ID, Sweep: f.Sweep, AskedAt: tablefile.At(f.AskedAt), PromptID: int64(f.Prompt), Target: e.Names.Targets[f.Target], Surface: surface, Via: via,
				Rules: rules, URL: c.URL, Domain: c.Domain, Type: c.Type, Position: int64(c.Position),
			})
		}
		return rows, nil
	}), err
}

// findings returns the name and the panel of the current rules, and what they find in answers.
func (e *answerExport) findings(ctx context.Context) (string, *analysis.Panel, iter.Seq2[answers.Finding, error], error) {
	rules, panel, err := e.panels.CurrentPanel(ctx, e.Tracker)
	if err != nil {
		return "", nil, nil, err
	}
	return ruleset.Name(rules), panel, e.Found(ctx, ruleset.LivePanel{Version: rules.Version, Panel: panel}), nil
}

// orNil returns nil for the zero value.
func orNil[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

// metrics returns the metrics of each sweep, one sweep at a time.
func (s *Exporter) metrics(ctx context.Context, organization, name string, q *earshot.ExportQuery, from, until time.Time) (iter.Seq2[metricRow, error], error) {
	t, _, within, err := s.load(ctx, organization, name, q, from, until)
	if err != nil {
		return nil, err
	}
	rules, err := s.panels.Current(ctx, t)
	if err != nil {
		return nil, err
	}
	h, err := s.counter.Closed(ctx, t, rules)
	if err != nil {
		return nil, err
	}
	sweeps := func(yield func(*tracking.Sweep, error) bool) {
		for _, sweep := range slices.Backward(h.All) {
			if sweep.Pruned || !within.Has(sweep.DueAt) || q.Sweep != "" && q.Sweep != sweep.ID {
				continue
			}
			if !yield(sweep, nil) {
				return
			}
		}
	}
	return rowsOf(sweeps, func(sweep *tracking.Sweep) ([]metricRow, error) { return s.sweepRows(ctx, h, sweep) }), nil
}

// sweepRows returns the metrics of one sweep.
func (s *Exporter) sweepRows(ctx context.Context, h *aggregate.ClosedSweeps, sweep *tracking.Sweep) (rows []metricRow, err error) {
	b, err := s.counter.CountSweep(ctx, h, sweep, metric.NoSources)
	if err != nil {
		return nil, err
	}
	add := func(metrics ...string) error {
		wanted := metric.Query{Metrics: metrics, By: []string{"target", "surface", "sweep"}, BrandsOnly: true}
		found, err := b.Rows(wanted)
		for i := range found {
			rows = append(rows, rowOfMetric(b, numbers.Row(b, wanted, &found[i]), sweep))
		}
		return err
	}
	if err := add(); err != nil {
		return nil, err
	}
	// Tallies do not have merchants, prices and blocks. Without products and layouts, there is
	// no need to read the answers.
	if slices.ContainsFunc(rows, func(r metricRow) bool {
		return r.Reason == nil && (r.Metric == "productVisibility"+metric.M2 || r.Metric == "overviewRate"+metric.M2)
	}) {
		if b, err = s.counter.CountSweep(ctx, h, sweep, metric.ByMerchant|metric.ByPrice|metric.ByBlock); err != nil {
			return nil, err
		}
	}
	err = add("merchantShare", "price", "blockRate")
	return rows, err
}

func rowOfMetric(b *aggregate.Aggregate, m earshot.MetricRow, sweep *tracking.Sweep) metricRow {
	row := metricRow{
		Sweep: sweep.ID, Slot: sweep.Slot, DueAt: tablefile.At(sweep.DueAt), Rules: m.Rules, Metric: m.Metric, Brand: orNil(m.Brand), Target: m.Target, Surface: orNil(m.Surface), Via: orNil(m.Via),
		Merchant: orNil(m.Merchant), Product: orNil(m.Product), Currency: orNil(m.Currency), Block: orNil(m.Block), Lowest: m.Lowest, Position: m.MedianPosition,
		Value: m.Value, Numerator: m.Numerator, Denominator: m.Denominator, Answers: int64(m.Answers), Missing: int64(m.Missing), Reason: orNil(m.Reason), MadeUp: b.MadeUp,
	}
	if m.Interval != nil {
		if m.Interval.Rerun != nil {
			row.RerunLow, row.RerunHigh = &m.Interval.Rerun[0], &m.Interval.Rerun[1]
		}
		if m.Interval.Market != nil {
			row.MarketLow, row.MarketHigh = &m.Interval.Market[0], &m.Interval.Market[1]
		}
	}
	return row
}
