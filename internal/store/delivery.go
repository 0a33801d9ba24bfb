package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store/engine"
)

// Delivery is the webhook of a task. It is retried until it is acknowledged or its tries are used
// up.
type Delivery struct {
	Organization string
	Job          string // also the webhook's id
	URL          string
	Series       int // tries since it was planned or last resent
	Attempts     int // all tries
	DeliveredAt  time.Time
	DueAt        time.Time // zero if no try is planned
	Tries        []earshot.DeliveryTry
}

// DeliveryRow is a row of deliveries.
type DeliveryRow struct {
	Delivery
	origin string // of URL; identifies the receiver
	log    []byte // Tries as JSON
}

var (
	deliveriesTable = engine.NewTable("deliveries",
		engine.Field("organization", "uuid", func(d *DeliveryRow) *string { return &d.Organization }),
		engine.Field("job", "uuid", func(d *DeliveryRow) *string { return &d.Job }),
		engine.TextField("origin", func(d *DeliveryRow) *string { return &d.origin }),
		engine.TextField("url", func(d *DeliveryRow) *string { return &d.URL }),
		engine.TimeField("due_at", func(d *DeliveryRow) *time.Time { return &d.DueAt }),
		engine.IntField("series", func(d *DeliveryRow) *int { return &d.Series }),
		engine.IntField("attempts", func(d *DeliveryRow) *int { return &d.Attempts }),
		engine.TimeField("delivered_at", func(d *DeliveryRow) *time.Time { return &d.DeliveredAt }),
		engine.BytesAsText("log", func(d *DeliveryRow) *[]byte { return &d.log }))
	insertDeliveries = deliveriesTable.Insert("")
	deleteDeliveries = engine.NewStatement(deliveriesTable.Only("organization", "job"), func(in engine.Input) string {
		return `DELETE FROM deliveries WHERE ` + in.Matching() + ` RETURNING organization, origin`
	})
)

// NewDelivery returns the webhook of an ended job.
func NewDelivery(job *Job, address string, due time.Time) *DeliveryRow {
	return &DeliveryRow{Delivery: Delivery{Organization: job.Organization, Job: job.ID, URL: address, DueAt: due}, origin: origin(address), log: []byte("[]")}
}

// findDeliveries reads the deliveries that a clause selects.
func findDeliveries(ctx context.Context, in engine.Querier, clause string, args ...any) ([]*Delivery, error) {
	rows, err := engine.FindRows(ctx, in, deliveriesTable, clause, args...)
	if err != nil {
		return nil, err
	}
	var all []*Delivery
	for _, row := range rows {
		if err := json.Unmarshal(row.log, &row.Tries); err != nil {
			return nil, fmt.Errorf("read the log of delivery %s: %w", row.Job, err)
		}
		all = append(all, &row.Delivery)
	}
	return all, nil
}

// origin returns the scheme and host of an address, which identify a receiver.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address // it was checked when it was submitted
	}
	return u.Scheme + "://" + u.Host
}

// storeDeliveries inserts the planned webhooks.
func (w *Work) storeDeliveries(ctx context.Context) error {
	if err := engine.Each(ctx, w.Tx, insertDeliveries, w.Deliveries, nil); err != nil {
		return err
	}
	return scheduleReceivers(ctx, w.Tx, w.Deliveries)
}

// receiverKey identifies the receiver of an organization's deliveries.
type receiverKey struct{ organization, origin string }

// receiverRow is a row of receivers.
type receiverRow struct {
	receiverKey
	dueAt       time.Time // zero if no delivery is planned
	leasedUntil int64     // 0 if no node has leased it
}

