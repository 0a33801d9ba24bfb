package outbound

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"earshot/internal/store/engine"
)

// Kinds of sightings.
const (
	SightedLayout = "layout" // a layout version
	SightedBlock  = "block"  // the heading of an unknown block
)

// Sighted identifies a thing that was seen on the pages of a provider.
type Sighted struct{ Provider, Kind, Name string }

// Sighting is when a thing was seen first and last, in hours since 1970.
type Sighting struct{ First, Last int64 }

// sightingRow is a row of extraction_seen.
type sightingRow struct {
	Sighted
	Sighting
}

var (
	sightingsTable = engine.NewTable("extraction_seen",
		engine.TextField("provider", func(s *sightingRow) *string { return &s.Provider }),
		engine.TextField("kind", func(s *sightingRow) *string { return &s.Kind }),
		engine.TextField("name", func(s *sightingRow) *string { return &s.Name }),
		engine.IntField("first_hour", func(s *sightingRow) *int64 { return &s.First }),
		engine.IntField("last_hour", func(s *sightingRow) *int64 { return &s.Last }))
	addSightings = sightingsTable.Insert(`
		ON CONFLICT (provider, kind, name) DO UPDATE SET last_hour = excluded.last_hour WHERE extraction_seen.last_hour < excluded.last_hour`)
)

