package signin

import (
	"context"
	"errors"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/schema"
	"earshot/internal/store"
	"earshot/internal/store/people"
)

func (s *Service) allowsPasswords() bool { return s.Settings.Passwords == nil || *s.Settings.Passwords }

func errPasswordsOff() error {
	return &earshot.Error{Code: earshot.CodeNoPermission, Message: "sign-in with a password is turned off; use an identity provider", Details: earshot.ScopeDetails{}}
}

// Password signs in with an email and a password, and returns the secret for the cookie. The
// error is the same for an unknown user, a user without a password and a wrong password. Failed
// attempts slow down; Password then returns a slowdown.RefusedError.
func (s *Service) Password(ctx context.Context, email, password string, b *Browser) (secret string, err error) {
	if !s.allowsPasswords() {
		return "", errPasswordsOff()
	}
	u, err := s.verified(ctx, email, password, b)
	if err != nil {
		return "", err
	}
	return s.open(ctx, u, b, people.Session{}, nil)
}

// verified returns the user with an email and a password. It returns CodeInvalidKey and
// slowdown.RefusedError.
func (s *Service) verified(ctx context.Context, email, password string, b *Browser) (*account.User, error) {
	u := &account.User{Email: email}
	if address, err := account.ReadEmail(email); err == nil {
		found, err := s.People.UserByEmail(ctx, address)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		u.Email = address
		if err == nil {
			u = found
		}
	}
	known, err := s.People.HasSignedIn(ctx, u.ID, b.Address)
	if err != nil {
		return nil, err
	}
	attempt, err := s.slowdown.Begin(ctx, u.Email, b.Address, known)
	if err != nil {
		return nil, err
	}
	matches, err := s.passwords.Matches(ctx, u.Password, password)
	if err != nil {
		return nil, err
	}
	if !matches {
		s.Refused(ctx, u, b, "password")
		return nil, &earshot.Error{Code: earshot.CodeInvalidKey, Message: "the email or the password is wrong"}
	}
	attempt.Succeeded()
	return u, nil
}

// ChangePassword replaces the password of a signed-in user and ends all other sessions. It
// returns CodeInvalidKey if the current password is wrong.
func (s *Service) ChangePassword(ctx context.Context, p *account.Principal, change *earshot.PasswordChange, b *Browser, by account.Actor) error {
	if !s.allowsPasswords() {
		return errPasswordsOff()
	}
	if _, err := s.verified(ctx, p.KeyName, change.Current, b); err != nil {
		return err
	}
	hash, err := s.newPassword(ctx, "new", change.New, p.KeyName)
	if err != nil {
		return err
	}
	return s.People.SetPassword(ctx, p.UserID, hash, p.SessionID, by, s.People.Now())
}

// newPassword returns the hash of a password that a user with an email has chosen. An error names the
// field of the request.
func (s *Service) newPassword(ctx context.Context, field, password, email string) (string, error) {
	if err := account.CheckPassword(password, email); err != nil {
		return "", schema.Invalid(field, "%v", err)
	}
	return s.passwords.Hash(ctx, password)
}

// resetLife is how long a user can set a new password with the link of Reset.
const resetLife = 24 * time.Hour

// Reset deletes the password of a user, ends all sessions of the user, and returns the link with which the user
// sets a new password. Only the operator may reset a password, because a user may belong to
// several organizations. Reset returns ErrNotFound.
func (s *Service) Reset(ctx context.Context, email string, by account.Actor) (link string, err error) {
	if !s.allowsPasswords() {
		return "", errPasswordsOff()
	}
	u, err := s.People.UserByEmail(ctx, email)
	if err != nil {
		return "", err
	}
	now := s.People.Now()
	i, link := s.newInvitation(by, resetLife, now)
	return link, s.People.ResetPassword(ctx, u, i, by, now)
}
