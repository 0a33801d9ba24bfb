package people

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/engine"
)

// maxInvitations limits the pending invitations of an organization.
const maxInvitations = 500

// Invitation is an offer to join an organization.
type Invitation struct {
	ID           string
	Hash         []byte
	Organization string
	Email        string
	Role         account.Role
	InvitedBy    string
	CreatedAt    time.Time
	ExpiresAt    time.Time
	AcceptedAt   time.Time
	RevokedAt    time.Time
}

var (
	invitationsTable = engine.NewTable("invitations",
		engine.TextField("id", func(i *Invitation) *string { return &i.ID }),
		engine.Field("hash", "bytea", func(i *Invitation) *[]byte { return &i.Hash }),
		engine.Field("organization", "uuid", func(i *Invitation) *string { return &i.Organization }),
		engine.TextField("email", func(i *Invitation) *string { return &i.Email }),
		engine.TextField("role", func(i *Invitation) *account.Role { return &i.Role }),
		engine.TextField("invited_by", func(i *Invitation) *string { return &i.InvitedBy }),
		engine.TimeField("created_at", func(i *Invitation) *time.Time { return &i.CreatedAt }),
		engine.TimeField("expires_at", func(i *Invitation) *time.Time { return &i.ExpiresAt }),
		engine.TimeField("accepted_at", func(i *Invitation) *time.Time { return &i.AcceptedAt }),
		engine.TimeField("revoked_at", func(i *Invitation) *time.Time { return &i.RevokedAt }))
	insertInvitations = invitationsTable.Insert("")
)

// noOrganization is the organization of an invitation to set a new password; see ResetPassword.
var noOrganization = uuid.Nil.String()

// IsReset reports whether the invitation is to set a new password.
func (i *Invitation) IsReset() bool { return i.Organization == noOrganization }

// isPending is the condition that an invitation can be accepted at $2.
const isPending = `accepted_at IS NULL AND revoked_at IS NULL AND expires_at > $2`

// Shown returns the invitation in the form that its organization sees.
func (i *Invitation) Shown() earshot.Invitation {
	return earshot.Invitation{
		ID: i.ID, Email: i.Email, Role: earshot.Role(i.Role), InvitedBy: i.InvitedBy,
		CreatedAt: earshot.Timestamp{Time: i.CreatedAt}, ExpiresAt: earshot.Timestamp{Time: i.ExpiresAt},
	}
}

type auditedInvitation struct {
	Email string       `json:"email"`
	Role  account.Role `json:"role"`
}

// Invite stores an invitation. An earlier invitation of the same person to the organization is
// revoked. Invite returns CodeConflict if there are too many invitations.
func (s *Store) Invite(i *Invitation, by account.Actor, now time.Time) error {
	err := s.change(i.Organization, by, now, func(ctx context.Context, w *store.Work) (*store.Audited, error) {
		if err := w.KeepAnswer(ctx, by.Once, now); err != nil {
			return nil, err
		}
		pending, err := engine.FindValues[int](ctx, w, `SELECT COUNT(*) FROM invitations WHERE organization = $1 AND `+isPending, i.Organization, engine.Millis(now))
		if err != nil {
			return nil, err
		}
		if pending[0] >= maxInvitations {
			return nil, &earshot.Error{
				Code: earshot.CodeConflict, Message: fmt.Sprintf("an organization may have at most %d pending invitations; revoke one first", maxInvitations),
				Details: earshot.ConflictDetails{ID: i.Email},
			}
		}
		if err := revokeInvitations(ctx, w, i.Organization, i.Email, now); err != nil {
			return nil, err
		}
		return &store.Audited{Action: "user.invite", Subject: i.ID, After: auditedInvitation{i.Email, i.Role}}, engine.Each(ctx, w.Tx, insertInvitations, []*Invitation{i}, nil)
	})
	return engine.Wrap(err, "invite")
}

