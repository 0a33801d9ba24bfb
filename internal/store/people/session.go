package people

import (
	"context"
	"fmt"
	"slices"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/limits/share"
	"earshot/internal/store"
	"earshot/internal/store/engine"
)

// Session is a browser that is signed in as a user.
type Session struct {
	ID           string
	Hash         []byte // of the cookie
	UserID       string
	Organization string
	Provider     string // name of the identity provider; empty after a sign-in with a password
	Sealed       []byte // tokens of the identity provider
	Address      string
	Browser      string
	CreatedAt    time.Time
	SeenAt       time.Time
	CheckedAt    time.Time
	ExpiresAt    time.Time
	RevokedAt    time.Time
}

var (
	sessionsTable = engine.NewTable("sessions",
		engine.TextField("id", func(s *Session) *string { return &s.ID }),
		engine.Field("hash", "bytea", func(s *Session) *[]byte { return &s.Hash }),
		engine.TextField("user_id", func(s *Session) *string { return &s.UserID }),
		engine.Field("organization", "uuid", func(s *Session) *string { return &s.Organization }),
		engine.TextField("provider", func(s *Session) *string { return &s.Provider }),
		engine.Field("sealed", "bytea", func(s *Session) *[]byte { return &s.Sealed }),
		engine.TextField("address", func(s *Session) *string { return &s.Address }),
		engine.TextField("browser", func(s *Session) *string { return &s.Browser }),
		engine.TimeField("created_at", func(s *Session) *time.Time { return &s.CreatedAt }),
		engine.TimeField("seen_at", func(s *Session) *time.Time { return &s.SeenAt }),
		engine.TimeField("checked_at", func(s *Session) *time.Time { return &s.CheckedAt }),
		engine.TimeField("expires_at", func(s *Session) *time.Time { return &s.ExpiresAt }),
		engine.TimeField("revoked_at", func(s *Session) *time.Time { return &s.RevokedAt }))
	insertSessions = sessionsTable.Insert("")
)

// isOpen is the condition that a session is neither revoked nor expired at $2.
const isOpen = `revoked_at IS NULL AND expires_at > $2`

// seenEvery is how often the last use of a session is stored.
const seenEvery = time.Minute

// SignIn stores a new session and ends the one that it replaces, if any. action is the name of
// the event in the audit log.
func (s *Store) SignIn(n *Session, replaces, action string, by account.Actor, now time.Time) error {
	err := s.change(n.Organization, by, now, func(ctx context.Context, w *store.Work) (*store.Audited, error) {
		if n.Sealed == nil {
			n.Sealed = []byte{}
		}
		_, err := w.Run(ctx, `UPDATE sessions SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL`, replaces, engine.Millis(now))
		if err != nil {
			return nil, err
		}
		return &store.Audited{Action: action, Subject: n.ID, After: map[string]string{"via": n.Via()}}, engine.Each(ctx, w.Tx, insertSessions, []*Session{n}, nil)
	})
	return engine.Wrap(err, "sign in")
}

// Via returns the name of the identity provider, or "password".
func (s *Session) Via() string {
	if s.Provider == "" {
		return "password"
	}
	return s.Provider
}

// OpenSession is a session with the principal of its requests.
type OpenSession struct {
	Session *Session
	account.Principal
}

// Open returns a session that is neither revoked nor expired, and the role of its user. It returns
// ErrNotFound, also if the user is no longer a member of the organization.
func (s *Store) Open(ctx context.Context, id string, now time.Time) (*OpenSession, error) {
	found, err := engine.FirstRow(ctx, s.Lookups, sessionsTable, `WHERE id = $1 AND `+isOpen, id, engine.Millis(now))
	if err != nil {
		return nil, engine.Wrap(err, "session")
	}
	open := &OpenSession{Session: found}
	open.KeyID, open.UserID, open.SessionID, open.OrganizationID = found.UserID, found.UserID, id, found.Organization
	err = s.Lookups.Find(ctx, func(r engine.Scanner) error {
		var role string
		err := r.Scan(&open.KeyName, &role)
		open.Role = open.Role.Higher(account.Role(role))
		return err
	}, `SELECT u.email, m.role FROM members m JOIN users u ON u.id = m.user_id WHERE m.organization = $1 AND m.user_id = $2`, found.Organization, found.UserID)
	if err == nil && open.Role == "" {
		err = store.ErrNotFound
	}
	if err == nil {
		err = engine.First(ctx, s.ShardOf(found.Organization).Lookups, func(r engine.Scanner) error {
			return r.Scan(&open.RequestsPerSecond, &open.Slots, &open.Running, &open.Balance)
		}, `SELECT requests_per_second, slots, running, balance FROM organizations WHERE id = $1`, found.Organization)
	}
	if err != nil {
		return nil, fmt.Errorf("session %s: %w", id, err)
	}
	open.Scopes = open.Role.Scopes()
	if now.Sub(found.SeenAt) > seenEvery {
		s.seen.Note(id, now) // Tidy writes it, so that the request waits for no write
	}
	return open, nil
}

