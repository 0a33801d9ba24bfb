package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"

	"earshot"
)

// Delivery is a task's webhook: sent until it is acknowledged or its tries are
// spent.
type Delivery struct {
	Organization string
	Job          string // also the webhook's id
	URL          string
	Series       int // tries since it was planned or last resent
	Attempts     int // tries in all
	DeliveredAt  time.Time
	DueAt        time.Time // zero when no try is planned
	Tries        []earshot.DeliveryTry
}

const deliveryColumns = `organization, job, url, series, attempts, delivered_at, due_at, log`

func scanDelivery(found scanner) (*Delivery, error) {
	d := &Delivery{}
	var delivered, due *int64
	var log string
	err := found.Scan(&d.Organization, &d.Job, &d.URL, &d.Series, &d.Attempts, &delivered, &due, &log)
	if err != nil {
		return nil, err
	}
	if delivered != nil {
		d.DeliveredAt = time.UnixMilli(*delivered)
	}
	if due != nil {
		d.DueAt = time.UnixMilli(*due)
	}
	if err := json.Unmarshal([]byte(log), &d.Tries); err != nil {
		return nil, fmt.Errorf("read the log of delivery %s: %w", d.Job, err)
	}
	return d, nil
}

// delivery is a webhook to be planned.
type delivery struct {
	job Job
	at  int64
}

// origin is what the deliveries of one receiver have in common.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address // it was checked when it was submitted
	}
	return u.Scheme + "://" + u.Host
}

// storeDeliveries plans webhooks.
func (w *work) storeDeliveries(ctx context.Context) error {
	planned := w.deliverTo
	err := w.each(ctx, table(len(planned)).
		uuid("organization", func(i int) string { return planned[i].job.Organization }).
		uuid("job", func(i int) string { return planned[i].job.ID }).
		text("origin", func(i int) string { return origin(*planned[i].job.WebhookURL) }).
		text("url", func(i int) string { return *planned[i].job.WebhookURL }).
		int("due_at", func(i int) int64 { return planned[i].at }), `
		INSERT INTO deliveries (organization, job, origin, url, due_at) SELECT organization, job, origin, url, due_at FROM $rows`, nil)
	if err != nil {
		return err
	}
	due := map[receiver]int64{}
	for _, d := range planned {
		r := receiver{d.job.Organization, origin(*d.job.WebhookURL)}
		if at, ok := due[r]; !ok || d.at < at {
			due[r] = d.at
		}
	}
	return w.expect(ctx, due)
}

// receiver is where deliveries of one organization go.
type receiver struct{ organization, origin string }

// expect notes when receivers have something to get.
func (t *tx) expect(ctx context.Context, due map[receiver]int64) error {
	all := slices.SortedFunc(maps.Keys(due), func(a, b receiver) int {
		return cmp.Or(cmp.Compare(a.organization, b.organization), cmp.Compare(a.origin, b.origin))
	})
	return t.each(ctx, table(len(all)).
		uuid("organization", func(i int) string { return all[i].organization }).
		text("origin", func(i int) string { return all[i].origin }).
		int("due_at", func(i int) int64 { return due[all[i]] }), `
		INSERT INTO receivers (organization, origin, due_at) SELECT organization, origin, due_at FROM $rows WHERE true
		ON CONFLICT (organization, origin) DO UPDATE SET due_at =
			CASE WHEN receivers.due_at < excluded.due_at THEN receivers.due_at ELSE excluded.due_at END`, nil)
}

// Receiver is a receiver whose deliveries are due, and some of them. Nobody else
// gets it until its lease ends.
type Receiver struct {
	Organization string
	Secrets      []string // to sign with, the current one first
	Due          []*Delivery
	origin       string
}

