package outbound

import (
	"context"
	"fmt"
	"slices"
	"time"

	"earshot/internal/store/engine"
)

// Purchase is a paid request to an upstream. Amounts are in units of 1e-9 USD.
type Purchase struct {
	Organization string
	Basket       string // the job, or the first of the jobs that repeat each other
	Number       int    // counts the purchases of the basket, from 1
	Job          string
	Node         string // that sent it
	Provider     string
	Upstream     string
	Item         string // equal requests have the same
	State        string
	Key          string // of an order; sent to vendors that accept an idempotency key or a tag
	VendorID     string // of an order; chosen by the vendor
	Reserved     int64  // while it is pending
	Charged      int64
	SentAt       time.Time
	Deadline     time.Time
	LookAt       time.Time // when a node looks at it again after its job has ended
	Document     []byte    // the answer, compressed
}

// pending is the condition that a purchase may still change on its own.
const pending = `state IN ('sent', 'open', 'late')`

// IsOpen reports whether the request of a purchase in a state has not ended: what it costs is reserved.
func IsOpen(state string) bool { return state == "sent" || state == "open" }

var (
	purchasesTable = engine.NewTable("purchases",
		engine.Field("organization", "uuid", func(p *Purchase) *string { return &p.Organization }),
		engine.Field("basket", "uuid", func(p *Purchase) *string { return &p.Basket }),
		engine.IntField("number", func(p *Purchase) *int { return &p.Number }),
		engine.Field("job", "uuid", func(p *Purchase) *string { return &p.Job }),
		engine.NullField("node", "uuid", func(p *Purchase) *string { return &p.Node }),
		engine.TextField("provider", func(p *Purchase) *string { return &p.Provider }),
		engine.TextField("upstream", func(p *Purchase) *string { return &p.Upstream }),
		engine.TextField("item", func(p *Purchase) *string { return &p.Item }),
		engine.TextField("state", func(p *Purchase) *string { return &p.State }),
		engine.TextField("order_key", func(p *Purchase) *string { return &p.Key }),
		engine.TextField("vendor_id", func(p *Purchase) *string { return &p.VendorID }),
		engine.IntField("reserved", func(p *Purchase) *int64 { return &p.Reserved }),
		engine.IntField("charged", func(p *Purchase) *int64 { return &p.Charged }),
		engine.TimeField("sent_at", func(p *Purchase) *time.Time { return &p.SentAt }),
		engine.TimeField("deadline", func(p *Purchase) *time.Time { return &p.Deadline }),
		engine.TimeField("look_at", func(p *Purchase) *time.Time { return &p.LookAt }),
		engine.Field("document", "bytea", func(p *Purchase) *[]byte { return &p.Document }))
	insertPurchases = purchasesTable.Insert("")
	updatePurchases = engine.NewStatement(purchasesTable.Columns, func(in engine.Input) string {
		return `UPDATE purchases SET ` + in.Assign("node", "state", "vendor_id", "reserved", "charged", "sent_at", "look_at", "document") + ` ` +
			in.Where("purchases", "organization", "basket", "number")
	})
)

// InsertPurchase inserts a purchase.
func InsertPurchase(ctx context.Context, tx *engine.Tx, p *Purchase) error {
	return engine.Each(ctx, tx, insertPurchases, []*Purchase{p}, nil)
}

// UpdatePurchase stores the state of a purchase whose row is locked by LockPurchase.
func UpdatePurchase(ctx context.Context, tx *engine.Tx, p *Purchase) error {
	return engine.Each(ctx, tx, updatePurchases, []*Purchase{p}, nil)
}

