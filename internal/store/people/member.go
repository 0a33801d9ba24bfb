package people

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/engine"
)

// Invited is the source of a role that an invitation gave. Other sources are the names of
// identity providers.
const Invited = "invitation"

// member is a row of members: a role and where it comes from.
type member struct {
	organization string
	userID       string
	source       string
	role         account.Role
	createdAt    time.Time
}

var (
	membersTable = engine.NewTable("members",
		engine.Field("organization", "uuid", func(m *member) *string { return &m.organization }),
		engine.TextField("user_id", func(m *member) *string { return &m.userID }),
		engine.TextField("source", func(m *member) *string { return &m.source }),
		engine.TextField("role", func(m *member) *account.Role { return &m.role }),
		engine.TimeField("created_at", func(m *member) *time.Time { return &m.createdAt }))
	upsertMembers = membersTable.Insert(`ON CONFLICT (organization, user_id, source) DO UPDATE SET role = excluded.role`)
)

// Membership is the role of a user in an organization.
type Membership struct {
	Organization string // id
	Name         string // of the organization
	Role         account.Role
}

// Memberships returns the organizations of a user, by name.
func (s *Store) Memberships(ctx context.Context, userID string) ([]Membership, error) {
	byID := map[string]Membership{}
	err := s.Lookups.Find(ctx, func(r engine.Scanner) error {
		var m Membership
		var role string
		if err := r.Scan(&m.Organization, &m.Name, &role); err != nil {
			return err
		}
		m.Role = account.Role(role).Higher(byID[m.Organization].Role)
		byID[m.Organization] = m
		return nil
	}, `SELECT o.id, o.name, m.role FROM members m JOIN organizations o ON o.id = m.organization WHERE m.user_id = $1`, userID)
	return slices.SortedFunc(maps.Values(byID), func(a, b Membership) int { return cmp.Compare(a.Name, b.Name) }), engine.Wrap(err, "memberships of user %s", userID)
}

// Members lists the users of an organization by email.
func (s *Store) Members(ctx context.Context, organization string) ([]*earshot.User, error) {
	byID, roles := map[string]*earshot.User{}, map[string][]string{}
	err := s.Reports.Find(ctx, func(r engine.Scanner) error {
		var id, email, name, source, role string
		var since int64
		var seen *int64
		if err := r.Scan(&id, &email, &name, &source, &role, &since, &seen); err != nil {
			return err
		}
		u := byID[id]
		if u == nil {
			u = &earshot.User{ID: id, Email: email, Name: name, JoinedAt: earshot.At(since)}
			byID[id] = u
			if seen != nil {
				u.LastSeenAt = new(earshot.At(*seen))
			}
		}
		u.Sources, roles[id] = append(u.Sources, source), append(roles[id], source, role)
		u.Role = earshot.Role(account.Role(role).Higher(account.Role(u.Role)))
		return nil
	}, `SELECT u.id, u.email, u.name, m.source, m.role, m.created_at,
			(SELECT MAX(s.seen_at) FROM sessions s WHERE s.user_id = u.id AND s.organization = m.organization)
		FROM members m JOIN users u ON u.id = m.user_id WHERE m.organization = $1 ORDER BY u.email, m.source`, organization)
	for id, u := range byID {
		u.ETag = store.Tag(id, roles[id])
	}
	return slices.SortedFunc(maps.Values(byID), func(a, b *earshot.User) int { return cmp.Compare(a.Email, b.Email) }), engine.Wrap(err, "list users")
}

// Member returns a user of an organization. It returns ErrNotFound.
func (s *Store) Member(ctx context.Context, organization, userID string) (*earshot.User, error) {
	all, err := s.Members(ctx, organization)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(all, func(u *earshot.User) bool { return u.ID == userID }); i >= 0 {
		return all[i], nil
	}
	return nil, fmt.Errorf("user %s: %w", userID, store.ErrNotFound)
}

// auditedRole is a role in the audit log.
type auditedRole struct {
	Role   account.Role `json:"role"`
	Source string       `json:"source"`
}

// SetRole stores the role of a user from a source, or removes it if role is "".
func (s *Store) SetRole(organization, userID, source string, role account.Role, by account.Actor, now time.Time) error {
	err := s.change(organization, by, now, func(ctx context.Context, w *store.Work) (*store.Audited, error) {
		return setRole(ctx, w, &member{organization, userID, source, role, now})
	})
	return engine.Wrap(err, "set the role of user %s", userID)
}

func setRole(ctx context.Context, w *store.Work, m *member) (*store.Audited, error) {
	const this = `WHERE organization = $1 AND user_id = $2 AND source = $3`
	had, err := engine.FindRows(ctx, w, membersTable, this, m.organization, m.userID, m.source)
	switch {
	case err != nil, len(had) == 0 && m.role == "", len(had) > 0 && had[0].role == m.role:
		return nil, err
	case m.role == "":
		_, err = w.Run(ctx, `DELETE FROM members `+this, m.organization, m.userID, m.source)
		return &store.Audited{Action: "user.remove", Subject: m.userID, Before: auditedRole{had[0].role, m.source}}, err
	}
	what := &store.Audited{Action: "user.join", Subject: m.userID, After: auditedRole{m.role, m.source}}
	if len(had) > 0 {
		what.Action, what.Before = "user.role", auditedRole{had[0].role, m.source}
	}
	return what, engine.Each(ctx, w.Tx, upsertMembers, []*member{m}, nil)
}

// rolesOf returns the roles of a user who is about to be changed. It returns ErrNotFound, and
// CodePrecondition if the actor expects another version.
func rolesOf(ctx context.Context, w *store.Work, organization, userID string, by account.Actor) ([]*member, error) {
	had, err := engine.FindRows(ctx, w, membersTable, `WHERE organization = $1 AND user_id = $2 ORDER BY source`, organization, userID)
	if err == nil && len(had) == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	var roles []string
	for _, m := range had {
		roles = append(roles, m.source, string(m.role))
	}
	return had, store.Expect(by, store.Tag(userID, roles))
}

// ChangeRole changes the role that an invitation has given to a user; "" keeps it. It returns ErrNotFound, and
// CodeConflict if the user's role comes from an identity provider only.
func (s *Store) ChangeRole(organization, userID string, role account.Role, by account.Actor, now time.Time) error {
	err := s.change(organization, by, now, func(ctx context.Context, w *store.Work) (*store.Audited, error) {
		had, err := rolesOf(ctx, w, organization, userID, by)
		if err != nil || role == "" {
			return nil, err
		}
		var sources []string
		for _, m := range had {
			sources = append(sources, m.source)
		}
		if !slices.Contains(sources, Invited) {
			return nil, &earshot.Error{
				Code:    earshot.CodeConflict,
				Message: fmt.Sprintf("the role comes from the groups of the identity provider %q and can be changed only there", sources[0]),
				Details: earshot.ConflictDetails{ID: userID},
			}
		}
		return setRole(ctx, w, &member{organization, userID, Invited, role, now})
	})
	return engine.Wrap(err, "change the role of user %s", userID)
}

// OrganizationsFrom returns the ids of the organizations in which a user has a role from a source.
func (s *Store) OrganizationsFrom(ctx context.Context, userID, source string) ([]string, error) {
	ids, err := engine.FindValues[string](ctx, s.Lookups, `SELECT organization FROM members WHERE user_id = $1 AND source = $2`, userID, source)
	return ids, engine.Wrap(err, "roles of user %s", userID)
}
