package people_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/engine"
	"earshot/internal/store/people"
	"earshot/internal/store/storetest"
)

// fixture is a store with an organization.
type fixture struct {
	*people.Store
	t   *testing.T
	org string
	now time.Time
}

// onEach runs a test on each database.
func onEach(t *testing.T, test func(t *testing.T, f *fixture)) {
	t.Helper()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := storetest.Open(t, address)
		test(t, &fixture{people.New(s), t, storetest.Organization(t, s, 1, 100).ID, time.Now().Truncate(time.Millisecond)})
	})
}

// check fails the test if there is an error.
func (f *fixture) check(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// invitation returns an invitation that is not stored yet.
func (f *fixture) invitation(email string, role account.Role) *people.Invitation {
	id, secret := account.NewSecret(account.InvitationSecret)
	return &people.Invitation{
		ID: id, Hash: account.HashKey(secret), Organization: f.org, Email: email, Role: role, InvitedBy: "operator", CreatedAt: f.now, ExpiresAt: f.now.Add(time.Hour),
	}
}

// join adds a user with a password to an organization.
func (f *fixture) join(organization, email string, role account.Role) *account.User {
	f.t.Helper()
	i := f.invitation(email, role)
	i.Organization = organization
	f.check(f.Invite(i, account.Operator(), f.now))
	u, err := f.UserByEmail(f.t.Context(), email)
	if errors.Is(err, store.ErrNotFound) {
		u, err = &account.User{Email: email, Name: "Ana", Password: "old hash"}, nil
	}
	f.check(err)
	f.check(f.Accept(i, u, account.Actor{Kind: account.ActorUser}, f.now))
	return u
}

// signIn opens a session and returns its id.
func (f *fixture) signIn(u *account.User, replaces string) string {
	f.t.Helper()
	id, secret := account.NewSecret(account.SessionSecret)
	f.check(f.SignIn(&people.Session{
		ID: id, Hash: account.HashKey(secret), UserID: u.ID, Organization: f.org, Address: "192.0.2.1", Browser: "Firefox",
		CreatedAt: f.now, SeenAt: f.now, CheckedAt: f.now, ExpiresAt: f.now.Add(time.Hour),
	}, replaces, "session.signin", account.Actor{Kind: account.ActorUser, ID: u.ID}, f.now))
	return id
}

// isOpen reports whether a session is open.
func (f *fixture) isOpen(session string) bool {
	f.t.Helper()
	_, err := f.Open(f.t.Context(), session, f.now)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		f.t.Fatal(err)
	}
	return err == nil
}

// audited returns the actions in the audit log of an organization in their order.
func (f *fixture) audited(organization string) []string {
	f.t.Helper()
	actions, err := engine.FindValues[string](f.t.Context(), f.ShardOf(organization).Reports, `SELECT action FROM audit_log WHERE organization = $1 AND action <> 'organization.create' ORDER BY id`, organization)
	f.check(err)
	return actions
}

func TestInvitedPeopleJoin(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, f *fixture) {
		first := f.invitation("ana@example.com", account.RoleViewer)
		f.check(f.Invite(first, account.Operator(), f.now))
		again := f.invitation("ana@example.com", account.RoleEditor)
		f.check(f.Invite(again, account.Operator(), f.now))
		if _, err := f.Invitation(t.Context(), first.ID, f.now); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a replaced invitation: %v", err)
		}
		if _, err := f.Invitation(t.Context(), again.ID, again.ExpiresAt); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("an expired invitation: %v", err)
		}
		if list, err := f.Invitations(t.Context(), f.org, f.now); err != nil || len(list) != 1 || list[0].Role != account.RoleEditor {
			t.Errorf("invitations: %v, %v", list, err)
		}
		guest := account.Actor{Kind: account.ActorUser, Address: "192.0.2.1"}
		f.check(f.Accept(again, &account.User{Email: "ana@example.com", Name: "Ana", Password: "hash"}, guest, f.now))
		members, err := f.Members(t.Context(), f.org)
		if err != nil || len(members) != 1 || members[0].Email != "ana@example.com" || members[0].Name != "Ana" || members[0].Role != earshot.RoleEditor {
			t.Errorf("members: %v, %v", members, err)
		}
		if err := f.Accept(again, &account.User{ID: members[0].ID}, guest, f.now); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the invitation was accepted twice: %v", err)
		}
		other := f.invitation("ana@example.com", account.RoleAdmin)
		f.check(f.Invite(other, account.Operator(), f.now))
		if err := f.Accept(other, &account.User{Email: "ana@example.com"}, guest, f.now); !errors.Is(err, store.ErrChanged) {
			t.Errorf("a second user with the same email: %v", err)
		}
		f.check(f.RevokeInvitation(f.org, other.ID, account.Operator(), f.now))
		if err := f.Accept(other, &account.User{ID: members[0].ID}, guest, f.now); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a revoked invitation was accepted: %v", err)
		}
		want := []string{"user.invite", "user.invite", "user.join", "user.invite", "invitation.revoke"}
		if got := f.audited(f.org); !slices.Equal(got, want) {
			t.Errorf("audited %v, want %v", got, want)
		}
	})
}