// ClaimReceivers leases up to n receivers that have deliveries due, with up to
// each of these.
func (s *Store) ClaimReceivers(n, each int, lease time.Duration, now time.Time) (claimed []*Receiver, err error) {
	err = s.transact(func(ctx context.Context, tx *tx) error {
		claimed = nil
		err := find(ctx, tx, func(r scanner) error {
			one := &Receiver{}
			claimed = append(claimed, one)
			return r.Scan(&one.Organization, &one.origin)
		}, `SELECT organization, origin FROM receivers WHERE due_at <= $1 AND leased_until <= $1 ORDER BY due_at LIMIT $2 `+s.dialect.skipLocked,
			millis(now), n)
		if err != nil {
			return err
		}
		for _, r := range claimed {
			if err := r.load(ctx, tx, each, now); err != nil {
				return err
			}
		}
		return tx.each(ctx, table(len(claimed)).
			uuid("owner", func(i int) string { return claimed[i].Organization }).
			text("at", func(i int) string { return claimed[i].origin }).
			int("lease", func(int) int64 { return millis(now.Add(lease)) }), `
			UPDATE receivers SET leased_until = r.lease FROM $rows WHERE organization = r.owner AND origin = r.at`, nil)
	})
	if err != nil {
		return nil, fmt.Errorf("claim receivers: %w", err)
	}
	return claimed, nil
}

// SecretLife is how long the secret before a rotation stays valid.
const SecretLife = 24 * time.Hour

// signedWith picks what signs an organization's webhooks: the current secret, and the
// one before if it was replaced after $2.
const signedWith = `
	SELECT webhook_secret, CASE WHEN webhook_secret_rotated_at > $2 THEN webhook_secret_before END FROM organizations WHERE id = $1`

// scanSecrets gives the current secret first.
func scanSecrets(found scanner) ([]string, error) {
	var secret string
	var before *string
	if err := found.Scan(&secret, &before); err != nil {
		return nil, err
	}
	if before == nil {
		return []string{secret}, nil
	}
	return []string{secret, *before}, nil
}

// WebhookSecrets are what signs an organization's webhooks, the current one first.
// Returns ErrNotFound.
func (s *Store) WebhookSecrets(ctx context.Context, organization string, now time.Time) (all []string, err error) {
	err = s.first(ctx, func(r scanner) (err error) {
		all, err = scanSecrets(r)
		return err
	}, signedWith, organization, millis(now.Add(-SecretLife)))
	if err != nil {
		return nil, fmt.Errorf("webhook secrets of organization %s: %w", organization, err)
	}
	return all, nil
}

// load reads the deliveries that are due and what signs them.
func (r *Receiver) load(ctx context.Context, tx *tx, most int, now time.Time) error {
	err := find(ctx, tx, func(found scanner) error {
		d, err := scanDelivery(found)
		r.Due = append(r.Due, d)
		return err
	}, `SELECT `+deliveryColumns+` FROM deliveries
		WHERE organization = $1 AND origin = $2 AND due_at <= $3 ORDER BY due_at LIMIT $4`, r.Organization, r.origin, millis(now), most)
	if err != nil {
		return err
	}
	r.Secrets, err = scanSecrets(tx.QueryRowContext(ctx, signedWith, r.Organization, millis(now.Add(-SecretLife))))
	return err
}

// Tried is how a try of a delivery went.
type Tried struct {
	Delivery  *Delivery // as it was claimed
	Try       earshot.DeliveryTry
	Delivered bool
	Next      time.Time // when to try again; zero for never
}

// triesKept is enough to see what is wrong with a receiver.
const triesKept = 20