// StoredPurchase returns the stored state of a purchase, or nil. The locked row of the organization
// keeps others from changing it.
func StoredPurchase(ctx context.Context, tx *engine.Tx, p *Purchase) (stored *Purchase, err error) {
	found, err := engine.FindRows(ctx, tx, purchasesTable, `WHERE organization = $1 AND basket = $2 AND number = $3`, p.Organization, p.Basket, p.Number)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// NextPurchase returns the number of the next purchase of a basket.
func NextPurchase(ctx context.Context, tx *engine.Tx, organization, basket string) (int, error) {
	last, err := engine.FindValues[int](ctx, tx, `SELECT COALESCE(MAX(number), 0) FROM purchases WHERE organization = $1 AND basket = $2`, organization, basket)
	if err != nil {
		return 0, err
	}
	return last[0] + 1, nil
}

// Purchases returns the purchases of a basket, oldest first.
func (s *Store) Purchases(ctx context.Context, organization, basket string) ([]*Purchase, error) {
	rows, err := engine.FindRows(ctx, s.ShardOf(organization).Lookups, purchasesTable, `WHERE organization = $1 AND basket = $2 ORDER BY number`, organization, basket)
	return rows, engine.Wrap(err, "read the purchases of %s", basket)
}

// FirstJob returns the first of the jobs that a job repeats, or the job itself.
func (s *Store) FirstJob(ctx context.Context, organization, job string) (string, error) {
	for range 100 { // a longer chain begins a new basket
		before, err := engine.FindValues[string](ctx, s.ShardOf(organization).Lookups, `SELECT job FROM retries WHERE organization = $1 AND task = $2`, organization, job)
		if err != nil {
			return "", fmt.Errorf("find the job that %s repeats: %w", job, err)
		}
		if len(before) == 0 {
			return job, nil
		}
		job = before[0]
	}
	return job, nil
}

// DuePurchases returns up to n pending purchases of each shard whose job has ended, and which a node
// should look at now. No other node gets them for an eighth of their age, at least the time again and at
// most 10 minutes.
func (s *Store) DuePurchases(now time.Time, again time.Duration, n int) ([]*Purchase, error) {
	due, err := engine.FromAllShards(s.DB, func(p *engine.Shard) (found []*Purchase, err error) {
		err = p.Execute(func(ctx context.Context, tx *engine.Tx) error {
			found = nil
			return tx.Find(ctx, engine.Collect(purchasesTable, &found), `UPDATE purchases SET look_at = $1 + CASE
					WHEN $1 - sent_at < 8 * $2 THEN $2 WHEN $1 - sent_at > 4800000 THEN 600000 ELSE ($1 - sent_at) / 8 END
				WHERE (organization, basket, number) IN (
					SELECT organization, basket, number FROM purchases WHERE `+pending+` AND look_at <= $1
						AND NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.organization = purchases.organization AND jobs.id = purchases.job)
					ORDER BY look_at LIMIT $3) AND `+pending+` AND look_at <= $1
				RETURNING `+purchasesTable.List, engine.Millis(now), again.Milliseconds(), n)
		})
		return found, err
	})
	return due, engine.Wrap(err, "find pending purchases of ended jobs")
}

// OpenOrders returns how many orders of an organization wait for an answer, by upstream.
func (s *Store) OpenOrders(ctx context.Context, organization string) (map[string]int, error) {
	open, err := engine.FindMap[string, int](ctx, s.ShardOf(organization).Reports, `SELECT upstream, COUNT(*) FROM purchases WHERE organization = $1 AND state = 'open' GROUP BY upstream`, organization)
	return open, engine.Wrap(err, "count open orders")
}

// DeletePurchases deletes a batch of closed purchases that were sent before a time, and returns
// their number.
func (s *Store) DeletePurchases(before time.Time) (deleted int, err error) {
	counts, err := engine.FromAllShards(s.DB, func(p *engine.Shard) ([]int64, error) {
		n, err := p.Run(`DELETE FROM purchases WHERE (organization, basket, number) IN (
			SELECT organization, basket, number FROM purchases WHERE sent_at < $1 AND NOT (`+pending+`) LIMIT 500)`, engine.Millis(before))
		return []int64{n}, err
	})
	for _, n := range counts {
		deleted += int(n)
	}
	return deleted, engine.Wrap(err, "delete purchases")
}

// UpstreamAccount is what is spent and reserved on an upstream. Amounts are in units of 1e-9 USD.
type UpstreamAccount struct {
	Upstream         string
	day              int64
	Booked, Reserved int64
}

// LockAccount locks and returns the account of an upstream, as of today.
func LockAccount(ctx context.Context, tx *engine.Tx, upstream string, today int64) (*UpstreamAccount, error) {
	if _, err := tx.Run(ctx, `INSERT INTO upstream_accounts (upstream, day, booked, reserved) VALUES ($1, $2, 0, 0) ON CONFLICT (upstream) DO NOTHING`, upstream, today); err != nil {
		return nil, err
	}
	a := &UpstreamAccount{Upstream: upstream}
	err := tx.Find(ctx, func(found engine.Scanner) error { return found.Scan(&a.day, &a.Booked, &a.Reserved) },
		`SELECT day, booked, reserved FROM upstream_accounts WHERE upstream = $1 `+tx.Dialect.ForUpdate, upstream)
	a.begin(today)
	return a, err
}

// begin begins a later day. If the clock has gone back, the account stays at its day.
func (a *UpstreamAccount) begin(day int64) {
	if day > a.day {
		a.day, a.Booked = day, 0
	}
}

// Store stores a locked account.
func (a *UpstreamAccount) Store(ctx context.Context, tx *engine.Tx) error {
	_, err := tx.Run(ctx, `UPDATE upstream_accounts SET day = $2, booked = $3, reserved = $4 WHERE upstream = $1`, a.Upstream, a.day, a.Booked, a.Reserved)
	return err
}

// Accounts returns what is spent and reserved today on each upstream.
func (s *Store) Accounts(ctx context.Context, now time.Time) (map[string]UpstreamAccount, error) {
	list, err := engine.FindAll(ctx, s.Lookups, func(a *UpstreamAccount) []any { return []any{&a.Upstream, &a.day, &a.Booked, &a.Reserved} },
		`SELECT upstream, day, booked, reserved FROM upstream_accounts`)
	if err != nil {
		return nil, fmt.Errorf("read what upstreams cost today: %w", err)
	}
	accounts := map[string]UpstreamAccount{}
	for a := range slices.Values(list) {
		a.begin(engine.Millis(now) / dayMillis)
		accounts[a.Upstream] = a
	}
	return accounts, nil
}