// Checked stores the result of a check with the identity provider: its new tokens and when it was
// made. It returns ErrChanged if another node has checked the session meanwhile.
func (s *Store) Checked(was *Session, sealed []byte, at time.Time) error {
	return engine.ExpectChange(s.Run(`UPDATE sessions SET sealed = $3, checked_at = $4 WHERE id = $1 AND checked_at = $2`,
		was.ID, engine.Millis(was.CheckedAt), sealed, engine.Millis(at)))
}

// Sessions lists the open sessions of an organization, or of one user in it, newest first.
func (s *Store) Sessions(ctx context.Context, organization, userID string, now time.Time) (list []*earshot.BrowserSession, err error) {
	err = s.Reports.Find(ctx, func(r engine.Scanner) error {
		var one earshot.BrowserSession
		var provider string
		var created, seen, expires int64
		err := r.Scan(&one.ID, &one.UserID, &one.Email, &provider, &one.Address, &one.Browser, &created, &seen, &expires)
		one.Via = (&Session{Provider: provider}).Via()
		one.CreatedAt, one.LastSeenAt, one.ExpiresAt = earshot.At(created), earshot.At(seen), earshot.At(expires)
		list = append(list, &one)
		return err
	}, `SELECT s.id, s.user_id, u.email, s.provider, s.address, s.browser, s.created_at, s.seen_at, s.expires_at
		FROM sessions s JOIN users u ON u.id = s.user_id
		WHERE s.organization = $1 AND (s.user_id = $3 OR $3 = '') AND `+isOpen+` ORDER BY s.created_at DESC, s.id LIMIT 1000`,
		organization, engine.Millis(now), userID)
	return list, engine.Wrap(err, "list sessions")
}

// EndSession ends an open session of an organization; userID "" means of any user. action is the
// name of the event in the audit log. EndSession returns ErrNotFound.
func (s *Store) EndSession(organization, id, userID, action string, by account.Actor, now time.Time) error {
	err := s.change(organization, by, now, func(ctx context.Context, w *store.Work) (*store.Audited, error) {
		found, err := engine.FirstRow(ctx, w, sessionsTable, `WHERE organization = $1 AND id = $3 AND (user_id = $4 OR $4 = '') AND `+isOpen,
			organization, engine.Millis(now), id, userID)
		if err != nil {
			return nil, err
		}
		_, err = w.Run(ctx, `UPDATE sessions SET revoked_at = $2 WHERE id = $1`, id, engine.Millis(now))
		return &store.Audited{Action: action, Subject: id, Before: map[string]string{"user": found.UserID}}, err
	})
	return engine.Wrap(err, "end session %s", id)
}

// LastOrganization returns the organization of the last session of a user. It returns ErrNotFound.
func (s *Store) LastOrganization(ctx context.Context, userID string) (string, error) {
	id, err := engine.FirstOf(engine.FindValues[string](ctx, s.Lookups, `SELECT organization FROM sessions WHERE user_id = $1 ORDER BY created_at DESC LIMIT 1`, userID))
	return id, engine.Wrap(err, "last organization")
}

// HasSession reports whether there is a session with an id, also if it has ended.
func (s *Store) HasSession(ctx context.Context, id string) (bool, error) {
	found, err := engine.FindValues[string](ctx, s.Lookups, `SELECT id FROM sessions WHERE id = $1`, id)
	return len(found) > 0, engine.Wrap(err, "session %s", id)
}

// HasSignedIn reports whether a user has signed in from an address before, or for IPv6 from its /64.
func (s *Store) HasSignedIn(ctx context.Context, userID, address string) (bool, error) {
	found, err := engine.FindValues[string](ctx, s.Lookups, `SELECT DISTINCT address FROM sessions WHERE user_id = $1`, userID)
	same := func(other string) bool { return share.Address(other) == share.Address(address) }
	return slices.ContainsFunc(found, same), engine.Wrap(err, "earlier sign-ins")
}
