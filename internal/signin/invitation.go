package signin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/schema"
	"earshot/internal/store"
	"earshot/internal/store/people"
)

// InvitationLife is how long an invitation can be accepted.
const InvitationLife = 7 * 24 * time.Hour

// Invite invites a person to an organization. The link is sent by mail if mail is configured.
func (s *Service) Invite(ctx context.Context, organization, email string, role account.Role, by account.Actor) (*earshot.NewInvitation, error) {
	now := s.People.Now()
	id, secret := account.NewSecret(account.InvitationSecret)
	i := &people.Invitation{
		ID: id, Hash: account.HashKey(secret), Organization: organization, Email: email, Role: role, InvitedBy: by.Title(),
		CreatedAt: now, ExpiresAt: now.Add(InvitationLife),
	}
	if err := s.People.Invite(i, by, now); err != nil {
		return nil, err
	}
	made := &earshot.NewInvitation{Invitation: i.Shown(), URL: s.BaseURL + "/#/join/" + secret}
	if s.Mail == nil {
		return made, nil
	}
	o, err := s.Orgs.Organization(ctx, organization, now)
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("%s invites you to %s on Earshot, as %s.\n\nTo accept, open this link before %s:\n\n%s\n\nIf you do not know why you got this mail, ignore it.\n",
		i.InvitedBy, o.Name, role, i.ExpiresAt.UTC().Format("2 January 2006"), made.URL)
	if err := s.Mail(ctx, email, "Invitation to "+o.Name, text); err != nil {
		// The invitation is valid, and its link is in the response.
		s.Log.Warn("an invitation was not mailed", "invitation", id, "error", err)
		return made, nil
	}
	made.Mailed = true
	return made, nil
}

// Invitation returns the pending invitation with a token, and its user if there is one. It
// returns CodeNotFound.
func (s *Service) Invitation(ctx context.Context, token string) (*people.Invitation, *account.User, error) {
	missing := &earshot.Error{Code: earshot.CodeNotFound, Message: "this invitation is not valid: it was used or revoked, or has expired"}
	id, ok := account.SecretID(account.InvitationSecret, token)
	if !ok {
		return nil, nil, missing
	}
	i, err := s.People.Invitation(ctx, id, s.People.Now())
	if errors.Is(err, store.ErrNotFound) || err == nil && !account.KeyMatches(token, i.Hash) {
		return nil, nil, missing
	}
	if err != nil {
		return nil, nil, err
	}
	u, err := s.People.UserByEmail(ctx, i.Email)
	if errors.Is(err, store.ErrNotFound) {
		return i, &account.User{Email: i.Email}, nil
	}
	return i, u, err
}

// Accept accepts an invitation and signs in. A new user sets a password, and another user must give
// the current one: the link alone must not open an account that has a role in other organizations.
// Accept returns CodeNotFound, CodeConflict, CodeInvalidKey and slowdown.RefusedError.
func (s *Service) Accept(ctx context.Context, request *earshot.AcceptRequest, b *Browser) (secret string, err error) {
	if !s.allowsPasswords() {
		return "", errPasswordsOff()
	}
	i, u, err := s.Invitation(ctx, request.Token)
	if err != nil {
		return "", err
	}
	switch {
	case u.Password != "":
		if u, err = s.verified(ctx, u.Email, request.Password, b); err != nil {
			return "", err
		}
	case u.ID != "":
		return "", &earshot.Error{
			Code: earshot.CodeConflict, Message: "you have an account with an identity provider; sign in there to accept the invitation",
			Details: earshot.ConflictDetails{ID: i.ID},
		}
	default:
		if err := account.CheckPassword(request.Password, u.Email); err != nil {
			return "", schema.Invalid("password", "%v", err)
		}
		hash, err := s.passwords.Hash(ctx, request.Password)
		if err != nil {
			return "", err
		}
		u.Name, u.Password = request.Name, hash
	}
	if err := s.People.Accept(i, u, b.user(u), s.People.Now()); err != nil {
		return "", err
	}
	return s.open(ctx, u, b, people.Session{}, nil)
}
