package outbound

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"earshot/internal/store/engine"
)

// FieldHour identifies a field of a provider's results in one hour, counted since 1970, and in
// one layout version.
type FieldHour struct {
	Hour     int64
	Provider string
	Layout   string
	Field    string
}

// FieldCount is how often a field was expected, and how often it was filled.
type FieldCount struct{ Seen, Filled int64 }

// fieldRow is a row of extraction_counts.
type fieldRow struct {
	FieldHour
	FieldCount
}

var (
	extractionTable = engine.NewTable("extraction_counts",
		engine.IntField("hour", func(f *fieldRow) *int64 { return &f.Hour }),
		engine.TextField("provider", func(f *fieldRow) *string { return &f.Provider }),
		engine.TextField("layout", func(f *fieldRow) *string { return &f.Layout }),
		engine.TextField("field", func(f *fieldRow) *string { return &f.Field }),
		engine.IntField("seen", func(f *fieldRow) *int64 { return &f.Seen }),
		engine.IntField("filled", func(f *fieldRow) *int64 { return &f.Filled }))
	addFieldCounts = extractionTable.Insert(`
		ON CONFLICT (hour, provider, layout, field) DO UPDATE SET seen = extraction_counts.seen + excluded.seen, filled = extraction_counts.filled + excluded.filled`)
)

// AddFieldCounts adds to the counts of all nodes.
func (s *Store) AddFieldCounts(counts map[FieldHour]FieldCount) error {
	var rows []*fieldRow
	for key, count := range counts {
		rows = append(rows, &fieldRow{key, count})
	}
	slices.SortFunc(rows, func(a, b *fieldRow) int {
		return cmp.Or(cmp.Compare(a.Hour, b.Hour), cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Layout, b.Layout), cmp.Compare(a.Field, b.Field))
	})
	return s.Execute(func(ctx context.Context, tx *engine.Tx) error {
		return engine.Wrap(engine.Each(ctx, tx, addFieldCounts, rows, nil), "count fields")
	})
}

// FieldCounts returns the counts of all nodes, beginning with the hour from.
func (s *Store) FieldCounts(ctx context.Context, from int64) (map[FieldHour]FieldCount, error) {
	rows, err := engine.FindRows(ctx, s.Reports, extractionTable, `WHERE hour >= $1`, from)
	if err != nil {
		return nil, fmt.Errorf("read field counts: %w", err)
	}
	counts := make(map[FieldHour]FieldCount, len(rows))
	for _, row := range rows {
		counts[row.FieldHour] = row.FieldCount
	}
	return counts, nil
}

// FieldWindows are the counts of a field in one layout version over several periods.
type FieldWindows struct {
	Provider, Layout, Field string
	// LastHour is this hour and the one before, because this hour has only begun. Before is the time
	// before it.
	LastHour, LastDay, Before FieldCount
}

// FieldWindows returns the counts of all nodes from the hour from to this hour.
func (s *Store) FieldWindows(ctx context.Context, from, hour int64) ([]FieldWindows, error) {
	const lastHour, lastDay, before = `hour >= $2 - 1`, `hour > $2 - 24`, `hour < $2 - 1`
	text := `SELECT provider, layout, field`
	for _, period := range []string{lastHour, lastDay, before} {
		for _, column := range []string{"seen", "filled"} {
			text += `, CAST(COALESCE(SUM(` + column + `) FILTER (WHERE ` + period + `), 0) AS bigint)`
		}
	}
	all, err := engine.FindAll(ctx, s.Reports, func(w *FieldWindows) []any {
		return []any{&w.Provider, &w.Layout, &w.Field, &w.LastHour.Seen, &w.LastHour.Filled, &w.LastDay.Seen, &w.LastDay.Filled, &w.Before.Seen, &w.Before.Filled}
	}, text+` FROM extraction_counts WHERE hour >= $1 AND hour <= $2 GROUP BY provider, layout, field`, from, hour)
	return all, engine.Wrap(err, "add up field counts")
}

// DeleteFieldCounts deletes counts of hours before a time.
func (s *Store) DeleteFieldCounts(before time.Time) error {
	_, err := s.Run(`DELETE FROM extraction_counts WHERE hour < $1`, engine.Millis(before)/hourMillis)
	return engine.Wrap(err, "delete field counts")
}
