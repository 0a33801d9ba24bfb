// Package people stores users, their roles in organizations, invitations and sessions. It
// extends package store.
//
//	user.go        users and their accounts at identity providers
//	member.go      who belongs to an organization
//	invitation.go  invitations
//	session.go     browsers that are signed in
//	erase.go       removing people and everything that is known about them
//
// On Citus these tables are on the coordinator, and the audit log is on the shard of its
// organization. Each change of an organization and its entry in the audit log are one transaction.
package people

import (
	"context"
	"time"

	"earshot/internal/account"
	"earshot/internal/store"
)

// Store adds people to a store. It is safe for concurrent use.
type Store struct {
	*store.Store
	seen *store.Uses // of sessions
}

// New adds people to a store. The last uses of sessions are cached in the returned Store, so a node
// needs only one.
func New(s *store.Store) *Store { return &Store{s, store.NewUses("sessions", "seen_at")} }

// change applies a change of an organization and adds it to the audit log. If apply returns nil,
// nothing has changed.
func (s *Store) change(organization string, by account.Actor, now time.Time, apply func(context.Context, *store.Work) (*store.Audited, error)) error {
	return s.Commit(store.Change{Organization: organization, Across: true, Apply: func(ctx context.Context, w *store.Work) error {
		what, err := apply(ctx, w)
		if err != nil || what == nil {
			return err
		}
		return w.Audit(organization, by, *what, now)
	}})
}
