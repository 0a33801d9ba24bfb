package store_test

import (
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/orgs"
	"earshot/internal/store/outbound"
)

func checkMigratedShadow(t *testing.T, s *store.Store) {
	const job = "0199c82c-c7d0-7000-8000-0000000000ff"
	pairs, err := outbound.New(s.DB).ShadowPairs(t.Context(), tasksID, time.UnixMilli(1760000000000))
	equal(t, "the pairs", []*outbound.ShadowPair{
		{
			Organization: tasksID, Job: job, Number: 2, At: time.UnixMilli(1760000001000), Provider: "chatassistant", Country: "US",
			First: "via:cloro", Second: "via:cloro", Reason: earshot.ReasonTimeout, FirstMs: 40_000, SecondMs: 600_000, FirstMicroUSD: 2000,
		},
		{
			Organization: tasksID, Job: job, Number: 1, At: time.UnixMilli(1760000000000), Provider: "chatassistant", Country: "US",
			First: "via:cloro", Second: "api:openai", Domains: new(int64(500_000)), Fields: new(int64(750_000)),
			FirstMs: 40_000, SecondMs: 9000, FirstMicroUSD: 2000, SecondMicroUSD: 3000,
		},
	}, pairs, err)
}

// TestShadowPairs stores pairs and what they cost, and deletes old pairs.
func TestShadowPairs(t *testing.T) {
	t.Parallel()
	onEach(t, 5, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		now := time.UnixMilli(s.Now().UnixMilli())
		pair := &outbound.ShadowPair{
			Organization: o.ID, Job: aJob(o, node, 5).ID, Number: 1, At: now, Provider: "chatassistant", Country: "DE",
			First: "via:cloro", Second: "api:openai", Domains: new(int64(0)), Brands: new(int64(1_000_000)), SecondMs: 7, SecondMicroUSD: 3000,
		}
		uses := []outbound.Use{{Upstream: "api:openai", Paid: true, Took: 7 * time.Millisecond, Charged: 3_000_000}}
		if err := s.SaveShadowPair(pair, uses); err != nil {
			t.Fatal(err)
		}
		old := *pair
		old.At, old.Number = now.Add(-time.Hour), 2
		if err := s.SaveShadowPair(&old, nil); err != nil {
			t.Fatal(err)
		}
		if err := outbound.New(s.DB).DeleteShadowPairs(now.Add(-time.Minute)); err != nil {
			t.Fatal(err)
		}
		pairs, err := outbound.New(s.DB).ShadowPairs(t.Context(), o.ID, now.Add(-2*time.Hour))
		equal(t, "the pairs", []*outbound.ShadowPair{pair}, pairs, err)
		others, err := outbound.New(s.DB).ShadowPairs(t.Context(), tasksID, now.Add(-2*time.Hour))
		equal(t, "the pairs of another organization", nil, others, err)
		usage, err := outbound.New(s.DB).UpstreamUsage(t.Context(), o.ID, now, now)
		if err != nil || len(usage) != 1 || usage[0].USD != 0 || usage[0].Answered != 1 {
			t.Errorf("the usage is %+v, %v", usage, err)
		}
		after, err := orgs.New(s).Organization(t.Context(), o.ID, now)
		if err != nil || after.Balance != o.Balance || after.Running != 0 {
			t.Errorf("the organization is %+v, %v", after, err)
		}
	})
}