// Release notes how the tries went and ends the lease of their receiver.
func (s *Store) Release(r *Receiver, tried []Tried) error {
	logs := make([]string, len(tried))
	for i, t := range tried {
		tries := append(slices.Clone(t.Delivery.Tries), t.Try)
		text, err := json.Marshal(tries[max(0, len(tries)-triesKept):])
		if err != nil {
			return fmt.Errorf("write the log of delivery %s: %w", t.Delivery.Job, err)
		}
		logs[i] = string(text)
	}
	err := s.transact(func(ctx context.Context, tx *tx) error {
		// Locked before the deliveries are read, so that none is planned unseen.
		if err := tx.lockReceiver(ctx, s.dialect.forUpdate, r.Organization, r.origin); err != nil {
			return err
		}
		err := tx.each(ctx, table(len(tried)).
			uuid("owner", func(int) string { return r.Organization }).
			uuid("task", func(i int) string { return tried[i].Delivery.Job }).
			int("was_due", func(i int) int64 { return millis(tried[i].Delivery.DueAt) }).
			maybeInt("next", func(i int) *int64 { return ifPast(tried[i].Next) }).
			maybeInt("delivered", func(i int) *int64 {
				if !tried[i].Delivered {
					return nil
				}
				return new(tried[i].Try.At.UnixMilli() + tried[i].Try.Ms)
			}).
			text("new_log", func(i int) string { return logs[i] }), `
			UPDATE deliveries SET attempts = attempts + 1, log = r.new_log, delivered_at = COALESCE(r.delivered, delivered_at),
				-- unless it was resent in the meantime
				series = CASE WHEN due_at = r.was_due THEN series + 1 ELSE series END,
				due_at = CASE WHEN due_at = r.was_due THEN r.next ELSE due_at END
			FROM $rows WHERE organization = r.owner AND job = r.task`, nil)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE receivers SET leased_until = 0, due_at = (
				SELECT MIN(due_at) FROM deliveries d WHERE d.organization = $1 AND d.origin = $2 AND d.due_at IS NOT NULL)
			WHERE organization = $1 AND origin = $2`, r.Organization, r.origin)
		return err
	})
	if err != nil {
		return fmt.Errorf("release a receiver: %w", err)
	}
	return nil
}

func (t *tx) lockReceiver(ctx context.Context, how, organization, origin string) error {
	var one int
	err := t.QueryRowContext(ctx, `SELECT 1 FROM receivers WHERE organization = $1 AND origin = $2 `+how, organization, origin).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return err
}

// Resend plans one more series of tries of a delivery. Returns ErrNotFound.
func (s *Store) Resend(ctx context.Context, organization, id string, now time.Time) (*Delivery, error) {
	d, err := s.Delivery(ctx, organization, id)
	if err != nil {
		return nil, err
	}
	err = s.transact(func(ctx context.Context, tx *tx) error {
		if err := tx.expect(ctx, map[receiver]int64{{organization, origin(d.URL)}: millis(now)}); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE deliveries SET due_at = $3, series = 0 WHERE organization = $1 AND job = $2`,
			organization, d.Job, millis(now))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("resend delivery %s: %w", id, err)
	}
	return s.Delivery(ctx, organization, id)
}

// Delivery finds the delivery of a task. Returns ErrNotFound.
func (s *Store) Delivery(ctx context.Context, organization, id string) (*Delivery, error) {
	id, err := canonicalID(id)
	if err != nil {
		return nil, fmt.Errorf("delivery: %w", err)
	}
	var d *Delivery
	err = s.first(ctx, func(r scanner) (err error) {
		d, err = scanDelivery(r)
		return err
	}, `SELECT `+deliveryColumns+` FROM deliveries WHERE organization = $1 AND job = $2`, organization, id)
	if err != nil {
		return nil, fmt.Errorf("delivery %s: %w", id, err)
	}
	return d, nil
}

// DeliveryFilter says which deliveries to list, newest task first.
type DeliveryFilter struct {
	State  string // pending, delivered or failed; "" for all
	Before string // only those of tasks older than this id; "" for all
	Limit  int
}

// Deliveries lists deliveries of an organization.
func (s *Store) Deliveries(ctx context.Context, organization string, filter DeliveryFilter) (all []*Delivery, err error) {
	err = s.find(ctx, func(r scanner) error {
		d, err := scanDelivery(r)
		all = append(all, d)
		return err
	}, `
		SELECT `+deliveryColumns+` FROM deliveries WHERE organization = $1 AND job < $2 AND ($3 = ''
			OR $3 = 'pending' AND due_at IS NOT NULL
			OR $3 = 'delivered' AND due_at IS NULL AND delivered_at IS NOT NULL
			OR $3 = 'failed' AND due_at IS NULL AND delivered_at IS NULL)
		ORDER BY job DESC LIMIT $4`, organization, cmp.Or(filter.Before, uuid.Max.String()), filter.State, filter.Limit)
	if err != nil {
		return nil, fmt.Errorf("list deliveries: %w", err)
	}
	return all, nil
}

// RotateSecret gives an organization a new webhook secret. The one before stays
// valid for a day.
func (s *Store) RotateSecret(organization, secret string, now time.Time) error {
	return s.write(write{organization: organization, apply: func(ctx context.Context, w *work) error {
		_, err := w.ExecContext(ctx, `
			UPDATE organizations SET webhook_secret_before = webhook_secret, webhook_secret = $2, webhook_secret_rotated_at = $3 WHERE id = $1`,
			organization, secret, millis(now))
		if err != nil {
			return fmt.Errorf("rotate the webhook secret of organization %s: %w", organization, err)
		}
		return nil
	}})
}
