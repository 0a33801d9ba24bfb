package outbound

import (
	"context"
	"time"

	"earshot/internal/store/engine"
)

// KeptPage is a document that is kept for the operator. Number counts the documents of one day with
// the same provider, layout and reason.
type KeptPage struct {
	ID       string // in the store of kept pages
	KeptAt   time.Time
	Provider string // and surface
	Layout   string
	Reason   string
	Note     string
	Pages    int
	Day      int64 // since 1970
	Number   int64
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

// KeptPages returns the records of the kept pages with a reason, newest first.
func (s *Store) KeptPages(ctx context.Context, reason string) ([]*KeptPage, error) {
	rows, err := engine.FindRows(ctx, s.Reports, keptPagesTable, `WHERE reason = $1 ORDER BY kept_at DESC, id`, reason)
	return rows, engine.Wrap(err, "list kept pages")
}

// DeleteKeptPages deletes the records of pages that were kept before a time.
func (s *Store) DeleteKeptPages(before time.Time) error {
	_, err := s.Run(`DELETE FROM kept_pages WHERE kept_at < $1`, engine.Millis(before))
	return engine.Wrap(err, "delete the records of kept pages")
}
