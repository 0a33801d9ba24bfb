package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
)

// FieldHour is one field of one provider's results in one hour since 1970.
type FieldHour struct {
	Hour     int64
	Provider string
	Field    string
}

// FieldCount is how often a field could have been filled, and was.
type FieldCount struct{ Seen, Filled int64 }

// AddFieldCounts adds to what all nodes have counted.
func (s *Store) AddFieldCounts(counts map[FieldHour]FieldCount) error {
	keys := slices.SortedFunc(maps.Keys(counts), func(a, b FieldHour) int {
		return cmp.Or(cmp.Compare(a.Hour, b.Hour), cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Field, b.Field))
	})
	return s.execute(func(ctx context.Context, tx *tx) error {
		err := tx.each(ctx, table(len(keys)).
			int("hour", func(i int) int64 { return keys[i].Hour }).
			text("provider", func(i int) string { return keys[i].Provider }).
			text("field", func(i int) string { return keys[i].Field }).
			int("seen", func(i int) int64 { return counts[keys[i]].Seen }).
			int("filled", func(i int) int64 { return counts[keys[i]].Filled }), `
			INSERT INTO extraction (hour, provider, field, seen, filled) SELECT hour, provider, field, seen, filled FROM $rows WHERE true
			ON CONFLICT (hour, provider, field) DO UPDATE SET seen = extraction.seen + excluded.seen, filled = extraction.filled + excluded.filled`, nil)
		if err != nil {
			return fmt.Errorf("count fields: %w", err)
		}
		return nil
	})
}

// FieldCounts are the counts of all nodes from an hour on.
func (s *Store) FieldCounts(ctx context.Context, from int64) (map[FieldHour]FieldCount, error) {
	counts := map[FieldHour]FieldCount{}
	err := s.find(ctx, func(r scanner) error {
		var key FieldHour
		var c FieldCount
		err := r.Scan(&key.Hour, &key.Provider, &key.Field, &c.Seen, &c.Filled)
		counts[key] = c
		return err
	}, `SELECT hour, provider, field, seen, filled FROM extraction WHERE hour >= $1`, from)
	if err != nil {
		return nil, fmt.Errorf("read field counts: %w", err)
	}
	return counts, nil
}

// DeleteFieldCounts removes counts from before a time.
func (s *Store) DeleteFieldCounts(before time.Time) error {
	return s.execute(func(ctx context.Context, tx *tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM extraction WHERE hour < $1`, millis(before)/time.Hour.Milliseconds())
		if err != nil {
			return fmt.Errorf("delete field counts: %w", err)
		}
		return nil
	})
}