var (
	receiversTable = engine.NewTable("receivers",
		engine.Field("organization", "uuid", func(r *receiverRow) *string { return &r.organization }),
		engine.TextField("origin", func(r *receiverRow) *string { return &r.origin }),
		engine.TimeField("due_at", func(r *receiverRow) *time.Time { return &r.dueAt }),
		engine.IntField("leased_until", func(r *receiverRow) *int64 { return &r.leasedUntil }))
	upsertReceivers = receiversTable.Insert(`
		ON CONFLICT (organization, origin) DO UPDATE SET due_at =
			CASE WHEN receivers.due_at < excluded.due_at THEN receivers.due_at ELSE excluded.due_at END`)
	leaseReceivers = engine.NewStatement(receiversTable.Only("organization", "origin", "leased_until"), func(in engine.Input) string {
		return `UPDATE receivers SET ` + in.Assign("leased_until") + ` ` + in.Where("receivers", "organization", "origin")
	})
	deleteReceivers = engine.NewStatement(receiversTable.Only("organization", "origin"), func(in engine.Input) string {
		return `DELETE FROM receivers WHERE ` + in.Matching() + ` AND due_at IS NULL AND leased_until = 0`
	})
)

// scheduleReceivers updates when the receivers of deliveries are next due.
func scheduleReceivers(ctx context.Context, t *engine.Tx, due []*DeliveryRow) error {
	earliest := map[receiverKey]*receiverRow{}
	for _, d := range due {
		key := receiverKey{d.Organization, d.origin}
		if r := earliest[key]; r == nil || d.DueAt.Before(r.dueAt) {
			earliest[key] = &receiverRow{receiverKey: key, dueAt: d.DueAt}
		}
	}
	all := slices.SortedFunc(maps.Values(earliest), func(a, b *receiverRow) int {
		return cmp.Or(cmp.Compare(a.organization, b.organization), cmp.Compare(a.origin, b.origin))
	})
	return engine.Each(ctx, t, upsertReceivers, all, nil)
}

// RemoveDeliveries deletes deliveries, and their receivers if these have no other planned
// deliveries. The next delivery inserts its receiver again.
func RemoveDeliveries(ctx context.Context, t *engine.Tx, all []*DeliveryRow) error {
	unused := map[receiverKey]*receiverRow{}
	err := engine.Each(ctx, t, deleteDeliveries, all, func(r engine.Scanner) error {
		var key receiverKey
		err := r.Scan(&key.organization, &key.origin)
		unused[key] = &receiverRow{receiverKey: key}
		return err
	})
	if err != nil {
		return fmt.Errorf("delete deliveries: %w", err)
	}
	return engine.Wrap(engine.Each(ctx, t, deleteReceivers, slices.Collect(maps.Values(unused)), nil), "delete receivers")
}

// Receiver is a leased receiver and some of its due deliveries. No other node gets the receiver
// until the lease ends.
type Receiver struct {
	Organization string
	Secrets      []string // for signing, the current one first
	Due          []*Delivery
	origin       string
	leasedUntil  int64
}

// ClaimReceivers leases up to n receivers that have due deliveries, each with up to perReceiver
// of them. It skips receivers of the organizations in except.
func (s *Store) ClaimReceivers(n, perReceiver int, except []string, lease time.Duration, now time.Time) (claimed []*Receiver, err error) {
	others, args := "", []any{engine.Millis(now), n}
	for _, organization := range except {
		args = append(args, organization)
		others += fmt.Sprintf(" AND organization <> $%d", len(args))
	}
	claimed, err = engine.FromAllShards(s.DB, func(p *engine.Shard) ([]*Receiver, error) {
		return claimReceivers(p, perReceiver, others, args, lease, now)
	})
	return claimed, engine.Wrap(err, "claim receivers")
}

func claimReceivers(p *engine.Shard, perReceiver int, others string, args []any, lease time.Duration, now time.Time) (claimed []*Receiver, err error) {
	err = p.Transact(func(ctx context.Context, tx *engine.Tx) error {
		claimed = nil
		due, err := engine.FindRows(ctx, tx, receiversTable, `WHERE due_at <= $1 AND leased_until <= $1`+others+` ORDER BY due_at LIMIT $2 `+p.Dialect.SkipLocked, args...)
		if err != nil {
			return err
		}
		for _, one := range due {
			one.leasedUntil = engine.Millis(now.Add(lease))
			r := &Receiver{Organization: one.organization, origin: one.origin, leasedUntil: one.leasedUntil}
			if err := r.load(ctx, tx, perReceiver, now); err != nil {
				return err
			}
			claimed = append(claimed, r)
		}
		return engine.Each(ctx, tx, leaseReceivers, due, nil)
	})
	return claimed, err
}

