// Package sharing stores share links, with which anybody can read the report of one tracker. It
// extends package store.
//
//	sharing.go  creating, finding, listing and revoking links
//	views.go    how often links were read
//
// On Citus, the links are on the coordinator.
package sharing

import (
	"context"
	"fmt"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/engine"
)

const (
	maxLinks   = 500                 // working links of an organization
	maxListed  = 2 * maxLinks        // links in a list
	linksAfter = 90 * 24 * time.Hour // how long links are kept after they expired
)

// ErrTooManyLinks is returned when an organization has as many working links as allowed.
var ErrTooManyLinks = fmt.Errorf("an organization may have at most %d share links; revoke one first", maxLinks)

// Store adds share links to a store. It is safe for concurrent use.
type Store struct {
	*store.Store
	views views
}

// New adds share links to a store. Views are counted in the returned Store, so a node needs only
// one.
func New(s *store.Store) *Store { return &Store{Store: s} }

// Link is a share link.
type Link struct {
	ID           string
	Hash         []byte // of the token
	Organization string
	Tracker      string // id
	Title        string
	From, To     string // days of a fixed period, or empty
	Days         int    // 0 for a fixed period
	Password     string // hash, or empty
	CreatedBy    string // name of the key or email of the user
	CreatedAt    time.Time
	ExpiresAt    time.Time
	RevokedAt    time.Time
	ViewedAt     time.Time
	Views        int64

	// TrackerName is not stored with the link. It is empty if the tracker was deleted.
	TrackerName string
}

var (
	linksTable = engine.NewTable("share_links",
		engine.TextField("id", func(l *Link) *string { return &l.ID }),
		engine.Field("hash", "bytea", func(l *Link) *[]byte { return &l.Hash }),
		engine.Field("organization", "uuid", func(l *Link) *string { return &l.Organization }),
		engine.TextField("tracker", func(l *Link) *string { return &l.Tracker }),
		engine.TextField("title", func(l *Link) *string { return &l.Title }),
		engine.NullField("first_day", "text", func(l *Link) *string { return &l.From }),
		engine.NullField("last_day", "text", func(l *Link) *string { return &l.To }),
		engine.IntField("days", func(l *Link) *int { return &l.Days }),
		engine.TextField("password", func(l *Link) *string { return &l.Password }),
		engine.TextField("created_by", func(l *Link) *string { return &l.CreatedBy }),
		engine.TimeField("created_at", func(l *Link) *time.Time { return &l.CreatedAt }),
		engine.TimeField("expires_at", func(l *Link) *time.Time { return &l.ExpiresAt }),
		engine.TimeField("revoked_at", func(l *Link) *time.Time { return &l.RevokedAt }),
		engine.TimeField("viewed_at", func(l *Link) *time.Time { return &l.ViewedAt }),
		engine.IntField("views", func(l *Link) *int64 { return &l.Views }))
	insertLinks = linksTable.Insert("")
)

// works is the condition that a link is neither revoked nor expired at $2.
const works = `(revoked_at IS NULL AND expires_at > $2)`

// listed is the order of a list of links: the working ones first.
const listed = `ORDER BY ` + works + ` DESC, created_at DESC, id`

// Shown returns the link in the form that its organization sees.
func (l *Link) Shown() *earshot.ShareLink {
	shown := &earshot.ShareLink{
		ID: l.ID, Tracker: l.TrackerName, Title: l.Title, Days: l.Days, HasPassword: l.Password != "", CreatedBy: l.CreatedBy,
		CreatedAt: earshot.Timestamp{Time: l.CreatedAt}, ExpiresAt: earshot.Timestamp{Time: l.ExpiresAt},
		RevokedAt: earshot.When(l.RevokedAt), ViewedAt: earshot.When(l.ViewedAt), Views: l.Views,
	}
	if l.From != "" {
		shown.From, shown.To = &l.From, &l.To
	}
	return shown
}

// auditedLink is a link in the audit log.
type auditedLink struct {
	Tracker   string            `json:"tracker"`
	Title     string            `json:"title,omitempty"`
	Days      int               `json:"days,omitempty"`
	From      string            `json:"from,omitempty"`
	To        string            `json:"to,omitempty"`
	Password  bool              `json:"password"`
	ExpiresAt earshot.Timestamp `json:"expiresAt"`
}

func (l *Link) audited() auditedLink {
	return auditedLink{l.TrackerName, l.Title, l.Days, l.From, l.To, l.Password != "", earshot.Timestamp{Time: l.ExpiresAt}}
}