func TestANewPasswordEndsOtherSessions(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, f *fixture) {
		second := storetest.Organization(t, f.Store.Store, 1, 100).ID
		u := f.join(f.org, "ana@example.com", account.RoleViewer)
		f.join(second, "ana@example.com", account.RoleAdmin)
		ben := f.join(f.org, "ben@example.com", account.RoleViewer)
		kept, ended, others := f.signIn(u, ""), f.signIn(u, ""), f.signIn(ben, "")
		f.check(f.SetPassword(t.Context(), u.ID, "new hash", kept, account.Operator(), f.now))
		if found, err := f.User(t.Context(), u.ID); err != nil || found.Password != "new hash" {
			t.Errorf("the user is %+v, %v", found, err)
		}
		if !f.isOpen(kept) || f.isOpen(ended) || !f.isOpen(others) {
			t.Errorf("open: the kept session %t, the ended session %t, another user's %t", f.isOpen(kept), f.isOpen(ended), f.isOpen(others))
		}
		for _, organization := range []string{f.org, second} {
			if got := f.audited(organization); got[len(got)-1] != "user.password" {
				t.Errorf("audited %v", got)
			}
		}
		if err := f.SetPassword(t.Context(), account.NewUserID(), "hash", "", account.Operator(), f.now); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("an unknown user: %v", err)
		}
	})
}

func TestAResetLinkSetsAPasswordOnce(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, f *fixture) {
		u := f.join(f.org, "ana@example.com", account.RoleEditor)
		session := f.signIn(u, "")
		reset := func() *people.Invitation {
			i := f.invitation("", "")
			f.check(f.ResetPassword(t.Context(), u, i, account.Operator(), f.now))
			found, err := f.Invitation(t.Context(), i.ID, f.now)
			f.check(err)
			return found
		}
		replaced, link := reset(), reset()
		if found, err := f.User(t.Context(), u.ID); err != nil || found.Password != "" || f.isOpen(session) {
			t.Errorf("after the reset: %+v, %v, open: %t", found, err, f.isOpen(session))
		}
		if !link.IsReset() || link.Email != u.Email || f.invitation("", "").IsReset() {
			t.Errorf("the link is %+v", link)
		}
		for name, list := range map[string]func() ([]*people.Invitation, error){
			"the organization": func() ([]*people.Invitation, error) { return f.Invitations(t.Context(), f.org, f.now) },
			"identities":       func() ([]*people.Invitation, error) { return f.InvitationsFor(t.Context(), u.Email, f.now) },
		} {
			if found, err := list(); err != nil || len(found) > 0 {
				t.Errorf("%s: the link is in the list: %v, %v", name, found, err)
			}
		}
		by := account.Actor{Kind: account.ActorUser, ID: u.ID}
		if err := f.AcceptReset(t.Context(), replaced, u.ID, "hash", by, f.now); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("an earlier link: %v", err)
		}
		f.check(f.AcceptReset(t.Context(), link, u.ID, "new hash", by, f.now))
		if err := f.AcceptReset(t.Context(), link, u.ID, "hash", by, f.now); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a link was used twice: %v", err)
		}
		if found, err := f.User(t.Context(), u.ID); err != nil || found.Password != "new hash" {
			t.Errorf("the user is %+v, %v", found, err)
		}
		want := []string{"user.invite", "user.join", "session.signin", "user.reset", "user.reset", "user.password"}
		if got := f.audited(f.org); !slices.Equal(got, want) {
			t.Errorf("audited %v, want %v", got, want)
		}
	})
}