// AddSightings stores when things were seen.
func (s *Store) AddSightings(seen map[Sighted]Sighting) error {
	var rows []*sightingRow
	for key, at := range seen {
		rows = append(rows, &sightingRow{key, at})
	}
	slices.SortFunc(rows, func(a, b *sightingRow) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	return s.Execute(func(ctx context.Context, tx *engine.Tx) error {
		return engine.Wrap(engine.Each(ctx, tx, addSightings, rows, nil), "store sightings")
	})
}

// Sightings returns when things were seen.
func (s *Store) Sightings(ctx context.Context) (map[Sighted]Sighting, error) {
	rows, err := engine.FindRows(ctx, s.Reports, sightingsTable, "")
	if err != nil {
		return nil, fmt.Errorf("read sightings: %w", err)
	}
	seen := make(map[Sighted]Sighting, len(rows))
	for _, row := range rows {
		seen[row.Sighted] = row.Sighting
	}
	return seen, nil
}

// FieldSeries is the change detector of a field. Layout is "" for all documents together.
type FieldSeries struct {
	Provider     string
	Layout       string
	Field        string
	Hour         int64  // the last hour that it has processed
	State        []byte // JSON
	Acknowledged int64  // alarms up to this hour are closed
}

var (
	fieldSeriesTable = engine.NewTable("extraction_series",
		engine.TextField("provider", func(s *FieldSeries) *string { return &s.Provider }),
		engine.TextField("layout", func(s *FieldSeries) *string { return &s.Layout }),
		engine.TextField("field", func(s *FieldSeries) *string { return &s.Field }),
		engine.IntField("hour", func(s *FieldSeries) *int64 { return &s.Hour }),
		engine.BytesAsText("state", func(s *FieldSeries) *[]byte { return &s.State }),
		engine.IntField("acknowledged", func(s *FieldSeries) *int64 { return &s.Acknowledged }))
	// Every node computes the same state for an hour, so the first one to store it wins.
	upsertFieldSeries = fieldSeriesTable.Insert(`ON CONFLICT (provider, layout, field) DO UPDATE SET hour = excluded.hour, state = excluded.state
		WHERE extraction_series.hour < excluded.hour`)
)

// SaveFieldSeries stores the states of detectors that no other node has stored yet.
func (s *Store) SaveFieldSeries(rows []*FieldSeries) error {
	return s.Execute(func(ctx context.Context, tx *engine.Tx) error {
		return engine.Wrap(engine.Each(ctx, tx, upsertFieldSeries, rows, nil), "store the detectors of fields")
	})
}

// FieldSeries returns the change detectors of all fields.
func (s *Store) FieldSeries(ctx context.Context) ([]*FieldSeries, error) {
	rows, err := engine.FindRows(ctx, s.Reports, fieldSeriesTable, `ORDER BY provider, layout, field`)
	return rows, engine.Wrap(err, "read the detectors of fields")
}

// AcknowledgeFields closes the alarms of a provider's fields up to an hour, and returns the number of
// detectors.
func (s *Store) AcknowledgeFields(provider string, hour int64) (int64, error) {
	n, err := s.Run(`UPDATE extraction_series SET acknowledged = $2 WHERE provider = $1`, provider, hour)
	return n, engine.Wrap(err, "acknowledge alarms of %s", provider)
}

// KeptPage is a document that is kept for the operator. Number counts the documents of one day with
// the same provider, layout and reason.
type KeptPage struct {
	ID       string    `json:"id"` // in the store of kept pages
	KeptAt   time.Time `json:"keptAt"`
	Provider string    `json:"provider"` // and surface
	Layout   string    `json:"layout,omitempty"`
	Reason   string    `json:"reason"`
	Note     string    `json:"note,omitempty"`
	Pages    int       `json:"-"`
	Day      int64     `json:"-"` // since 1970
	Number   int64     `json:"-"`
}

var keptPagesTable = engine.NewTable("kept_pages",
	engine.TextField("provider", func(k *KeptPage) *string { return &k.Provider }),
	engine.TextField("layout", func(k *KeptPage) *string { return &k.Layout }),
	engine.TextField("reason", func(k *KeptPage) *string { return &k.Reason }),
	engine.IntField("day", func(k *KeptPage) *int64 { return &k.Day }),
	engine.IntField("number", func(k *KeptPage) *int64 { return &k.Number }),
	engine.TextField("id", func(k *KeptPage) *string { return &k.ID }),
	engine.TextField("note", func(k *KeptPage) *string { return &k.Note }),
	engine.IntField("pages", func(k *KeptPage) *int { return &k.Pages }),
	engine.TimeField("kept_at", func(k *KeptPage) *time.Time { return &k.KeptAt }))

// AddKeptPage stores the record of a kept page with the next number of its day. It returns false if
// the day has limit pages already, or if another node added one at the same time.
func (s *Store) AddKeptPage(k *KeptPage, limit int) (bool, error) {
	n, err := s.Run(`INSERT INTO kept_pages (provider, layout, reason, day, number, id, note, pages, kept_at)
		SELECT CAST($1 AS text), CAST($2 AS text), CAST($3 AS text), CAST($4 AS bigint), count(*) + 1, CAST($5 AS text), CAST($6 AS text), CAST($7 AS bigint), CAST($8 AS bigint)
		FROM kept_pages WHERE provider = $1 AND layout = $2 AND reason = $3 AND day = $4 HAVING count(*) < $9
		ON CONFLICT (provider, layout, reason, day, number) DO NOTHING`,
		k.Provider, k.Layout, k.Reason, engine.Millis(k.KeptAt)/dayMillis, k.ID, k.Note, k.Pages, engine.Millis(k.KeptAt), limit)
	return n == 1, engine.Wrap(err, "store a kept page")
}

// KeptPages returns the records of all kept pages, newest first.
func (s *Store) KeptPages(ctx context.Context) ([]*KeptPage, error) {
	rows, err := engine.FindRows(ctx, s.Reports, keptPagesTable, `ORDER BY kept_at DESC, id`)
	return rows, engine.Wrap(err, "list kept pages")
}

// DeleteDrift deletes detectors and sightings without news since a time, and the records of pages
// that were kept before.
func (s *Store) DeleteDrift(before time.Time) error {
	return s.Execute(func(ctx context.Context, tx *engine.Tx) error {
		for _, statement := range []struct {
			text  string
			until int64
		}{
			{`DELETE FROM extraction_series WHERE hour < $1`, engine.Millis(before) / hourMillis},
			{`DELETE FROM extraction_seen WHERE last_hour < $1`, engine.Millis(before) / hourMillis},
			{`DELETE FROM kept_pages WHERE kept_at < $1`, engine.Millis(before)},
		} {
			if _, err := tx.Run(ctx, statement.text, statement.until); err != nil {
				return fmt.Errorf("delete old records of layouts: %w", err)
			}
		}
		return nil
	})
}