// Create stores a link, and deletes links of the organization that expired long ago or are no longer listed. It returns
// ErrTooManyLinks.
func (s *Store) Create(l *Link, by account.Actor) error {
	err := s.Commit(store.Change{Organization: l.Organization, Across: true, Apply: func(ctx context.Context, w *store.Work) error {
		if err := w.KeepAnswer(ctx, by.Once, l.CreatedAt); err != nil {
			return err
		}
		working, err := engine.FindValues[int](ctx, w, `SELECT COUNT(*) FROM share_links WHERE organization = $1 AND `+works, l.Organization, engine.Millis(l.CreatedAt))
		if err != nil {
			return err
		}
		if working[0] >= maxLinks {
			return ErrTooManyLinks
		}
		_, err = w.Run(ctx, `DELETE FROM share_links WHERE organization = $1 AND expires_at < $2`, l.Organization, engine.Millis(l.CreatedAt.Add(-linksAfter)))
		if err != nil {
			return err
		}
		_, err = w.Run(ctx, `DELETE FROM share_links WHERE id IN (SELECT id FROM share_links WHERE organization = $1 `+listed+` LIMIT 100 OFFSET $3)`,
			l.Organization, engine.Millis(l.CreatedAt), maxListed)
		if err != nil {
			return err
		}
		if err := engine.Each(ctx, w.Tx, insertLinks, []*Link{l}, nil); err != nil {
			return err
		}
		return w.Audit(l.Organization, by, store.Audited{Action: "share.create", Subject: l.ID, After: l.audited()}, l.CreatedAt)
	}})
	return engine.Wrap(err, "create share link %s", l.ID)
}

// Find returns a link that is neither revoked nor expired. It returns ErrNotFound, also if the
// tracker of the link was deleted.
func (s *Store) Find(ctx context.Context, id string, now time.Time) (*Link, error) {
	l, err := engine.FirstRow(ctx, s.Lookups, linksTable, `WHERE id = $1 AND `+works, id, engine.Millis(now))
	if err == nil {
		err = s.nameTrackers(ctx, l)
	}
	if err == nil && l.TrackerName == "" {
		err = store.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("share link %s: %w", id, err)
	}
	return l, nil
}

// nameTrackers sets TrackerName of links of one organization.
func (s *Store) nameTrackers(ctx context.Context, links ...*Link) error {
	if len(links) == 0 {
		return nil
	}
	names, err := engine.FindMap[string, string](ctx, s.ShardOf(links[0].Organization).Lookups,
		`SELECT id, name FROM trackers WHERE organization = $1 AND state <> 'deleting'`, links[0].Organization)
	for _, l := range links {
		l.TrackerName = names[l.Tracker]
	}
	return err
}

// List returns the links of an organization: first the links that work, then revoked and expired
// links, in each group the newest first.
func (s *Store) List(ctx context.Context, organization string, now time.Time) ([]*Link, error) {
	links, err := engine.FindRows(ctx, s.Reports, linksTable, `WHERE organization = $1 `+listed+` LIMIT $3`,
		organization, engine.Millis(now), maxListed)
	if err == nil {
		err = s.nameTrackers(ctx, links...)
	}
	for _, l := range links {
		s.views.add(l)
	}
	return links, engine.Wrap(err, "list share links")
}

// Revoke revokes a link and returns it. It returns ErrNotFound; revoking a link twice is no error.
func (s *Store) Revoke(ctx context.Context, organization, id string, by account.Actor, now time.Time) (*Link, error) {
	var l *Link
	err := s.Commit(store.Change{Organization: organization, Across: true, Apply: func(ctx context.Context, w *store.Work) (err error) {
		l, err = engine.FirstRow(ctx, w, linksTable, `WHERE organization = $1 AND id = $2`, organization, id)
		if err != nil || !l.RevokedAt.IsZero() {
			return err
		}
		l.RevokedAt = now
		if _, err = w.Run(ctx, `UPDATE share_links SET revoked_at = $2 WHERE id = $1`, id, engine.Millis(now)); err != nil {
			return err
		}
		return w.Audit(organization, by, store.Audited{Action: "share.revoke", Subject: id}, now)
	}})
	if err == nil {
		err = s.nameTrackers(ctx, l)
	}
	if err != nil {
		return nil, fmt.Errorf("revoke share link %s: %w", id, err)
	}
	s.views.add(l)
	return l, nil
}