// revokeInvitations revokes the pending invitations of a person to an organization.
func revokeInvitations(ctx context.Context, w *store.Work, organization, email string, now time.Time) error {
	_, err := w.Run(ctx, `UPDATE invitations SET revoked_at = $2 WHERE organization = $1 AND email = $3 AND `+isPending, organization, engine.Millis(now), email)
	return err
}

// Invitations lists the pending invitations of an organization, newest first.
func (s *Store) Invitations(ctx context.Context, organization string, now time.Time) ([]*Invitation, error) {
	found, err := engine.FindRows(ctx, s.Reports, invitationsTable, `WHERE organization = $1 AND `+isPending+` ORDER BY created_at DESC, id`, organization, engine.Millis(now))
	return found, engine.Wrap(err, "list invitations")
}

// Invitation returns a pending invitation. It returns ErrNotFound.
func (s *Store) Invitation(ctx context.Context, id string, now time.Time) (*Invitation, error) {
	found, err := engine.FirstRow(ctx, s.Lookups, invitationsTable, `WHERE id = $1 AND `+isPending, id, engine.Millis(now))
	return found, engine.Wrap(err, "invitation")
}

// InvitationsFor returns the pending invitations of a person to organizations.
func (s *Store) InvitationsFor(ctx context.Context, email string, now time.Time) ([]*Invitation, error) {
	found, err := engine.FindRows(ctx, s.Lookups, invitationsTable, `WHERE email = $1 AND organization <> $3 AND `+isPending, email, engine.Millis(now), noOrganization)
	return found, engine.Wrap(err, "invitations")
}

// RevokeInvitation revokes a pending invitation. It returns ErrNotFound.
func (s *Store) RevokeInvitation(organization, id string, by account.Actor, now time.Time) error {
	err := s.change(organization, by, now, func(ctx context.Context, w *store.Work) (*store.Audited, error) {
		had, err := engine.FirstRow(ctx, w, invitationsTable, `WHERE organization = $1 AND id = $3 AND `+isPending, organization, engine.Millis(now), id)
		if err != nil {
			return nil, err
		}
		_, err = w.Run(ctx, `UPDATE invitations SET revoked_at = $2 WHERE id = $1`, id, engine.Millis(now))
		return &store.Audited{Action: "invitation.revoke", Subject: id, Before: auditedInvitation{had.Email, had.Role}}, err
	})
	return engine.Wrap(err, "revoke invitation %s", id)
}

// acceptInvitation marks a pending invitation as accepted. It returns ErrNotFound.
func acceptInvitation(ctx context.Context, w *store.Work, id string, now time.Time) error {
	n, err := w.Run(ctx, `UPDATE invitations SET accepted_at = $2 WHERE id = $1 AND `+isPending, id, engine.Millis(now))
	if err == nil && n == 0 {
		err = store.ErrNotFound
	}
	return err
}

// Accept adds a user to the organization of an invitation. A user without an id is created. Accept
// returns ErrNotFound if the invitation was used or revoked meanwhile, and ErrChanged if somebody else
// has created a user with the email address.
func (s *Store) Accept(i *Invitation, u *account.User, by account.Actor, now time.Time) error {
	created := u.ID == ""
	if created {
		u.ID = account.NewUserID()
	}
	by.ID, by.Name = u.ID, u.Email
	err := s.change(i.Organization, by, now, func(ctx context.Context, w *store.Work) (*store.Audited, error) {
		if created {
			_, err := findUser(ctx, w, `WHERE email = $1`, u.Email)
			if err == nil {
				return nil, store.ErrChanged
			}
			if !errors.Is(err, store.ErrNotFound) {
				return nil, err
			}
			if err := insertUser(ctx, w.Tx, u, now); err != nil {
				return nil, err
			}
		}
		if err := acceptInvitation(ctx, w, i.ID, now); err != nil {
			return nil, err
		}
		return setRole(ctx, w, &member{i.Organization, u.ID, Invited, i.Role, now})
	})
	return engine.Wrap(err, "accept invitation %s", i.ID)
}
