package people

import (
	"context"
	"errors"
	"time"

	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/engine"
)

// user is a row of users.
type user struct {
	account.User
	createdAt time.Time
}

// identity is a row of identities: an account at an identity provider.
type identity struct {
	issuer, subject string
	userID          string
	createdAt       time.Time
}

var (
	usersTable = engine.NewTable("users",
		engine.TextField("id", func(u *user) *string { return &u.ID }),
		engine.TextField("email", func(u *user) *string { return &u.Email }),
		engine.TextField("name", func(u *user) *string { return &u.Name }),
		engine.TextField("password", func(u *user) *string { return &u.Password }),
		engine.TimeField("created_at", func(u *user) *time.Time { return &u.createdAt }))
	insertUsers = usersTable.Insert("")

	identitiesTable = engine.NewTable("identities",
		engine.TextField("issuer", func(i *identity) *string { return &i.issuer }),
		engine.TextField("subject", func(i *identity) *string { return &i.subject }),
		engine.TextField("user_id", func(i *identity) *string { return &i.userID }),
		engine.TimeField("created_at", func(i *identity) *time.Time { return &i.createdAt }))
	insertIdentities = identitiesTable.Insert("")
)

// User returns a user. It returns ErrNotFound.
func (s *Store) User(ctx context.Context, id string) (*account.User, error) {
	return findUser(ctx, s.Lookups, `WHERE id = $1`, id)
}

// UserByEmail returns the user with an email address in lower case. It returns ErrNotFound.
func (s *Store) UserByEmail(ctx context.Context, email string) (*account.User, error) {
	return findUser(ctx, s.Lookups, `WHERE email = $1`, email)
}

func findUser(ctx context.Context, in engine.Querier, clause string, args ...any) (*account.User, error) {
	found, err := engine.FirstRow(ctx, in, usersTable, clause, args...)
	if err != nil {
		return nil, engine.Wrap(err, "user")
	}
	return &found.User, nil
}

// Identity is a person's account at an identity provider.
type Identity struct {
	Issuer, Subject string
	Email           string // in lower case; empty unless the provider has verified it
	Name            string
}

// UserOf returns the user of an identity. An unknown identity becomes an account of the user with
// its email address, or of a new user. A user with an identity has no password: only the
// identity provider has verified the email address, and somebody else may have set the password. UserOf returns
// ErrNotFound for an unknown identity without an email address.
func (s *Store) UserOf(id Identity, now time.Time) (*account.User, error) {
	var whose *account.User
	err := s.Execute(func(ctx context.Context, tx *engine.Tx) (err error) {
		whose, err = findUser(ctx, tx, `WHERE id = (SELECT user_id FROM identities WHERE issuer = $1 AND subject = $2)`, id.Issuer, id.Subject)
		if !errors.Is(err, store.ErrNotFound) || id.Email == "" {
			return err
		}
		whose, err = findUser(ctx, tx, `WHERE email = $1`, id.Email)
		if errors.Is(err, store.ErrNotFound) {
			whose = &account.User{ID: account.NewUserID(), Email: id.Email, Name: id.Name}
			err = insertUser(ctx, tx, whose, now)
		}
		if err == nil && whose.Password != "" {
			whose.Password = ""
			_, err = tx.Run(ctx, `UPDATE users SET password = '' WHERE id = $1`, whose.ID)
			if err == nil {
				_, err = tx.Run(ctx, `UPDATE sessions SET revoked_at = $2 WHERE user_id = $1 AND revoked_at IS NULL`, whose.ID, engine.Millis(now))
			}
		}
		if err != nil {
			return err
		}
		return engine.Each(ctx, tx, insertIdentities, []*identity{{id.Issuer, id.Subject, whose.ID, now}}, nil)
	})
	return whose, err
}

func insertUser(ctx context.Context, tx *engine.Tx, u *account.User, now time.Time) error {
	return engine.Wrap(engine.Each(ctx, tx, insertUsers, []*user{{*u, now}}, nil), "create a user")
}

// SetPassword replaces the password of a user and ends all sessions except one, whose id may be
// "". It returns ErrNotFound.
func (s *Store) SetPassword(ctx context.Context, userID, hash, except string, by account.Actor, now time.Time) error {
	return s.setPassword(ctx, userID, "user.password", by, now, func(ctx context.Context, w *store.Work) error {
		return storePassword(ctx, w, userID, hash, except, now)
	})
}

// ResetPassword deletes the password of a user and ends all sessions. With the invitation, which
// becomes one to no organization, the user sets a new password. ResetPassword returns ErrNotFound.
func (s *Store) ResetPassword(ctx context.Context, u *account.User, i *Invitation, by account.Actor, now time.Time) error {
	i.Organization, i.Email = noOrganization, u.Email
	return s.setPassword(ctx, u.ID, "user.reset", by, now, func(ctx context.Context, w *store.Work) error {
		if err := storePassword(ctx, w, u.ID, "", "", now); err != nil {
			return err
		}
		if err := revokeInvitations(ctx, w, noOrganization, u.Email, now); err != nil {
			return err
		}
		return engine.Each(ctx, w.Tx, insertInvitations, []*Invitation{i}, nil)
	})
}

// AcceptReset sets the password of a user with an invitation of ResetPassword. It returns
// ErrNotFound if the invitation was used or revoked meanwhile.
func (s *Store) AcceptReset(ctx context.Context, i *Invitation, userID, hash string, by account.Actor, now time.Time) error {
	return s.setPassword(ctx, userID, "user.password", by, now, func(ctx context.Context, w *store.Work) error {
		if err := acceptInvitation(ctx, w, i.ID, now); err != nil {
			return err
		}
		return storePassword(ctx, w, userID, hash, "", now)
	})
}

// setPassword calls set in a transaction, and adds the action to the audit log of each organization
// of the user. It returns ErrNotFound for a user without an organization.
func (s *Store) setPassword(ctx context.Context, userID, action string, by account.Actor, now time.Time, set func(context.Context, *store.Work) error) error {
	memberships, err := s.Memberships(ctx, userID)
	if err == nil && len(memberships) == 0 {
		err = store.ErrNotFound
	}
	for i, m := range memberships {
		if err != nil {
			break
		}
		err = s.change(m.Organization, by, now, func(ctx context.Context, w *store.Work) (*store.Audited, error) {
			what := &store.Audited{Action: action, Subject: userID}
			if i == 0 {
				return what, set(ctx, w)
			}
			return what, nil
		})
	}
	return engine.Wrap(err, "set the password of user %s", userID)
}

func storePassword(ctx context.Context, w *store.Work, userID, hash, except string, now time.Time) error {
	if err := engine.ExpectChange(w.Run(ctx, `UPDATE users SET password = $2 WHERE id = $1`, userID, hash)); err != nil {
		return err
	}
	_, err := w.Run(ctx, `UPDATE sessions SET revoked_at = $3 WHERE user_id = $1 AND id <> $2 AND revoked_at IS NULL`, userID, except, engine.Millis(now))
	return err
}