// SecretLife is how long the previous secret stays valid after a rotation.
const SecretLife = 24 * time.Hour

// webhookSecrets returns the current secret and, if it is still valid, the previous one. It
// returns ErrNotFound.
func webhookSecrets(ctx context.Context, in engine.Querier, organization string, now time.Time) ([]string, error) {
	var secret string
	var before *string
	err := engine.First(ctx, in, func(r engine.Scanner) error { return r.Scan(&secret, &before) }, `
		SELECT webhook_secret, CASE WHEN webhook_secret_rotated_at > $2 THEN webhook_secret_before END FROM organizations WHERE id = $1`,
		organization, engine.Millis(now.Add(-SecretLife)))
	if err != nil {
		return nil, err
	}
	if before == nil {
		return []string{secret}, nil
	}
	return []string{secret, *before}, nil
}

// WebhookSecrets returns the secrets that sign an organization's webhooks, the current one
// first. It returns ErrNotFound.
func (s *Store) WebhookSecrets(ctx context.Context, organization string, now time.Time) ([]string, error) {
	all, err := webhookSecrets(ctx, s.ShardOf(organization).Lookups, organization, now)
	return all, engine.Wrap(err, "webhook secrets of organization %s", organization)
}

// load reads at most n due deliveries and the secrets that sign them.
func (r *Receiver) load(ctx context.Context, tx *engine.Tx, n int, now time.Time) (err error) {
	r.Due, err = findDeliveries(ctx, tx, `WHERE organization = $1 AND origin = $2 AND due_at <= $3 ORDER BY due_at LIMIT $4`,
		r.Organization, r.origin, engine.Millis(now), n)
	if err != nil {
		return err
	}
	r.Secrets, err = webhookSecrets(ctx, tx, r.Organization, now)
	return err
}

// Tried is the outcome of a try of a delivery.
type Tried struct {
	Delivery  *Delivery // as returned by ClaimReceivers
	Try       earshot.DeliveryTry
	Delivered bool
	Next      time.Time // when to try again; zero for never
}

// triesKept limits the log of a delivery. It is enough to diagnose a receiver.
const triesKept = 20

// triedDelivery is a delivery after a try.
type triedDelivery struct {
	DeliveryRow           // with its new DeliveredAt and log
	next        time.Time // when to try again; zero for never
}

var updateTried = engine.NewStatement(
	append(engine.Lift(deliveriesTable.Only("organization", "job", "due_at", "delivered_at", "log"), func(d *triedDelivery) *DeliveryRow { return &d.DeliveryRow }),
		engine.TimeField("next", func(d *triedDelivery) *time.Time { return &d.next })),
	func(in engine.Input) string {
		// A delivery that was resent meanwhile keeps its new plan.
		return `
			UPDATE deliveries SET attempts = attempts + 1, ` + in.Assign("log") + `,
				delivered_at = COALESCE(` + in.Value("delivered_at") + `, deliveries.delivered_at),
				series = CASE WHEN deliveries.due_at = ` + in.Value("due_at") + ` THEN series + 1 ELSE series END,
				due_at = CASE WHEN deliveries.due_at = ` + in.Value("due_at") + ` THEN ` + in.Value("next") + ` ELSE deliveries.due_at END
			` + in.Where("deliveries", "organization", "job")
	})

