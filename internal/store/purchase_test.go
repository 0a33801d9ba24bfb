package store_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/outbound"
)

const migratedOrganization = "00000000-0000-7000-8000-00000000000c"

func checkMigratedUpstreams(t *testing.T, s *store.Store) {
	upstreams := outbound.New(s.DB)
	basket := "0199c82c-c7d0-7000-8000-0000000000ff"
	want := []*outbound.Purchase{{
		Organization: migratedOrganization, Basket: basket, Number: 1, Job: basket, Upstream: "via:cloro", Item: "order", State: "open",
		Key: "job-1", VendorID: "vendor-7", SentAt: time.UnixMilli(1760000000000), Deadline: time.UnixMilli(1760000600000), LookAt: time.UnixMilli(1760000000000),
	}}
	found, err := upstreams.Purchases(t.Context(), migratedOrganization, basket)
	equal(t, "the purchase that was a ticket", want, found, err)
	day := time.UnixMilli(20370 * 86_400_000)
	usage, err := upstreams.UpstreamUsage(t.Context(), migratedOrganization, day, day)
	equal(t, "the usage of upstreams", "via:cloro chatassistant 3 2 1", usage[0].Upstream+fmt.Sprintf(" %s %d %d %d", usage[0].Provider, usage[0].Answered, usage[0].Failed, usage[0].ChargedFailures), err)
	if usd := usage[0].USD; usd != 0.008 && usd != 0.0080015 {
		t.Errorf("the usage is %v USD", usd)
	}
	stats, err := upstreams.UpstreamStats(t.Context(), migratedOrganization, time.UnixMilli(488888*3_600_000))
	equal(t, "the statistics of upstreams", []outbound.UpstreamStats{
		{Upstream: "via:cloro", Provider: "chatassistant", Answered: 3, Failed: 2, P50Ms: new(int64(40)), P95Ms: new(int64(40))},
	}, stats, err)
}

func checkMigratedPurchases(t *testing.T, s *store.Store) {
	upstreams := outbound.New(s.DB)
	found, err := upstreams.Purchases(t.Context(), migratedOrganization, "0199c82c-c7d0-7000-8000-0000000000fe")
	if err != nil || len(found) != 1 || found[0].Reserved != 2_000_000 || found[0].State != "open" {
		t.Errorf("the open purchase is %+v, %v", found, err)
	}
	accounts, err := upstreams.Accounts(t.Context(), time.UnixMilli(20370*86_400_000))
	if a := accounts["via:brightdata"]; err != nil || a.Booked != 8_000_000 || a.Reserved != 2_000_000 {
		t.Errorf("the accounts are %+v, %v", accounts, err)
	}
	day := time.UnixMilli(20370 * 86_400_000)
	usage, err := upstreams.UpstreamUsage(t.Context(), migratedOrganization, day, day)
	if err != nil || usage[0].USD != 0.0080015 || usage[0].EstimatedUSD != 0.0020005 {
		t.Errorf("the usage is %+v, %v", usage, err)
	}
}

// aPurchase returns a purchase of a job that costs 2,000.
func aPurchase(s *store.Store, job *store.Job) *outbound.Purchase {
	return &outbound.Purchase{
		Organization: job.Organization, Basket: job.ID, Job: job.ID, Node: job.Node, Provider: "chatassistant", Upstream: "via:cloro", Item: "order", State: "sent",
		Key: job.ID + "-1", Reserved: 2000, SentAt: s.Now().Truncate(time.Millisecond), Deadline: time.UnixMilli(2000), LookAt: time.UnixMilli(1000),
	}
}

// TestOnlyTheOwnerOfAJobReserves proves that a node that was declared dead cannot buy for a job that
// another node has taken over.
func TestOnlyTheOwnerOfAJobReserves(t *testing.T) {
	t.Parallel()
	onEach(t, 5, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		job := aJob(o, node, 5)
		begin(t, s, job)
		p := aPurchase(s, &job)
		if err := s.Reserve(&job, p, 0); err != nil {
			t.Fatal(err)
		}
		stored, err := outbound.New(s.DB).Purchases(t.Context(), o.ID, job.ID)
		equal(t, "the purchases", []*outbound.Purchase{p}, stored, err)
		stranger := job
		stranger.Node = aNode(t, s)
		if err := s.Reserve(&stranger, aPurchase(s, &job), 0); !errors.Is(err, store.ErrLost) {
			t.Errorf("a node that does not own the job got %v", err)
		}
		if err := s.Reserve(&job, aPurchase(s, &job), 3999); !errors.Is(err, store.ErrCeiling) {
			t.Errorf("over the ceiling: %v", err)
		}
		p.State = "open"
		if err := s.SavePurchase(p, false, nil, s.Now()); err != nil {
			t.Fatal(err)
		}
		open, err := outbound.New(s.DB).OpenOrders(t.Context(), o.ID)
		if err != nil || open["via:cloro"] != 1 {
			t.Errorf("open orders: %v, %v", open, err)
		}
	})
}

// TestAPurchaseIsBookedOnce proves that two nodes that see the end of a purchase book it once, that an
// uncertain end is corrected, and that a late answer is kept with its job.
func TestAPurchaseIsBookedOnce(t *testing.T) {
	t.Parallel()
	onEach(t, 5, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		job := aJob(o, node, 5)
		begin(t, s, job)
		p := aPurchase(s, &job)
		if err := s.Reserve(&job, p, 0); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Settle(store.Settlement{Job: &job, Status: earshot.StatusFailed, Error: &earshot.Error{Code: earshot.CodeInternal, Message: "the client left"}}, s.Now()); err != nil {
			t.Fatal(err)
		}
		check := func(when string, booked, reserved int64, usd, estimated float64) {
			t.Helper()
			accounts, err := outbound.New(s.DB).Accounts(t.Context(), s.Now())
			if a := accounts["via:cloro"]; err != nil || a.Booked != booked || a.Reserved != reserved {
				t.Errorf("%s: the account is %+v, %v", when, a, err)
			}
			usage, err := outbound.New(s.DB).UpstreamUsage(t.Context(), o.ID, s.Now(), s.Now())
			if err != nil || booked > 0 && (len(usage) != 1 || usage[0].USD != usd || usage[0].EstimatedUSD != estimated) {
				t.Errorf("%s: the usage is %+v, %v", when, usage, err)
			}
		}
		save := func(state string, charged int64, estimated bool, result string) error {
			p.State, p.Charged = state, charged
			var text []byte
			if result != "" {
				text = []byte(result)
			}
			return s.SavePurchase(p, estimated, text, s.Now())
		}
		check("reserved", 0, 2000, 0, 0)
		if err := save("unknown", 2000, true, ""); err != nil {
			t.Fatal(err)
		}
		check("unknown", 2000, 0, 2e-6, 2e-6)
		if err := save("late", 1001, false, ""); err != nil {
			t.Fatal(err)
		}
		check("late", 1001, 0, 1.001e-6, 0)
		if err := save("answered", 1001, false, `{"text":"late"}`); err != nil {
			t.Fatal(err)
		}
		if err := save("answered", 1001, false, `{"text":"again"}`); !errors.Is(err, store.ErrLost) {
			t.Errorf("a second end: %v", err)
		}
		check("answered", 1001, 0, 1.001e-6, 0)
		kept, err := s.Request(t.Context(), o.ID, job.ID)
		if err != nil || string(kept.Result) != `{"text":"late"}` {
			t.Errorf("the late answer is %s, %v", kept.Result, err)
		}
	})
}
