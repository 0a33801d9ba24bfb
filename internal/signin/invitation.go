package signin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/people"
)

// InvitationLife is how long an invitation can be accepted.
const InvitationLife = 7 * 24 * time.Hour

// Invite invites a person to an organization. The link is sent by mail if mail is configured.
func (s *Service) Invite(ctx context.Context, organization, email string, role account.Role, by account.Actor) (*earshot.NewInvitation, error) {
	now := s.People.Now()
	i, link := s.newInvitation(by, InvitationLife, now)
	i.Organization, i.Email, i.Role = organization, email, role
	made := &earshot.NewInvitation{Invitation: i.Shown(), URL: link}
	by.Once.Answers(made)
	if err := s.People.Invite(i, by, now); err != nil {
		return nil, err
	}
	if s.Mail == nil {
		return made, nil
	}
	o, err := s.Orgs.Organization(ctx, organization, now)
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("You are invited to join %s on Earshot, with the role %s.\nInvited by: %s\n\nTo accept, open this link before %s:\n\n%s\n\nIf you do not know why you got this mail, ignore it.\n",
		o.Name, role, i.InvitedBy, i.ExpiresAt.UTC().Format("2 January 2006"), made.URL)
	if err := s.Mail(ctx, email, "Invitation to "+o.Name, text); err != nil {
		// The invitation is valid, and its link is in the response.
		s.Log.Warn("an invitation was not mailed", "invitation", i.ID, "error", err)
		return made, nil
	}
	made.Mailed = true
	if by.Once != nil {
		by.Once.Stored = false // the response has changed
	}
	return made, nil
}

// newInvitation returns an invitation that is not stored yet, and its link.
func (s *Service) newInvitation(by account.Actor, life time.Duration, now time.Time) (i *people.Invitation, link string) {
	id, secret := account.NewSecret(account.InvitationSecret)
	i = &people.Invitation{ID: id, Hash: account.HashKey(secret), InvitedBy: by.Title(), CreatedAt: now, ExpiresAt: now.Add(life)}
	return i, s.BaseURL + "/#/join/" + secret
}

// Opened returns the invitation with a token in the form that the invited person sees. It
// returns CodeNotFound.
func (s *Service) Opened(ctx context.Context, token string) (*earshot.OpenedInvitation, error) {
	i, u, err := s.invitation(ctx, token)
	if err != nil {
		return nil, err
	}
	opened := &earshot.OpenedInvitation{Reset: i.IsReset(), Email: i.Email, Role: earshot.Role(i.Role), HasPassword: u.Password != ""}
	if opened.Reset {
		memberships, err := s.People.Memberships(ctx, u.ID)
		if len(memberships) > 0 {
			opened.Organization, opened.Role = memberships[0].Name, earshot.Role(memberships[0].Role)
		}
		return opened, err
	}
	o, err := s.Orgs.Organization(ctx, i.Organization, s.People.Now())
	if err != nil {
		return nil, err
	}
	opened.Organization, opened.UsesProvider = o.Name, u.ID != "" && u.Password == ""
	return opened, nil
}

// invitation returns the pending invitation with a token, and its user if there is one. It
// returns CodeNotFound.
func (s *Service) invitation(ctx context.Context, token string) (*people.Invitation, *account.User, error) {
	id, ok := account.SecretID(account.InvitationSecret, token)
	if !ok {
		return nil, nil, errNoInvitation("")
	}
	i, err := s.People.Invitation(ctx, id, s.People.Now())
	if errors.Is(err, store.ErrNotFound) || err == nil && !account.KeyMatches(token, i.Hash) {
		return nil, nil, errNoInvitation(id)
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

func errNoInvitation(id string) error {
	return &earshot.Error{
		Code: earshot.CodeNotFound, Message: "this invitation is not valid: it was used or revoked, or has expired", Details: earshot.ResourceDetails{ID: id},
	}
}

// Accept accepts an invitation and signs in. A new user sets a password, and another user must give
// the current one: the link alone must not open an account that has a role in other organizations.
// Only the link of Reset sets the password of a user who exists. Accept returns CodeNotFound,
// CodeConflict, CodeInvalidKey and slowdown.RefusedError.
func (s *Service) Accept(ctx context.Context, request *earshot.AcceptRequest, b *Browser) (secret string, err error) {
	if !s.allowsPasswords() {
		return "", errPasswordsOff()
	}
	i, u, err := s.invitation(ctx, request.Token)
	if err != nil {
		return "", err
	}
	switch {
	case i.IsReset():
		hash, err := s.newPassword(ctx, "password", request.Password, u.Email)
		if err != nil {
			return "", err
		}
		if err := s.People.AcceptReset(ctx, i, u.ID, hash, b.user(u), s.People.Now()); err != nil {
			return "", usedMeanwhile(err, i.ID)
		}
		return s.open(ctx, u, b, people.Session{}, nil)
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
		u.Name = request.Name
		if u.Password, err = s.newPassword(ctx, "password", request.Password, u.Email); err != nil {
			return "", err
		}
	}
	if err := s.People.Accept(i, u, b.user(u), s.People.Now()); err != nil {
		return "", usedMeanwhile(err, i.ID)
	}
	return s.open(ctx, u, b, people.Session{Organization: i.Organization}, nil)
}

// usedMeanwhile replaces the errors for an invitation that was accepted or revoked by another request.
func usedMeanwhile(err error, id string) error {
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrChanged) {
		return errNoInvitation(id)
	}
	return err
}