// Release records the outcomes of tries and ends the lease of their receiver, unless another node
// has leased it meanwhile.
func (s *Store) Release(r *Receiver, tried []Tried) error {
	rows := make([]*triedDelivery, len(tried))
	for i, t := range tried {
		tries := append(slices.Clone(t.Delivery.Tries), t.Try)
		log, err := json.Marshal(tries[max(0, len(tries)-triesKept):])
		if err != nil {
			return fmt.Errorf("write the log of delivery %s: %w", t.Delivery.Job, err)
		}
		rows[i] = &triedDelivery{DeliveryRow{Delivery: *t.Delivery, log: log}, t.Next}
		rows[i].DeliveredAt = time.Time{}
		if t.Delivered {
			rows[i].DeliveredAt = t.Try.At.Add(time.Duration(t.Try.Ms) * time.Millisecond)
		}
	}
	err := s.ShardOf(r.Organization).Transact(func(ctx context.Context, tx *engine.Tx) error {
		// Lock the receiver before reading its deliveries, so that no delivery is planned unnoticed.
		_, err := engine.FindValues[int](ctx, tx, `SELECT 1 FROM receivers WHERE organization = $1 AND origin = $2 `+s.Dialect.ForUpdate, r.Organization, r.origin)
		if err != nil {
			return err
		}
		if err := engine.Each(ctx, tx, updateTried, rows, nil); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE receivers SET leased_until = CASE WHEN leased_until = $3 THEN 0 ELSE leased_until END, due_at = (
				SELECT MIN(due_at) FROM deliveries d WHERE d.organization = $1 AND d.origin = $2 AND d.due_at IS NOT NULL)
			WHERE organization = $1 AND origin = $2`, r.Organization, r.origin, r.leasedUntil)
		return err
	})
	return engine.Wrap(err, "release a receiver")
}

// Resend plans a new series of tries of a delivery. It returns ErrNotFound.
func (s *Store) Resend(ctx context.Context, organization, id string, now time.Time) (*Delivery, error) {
	d, err := s.Delivery(ctx, organization, id)
	if err != nil {
		return nil, err
	}
	err = s.ShardOf(organization).Transact(func(ctx context.Context, tx *engine.Tx) error {
		if err := scheduleReceivers(ctx, tx, []*DeliveryRow{NewDelivery(&Job{Organization: organization, ID: d.Job}, d.URL, now)}); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE deliveries SET due_at = $3, series = 0 WHERE organization = $1 AND job = $2`,
			organization, d.Job, engine.Millis(now))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("resend delivery %s: %w", id, err)
	}
	return s.Delivery(ctx, organization, id)
}

// Delivery returns the delivery of a task. It returns ErrNotFound.
func (s *Store) Delivery(ctx context.Context, organization, id string) (*Delivery, error) {
	id, err := CanonicalID(id)
	if err != nil {
		return nil, fmt.Errorf("delivery: %w", err)
	}
	d, err := engine.FirstOf(findDeliveries(ctx, s.ShardOf(organization).Lookups, `WHERE organization = $1 AND job = $2`, organization, id))
	return d, engine.Wrap(err, "delivery %s", id)
}

// DeliveryFilter selects the deliveries to list, newest task first.
type DeliveryFilter struct {
	State  string // pending, delivered or failed; "" for all
	Before string // only deliveries of tasks with smaller ids; "" for all
	Limit  int
}

// Deliveries lists deliveries of an organization.
func (s *Store) Deliveries(ctx context.Context, organization string, filter DeliveryFilter) ([]*Delivery, error) {
	all, err := findDeliveries(ctx, s.ShardOf(organization).Reports, `WHERE organization = $1 AND job < $2 AND ($3 = ''
			OR $3 = 'pending' AND due_at IS NOT NULL
			OR $3 = 'delivered' AND due_at IS NULL AND delivered_at IS NOT NULL
			OR $3 = 'failed' AND due_at IS NULL AND delivered_at IS NULL)
		ORDER BY job DESC LIMIT $4`, organization, cmp.Or(filter.Before, uuid.Max.String()), filter.State, filter.Limit)
	return all, engine.Wrap(err, "list deliveries")
}

// RotateSecret replaces the webhook secret of an organization. The previous secret stays valid
// for SecretLife.
func (s *Store) RotateSecret(organization, secret string, by account.Actor, now time.Time) error {
	err := s.Commit(Change{Organization: organization, Apply: func(ctx context.Context, w *Work) error {
		if err := w.KeepAnswer(ctx, by.Once, now); err != nil {
			return err
		}
		_, err := w.ExecContext(ctx, `
			UPDATE organizations SET webhook_secret_before = webhook_secret, webhook_secret = $2, webhook_secret_rotated_at = $3 WHERE id = $1`,
			organization, secret, engine.Millis(now))
		if err != nil {
			return err
		}
		return w.Audit(organization, by, Audited{Action: "webhook.rotate", Subject: organization}, now)
	}})
	return engine.Wrap(err, "rotate the webhook secret of organization %s", organization)
}