func TestRolesOfUsersChange(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, f *fixture) {
		u := f.join(f.org, "ana@example.com", account.RoleViewer)
		session := f.signIn(u, "")
		f.check(f.ChangeRole(f.org, u.ID, account.RoleAdmin, account.Operator(), f.now))
		if open, err := f.Open(t.Context(), session, f.now); err != nil || open.Role != account.RoleAdmin || !slices.Contains(open.Scopes, account.ScopeAdmin) {
			t.Errorf("the session is %+v, %v", open, err)
		}
		f.check(f.RemoveMember(t.Context(), f.org, u.ID, account.Operator(), f.now))
		for name, err := range map[string]error{
			"change": f.ChangeRole(f.org, u.ID, account.RoleAdmin, account.Operator(), f.now),
			"remove": f.RemoveMember(t.Context(), f.org, u.ID, account.Operator(), f.now),
		} {
			if !errors.Is(err, store.ErrNotFound) {
				t.Errorf("%s a removed user: %v", name, err)
			}
		}
		u = f.join(f.org, "ana@example.com", account.RoleViewer)
		if f.isOpen(session) {
			t.Error("the session of a removed user is open again after a new invitation")
		}
		f.check(f.SetRole(f.org, u.ID, "google", account.RoleEditor, account.System(), f.now))
		member, err := f.Member(t.Context(), f.org, u.ID)
		if err != nil || member.Role != earshot.RoleEditor || !slices.Equal(member.Sources, []string{"google", people.Invited}) {
			t.Errorf("the highest role counts: %+v, %v", member, err)
		}
		f.check(f.SetRole(f.org, u.ID, people.Invited, "", account.System(), f.now))
		var conflict *earshot.Error
		if err := f.ChangeRole(f.org, u.ID, account.RoleAdmin, account.Operator(), f.now); !errors.As(err, &conflict) || conflict.Code != earshot.CodeConflict {
			t.Errorf("change a role from groups: %v", err)
		}
	})
}

func TestSessions(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, f *fixture) {
		u := f.join(f.org, "ana@example.com", account.RoleViewer)
		ben := f.join(f.org, "ben@example.com", account.RoleViewer)
		if known, err := f.HasSignedIn(t.Context(), u.ID, "192.0.2.1"); err != nil || known {
			t.Errorf("before a sign-in: %t, %v", known, err)
		}
		first := f.signIn(u, "")
		second := f.signIn(u, first)
		third := f.signIn(ben, "")
		if f.isOpen(first) || !f.isOpen(second) || !f.isOpen(third) {
			t.Errorf("open: %t, %t, %t; want the second and the third", f.isOpen(first), f.isOpen(second), f.isOpen(third))
		}
		if _, err := f.Open(t.Context(), second, f.now.Add(time.Hour)); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("an expired session: %v", err)
		}
		known, err := f.HasSignedIn(t.Context(), u.ID, "192.0.2.1")
		elsewhere, err2 := f.HasSignedIn(t.Context(), u.ID, "192.0.2.2")
		if err := errors.Join(err, err2); err != nil || !known || elsewhere {
			t.Errorf("known: %t, elsewhere: %t, %v", known, elsewhere, err)
		}
		list := func(userID string) (ids []string) {
			sessions, err := f.Sessions(t.Context(), f.org, userID, f.now)
			f.check(err)
			for _, s := range sessions {
				ids = append(ids, s.ID)
			}
			slices.Sort(ids)
			return ids
		}
		if all := list(""); len(all) != 2 || !slices.Equal(list(u.ID), []string{second}) {
			t.Errorf("listed %v, and of one user %v", all, list(u.ID))
		}
		if err := f.EndSession(f.org, third, u.ID, "session.revoke", account.Operator(), f.now); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("end the session of another user: %v", err)
		}
		f.check(f.EndSession(f.org, third, "", "session.revoke", account.Operator(), f.now))
		if f.isOpen(third) {
			t.Error("a session is open after its end")
		}
		if known, err := f.HasSignedIn(t.Context(), u.ID, "192.0.2.1"); err != nil || !known {
			t.Errorf("before the deletion of sessions: %t, %v", known, err)
		}
		f.check(f.Tidy(t.Context(), f.now.Add(91*24*time.Hour)))
		if known, err := f.HasSignedIn(t.Context(), u.ID, "192.0.2.1"); err != nil || known {
			t.Errorf("after the deletion of sessions: %t, %v", known, err)
		}
	})
}
