package history

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/engine"
)

// AuditFilter selects entries of the audit log, newest first.
type AuditFilter struct {
	Action      string    // such as "key.create", or its first part; "" for all
	Actor       string    // id or name; "" for all
	Subject     string    // "" for all
	From, Until time.Time // Until excluded; zero for no limit
	Before      string    // only ids before this one; "" for all
	Limit       int
}

// AuditLog lists entries of an organization. With "" it lists the entries of no organization.
func (s *Store) AuditLog(ctx context.Context, organization string, f AuditFilter) ([]earshot.AuditEntry, error) {
	organization = cmp.Or(organization, uuid.Nil.String())
	actors, err := engine.FindValues[string](ctx, s.Reports, `SELECT id FROM users WHERE email = $1`, f.Actor)
	if err != nil {
		return nil, engine.Wrap(err, "find the actor")
	}
	rows, err := engine.FindRows(ctx, s.ShardOf(organization).Reports, store.AuditTable, `WHERE organization = $1 AND id < $2 AND at >= $3 AND at < COALESCE($4, at + 1)
		AND ($5 = '' OR action = $5 OR substr(action, 1, length($5) + 1) = $5 || '.')
		AND ($6 = '' OR actor = $6 OR actor = $9 OR actor_name = $6) AND ($7 = '' OR subject = $7) ORDER BY id DESC LIMIT $8`,
		organization, cmp.Or(f.Before, uuid.Max.String()), engine.Millis(f.From), engine.NullMillis(f.Until), f.Action, f.Actor, f.Subject, f.Limit, append(actors, f.Actor)[0])
	if err != nil {
		return nil, engine.Wrap(err, "list the audit log")
	}
	emails, err := s.emails(ctx, rows)
	entries := make([]earshot.AuditEntry, len(rows))
	for i, row := range rows {
		entries[i] = earshot.AuditEntry{
			ID: row.ID, At: earshot.Timestamp{Time: row.At}, Actor: earshot.AuditActor{Kind: string(row.By.Kind), ID: row.By.ID, Name: cmp.Or(row.By.Name, emails[row.By.ID])},
			Action: row.Action, Subject: row.Subject, Address: row.By.Address, RequestID: row.By.Request, Before: row.Before, After: row.After,
		}
	}
	return entries, engine.Wrap(err, "list the audit log")
}

// emails returns the addresses of the users who made changes, by id. The log has only their ids.
func (s *Store) emails(ctx context.Context, rows []*store.AuditEntry) (map[string]string, error) {
	var ids []any
	for _, row := range rows {
		if row.By.Kind == account.ActorUser && !slices.Contains(ids, any(row.By.ID)) {
			ids = append(ids, row.By.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return engine.FindMap[string, string](ctx, s.Reports, `SELECT id, email FROM users WHERE id IN (`+engine.Placeholders(1, len(ids))+`)`, ids...)
}

// WholeAuditLog returns all entries that AuditLog lists. It reads f.Limit entries at a time.
func (s *Store) WholeAuditLog(ctx context.Context, organization string, f AuditFilter) iter.Seq2[*earshot.AuditEntry, error] {
	return func(yield func(*earshot.AuditEntry, error) bool) {
		for {
			page, err := s.AuditLog(ctx, organization, f)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range page {
				if !yield(&page[i], nil) {
					return
				}
			}
			if len(page) < f.Limit {
				return
			}
			f.Before = page[len(page)-1].ID
		}
	}
}
