package outbound

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/store/engine"
)

// ShadowPair compares the answer of a job with the answer to the same request that an
// upstream gave outside the job. Figures are in millionths; a figure is nil if there was
// nothing to compare.
type ShadowPair struct {
	Organization string
	Job          string
	Number       int // distinguishes the pairs of a job
	At           time.Time
	Provider     string
	Country      string
	First        string // the upstream that answered the job
	Second       string // the upstream that was asked for comparison; the same as First if it was asked twice
	Reason       earshot.Reason
	Domains      *int64
	Brands       *int64
	Organic      *int64
	Fields       *int64

	FirstMs, SecondMs             int64
	FirstMicroUSD, SecondMicroUSD int64
}

var (
	shadowPairsTable = engine.NewTable("shadow_pairs",
		engine.Field("organization", "uuid", func(p *ShadowPair) *string { return &p.Organization }),
		engine.TimeField("at", func(p *ShadowPair) *time.Time { return &p.At }),
		engine.Field("job", "uuid", func(p *ShadowPair) *string { return &p.Job }),
		engine.IntField("number", func(p *ShadowPair) *int { return &p.Number }),
		engine.TextField("provider", func(p *ShadowPair) *string { return &p.Provider }),
		engine.TextField("country", func(p *ShadowPair) *string { return &p.Country }),
		engine.TextField("first_upstream", func(p *ShadowPair) *string { return &p.First }),
		engine.TextField("second_upstream", func(p *ShadowPair) *string { return &p.Second }),
		engine.TextField("reason", func(p *ShadowPair) *earshot.Reason { return &p.Reason }),
		engine.Field("domains", "bigint", func(p *ShadowPair) **int64 { return &p.Domains }),
		engine.Field("brands", "bigint", func(p *ShadowPair) **int64 { return &p.Brands }),
		engine.Field("organic", "bigint", func(p *ShadowPair) **int64 { return &p.Organic }),
		engine.Field("fields", "bigint", func(p *ShadowPair) **int64 { return &p.Fields }),
		engine.IntField("first_ms", func(p *ShadowPair) *int64 { return &p.FirstMs }),
		engine.IntField("second_ms", func(p *ShadowPair) *int64 { return &p.SecondMs }),
		engine.IntField("first_micro_usd", func(p *ShadowPair) *int64 { return &p.FirstMicroUSD }),
		engine.IntField("second_micro_usd", func(p *ShadowPair) *int64 { return &p.SecondMicroUSD }))
	insertShadowPairs = shadowPairsTable.Insert(`ON CONFLICT (organization, at, job, number) DO NOTHING`)
)

// SaveShadowPairs inserts pairs.
func SaveShadowPairs(ctx context.Context, tx *engine.Tx, pairs []*ShadowPair) error {
	return engine.Each(ctx, tx, insertShadowPairs, pairs, nil)
}

// maxShadowPairs is how many pairs a report reads at the most.
const maxShadowPairs = 100_000

// ShadowPairs returns the pairs of an organization since a time, newest first.
func (s *Store) ShadowPairs(ctx context.Context, organization string, since time.Time) ([]*ShadowPair, error) {
	pairs, err := engine.FindRows(ctx, s.ShardOf(organization).Reports, shadowPairsTable,
		`WHERE organization = $1 AND at >= $2 ORDER BY at DESC LIMIT $3`, organization, engine.Millis(since), maxShadowPairs)
	return pairs, engine.Wrap(err, "read shadow pairs")
}

// DeleteShadowPairs deletes pairs from before a time.
func (s *Store) DeleteShadowPairs(before time.Time) error {
	return engine.Wrap(s.RunOnAllShards(`DELETE FROM shadow_pairs WHERE at < $1`, engine.Millis(before)), "delete shadow pairs")
}
