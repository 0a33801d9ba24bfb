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
// ErrNotFound for an unknown identity without an email address, and ErrChanged if the identity or the
// address was used by another sign-in meanwhile.
func (s *Store) UserOf(ctx context.Context, id Identity, by account.Actor, now time.Time) (*account.User, error) {
	const linked = `WHERE id = (SELECT user_id FROM identities WHERE issuer = $1 AND subject = $2)`
	whose, err := findUser(ctx, s.Lookups, linked, id.Issuer, id.Subject)
	if !errors.Is(err, store.ErrNotFound) || id.Email == "" {
		return whose, err
	}
	whose, err = s.UserByEmail(ctx, id.Email)
	created := errors.Is(err, store.ErrNotFound)
	if created {
		whose, err = &account.User{ID: account.NewUserID(), Email: id.Email, Name: id.Name}, nil
	}
	if err != nil {
		return nil, err
	}
	by.ID = whose.ID
	err = s.changeUser(ctx, whose.ID, by, now, func(ctx context.Context, w *store.Work) ([]store.Audited, error) {
		others, err := engine.FindRows(ctx, w, usersTable, linked+` OR email = $3`, id.Issuer, id.Subject, id.Email)
		if err != nil {
			return nil, err
		}
		audited := []store.Audited{{Action: "identity.link", Subject: whose.ID, After: map[string]string{"issuer": id.Issuer}}}
		switch {
		case created && len(others) == 0:
			err = insertUser(ctx, w.Tx, whose, now)
		case created || len(others) != 1 || others[0].ID != whose.ID:
			return nil, store.ErrChanged
		case others[0].Password != "":
			whose.Password = ""
			audited = append(audited, store.Audited{Action: "password.remove", Subject: whose.ID})
			err = storePassword(ctx, w, whose.ID, "", "", now)
		}
		if err != nil {
			return nil, err
		}
		return audited, engine.Each(ctx, w.Tx, insertIdentities, []*identity{{id.Issuer, id.Subject, whose.ID, now}}, nil)
	})
	return whose, engine.Wrap(err, "link an identity")
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

func (s *Store) setPassword(ctx context.Context, userID, action string, by account.Actor, now time.Time, set func(context.Context, *store.Work) error) error {
	err := s.changeUser(ctx, userID, by, now, func(ctx context.Context, w *store.Work) ([]store.Audited, error) {
		return []store.Audited{{Action: action, Subject: userID}}, set(ctx, w)
	})
	return engine.Wrap(err, "set the password of user %s", userID)
}

// changeUser calls change in a transaction, and adds the entries that it returns to the audit log of
// each organization of the user, or of no organization if there is none.
func (s *Store) changeUser(ctx context.Context, userID string, by account.Actor, now time.Time, change func(context.Context, *store.Work) ([]store.Audited, error)) error {
	memberships, err := s.Memberships(ctx, userID)
	if err != nil {
		return err
	}
	if len(memberships) == 0 {
		memberships = []Membership{{Organization: noOrganization}}
	}
	var audited []store.Audited
	for i, m := range memberships {
		err := s.Commit(store.Change{Organization: m.Organization, Across: true, Apply: func(ctx context.Context, w *store.Work) (err error) {
			if i == 0 {
				if audited, err = change(ctx, w); err != nil {
					return err
				}
			}
			for _, what := range audited {
				err = errors.Join(err, w.Audit(m.Organization, by, what, now))
			}
			return err
		}})
		if err != nil {
			return err
		}
	}
	return nil
}

func storePassword(ctx context.Context, w *store.Work, userID, hash, except string, now time.Time) error {
	n, err := w.Run(ctx, `UPDATE users SET password = $2 WHERE id = $1`, userID, hash)
	if err == nil && n == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return err
	}
	_, err = w.Run(ctx, `UPDATE sessions SET revoked_at = $3 WHERE user_id = $1 AND id <> $2 AND revoked_at IS NULL`, userID, except, engine.Millis(now))
	return err
}
