package signin_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/people"
	"earshot/internal/store/storetest"
)

// accept accepts an invitation with a password.
func (f *fixture) accept(token, password string) (secret string, err error) {
	return f.Accept(f.t.Context(), &earshot.AcceptRequest{Token: token, Name: "Ana", Password: password}, browser())
}

// opened returns the invitation that a person sees.
func (f *fixture) opened(token string) earshot.OpenedInvitation {
	f.t.Helper()
	opened, err := f.Opened(f.t.Context(), token)
	if err != nil {
		f.t.Fatal(err)
	}
	return *opened
}

func TestANewUserJoinsWithAPassword(t *testing.T) {
	t.Parallel()
	onEach(t, nil, func(t *testing.T, f *fixture) {
		token := f.invite(f.org.ID, email, account.RoleEditor)
		if got, want := f.opened(token), (earshot.OpenedInvitation{Organization: f.org.Name, Email: email, Role: earshot.RoleEditor}); got != want {
			t.Errorf("the invitation is %+v, want %+v", got, want)
		}
		_, err := f.accept(token, "short")
		wantCode(t, "a short password", err, earshot.CodeValidation)
		_, err = f.accept(token, strings.ToUpper(email))
		wantCode(t, "the email as password", err, earshot.CodeValidation)
		secret, err := f.accept(token, password)
		if err != nil {
			t.Fatal(err)
		}
		if session := f.open(secret); session == nil || session.Role != account.RoleEditor || session.KeyName != email {
			t.Errorf("the session is %+v", session)
		}
		_, err = f.accept(token, password)
		wantCode(t, "a used invitation", err, earshot.CodeNotFound)
		for name, token := range map[string]string{
			"no token": "", "another token": tokenOf("/" + strings.ToLower(token)), "a session": secret,
			"an invitation that does not exist": func() string { _, text := account.NewSecret(account.InvitationSecret); return text }(),
		} {
			_, err = f.accept(token, password)
			wantCode(t, name, err, earshot.CodeNotFound)
			_, err = f.Opened(t.Context(), token)
			wantCode(t, name, err, earshot.CodeNotFound)
		}
	})
}

// The link alone does not open an account: the admin of another organization sees the link, too.
func TestAnExistingUserJoinsWithTheCurrentPassword(t *testing.T) {
	t.Parallel()
	onEach(t, nil, func(t *testing.T, f *fixture) {
		f.join(email, password)
		other := storetest.Organization(t, f.People.Store, 1, 100)
		token := f.invite(other.ID, email, account.RoleAdmin)
		if got := f.opened(token); !got.HasPassword || got.UsesProvider {
			t.Errorf("the invitation is %+v", got)
		}
		_, err := f.accept(token, "staple battery horse")
		wantCode(t, "another password", err, earshot.CodeInvalidKey)
		if _, err := f.accept(token, password); err != nil {
			t.Fatal(err)
		}
		u, err := f.People.UserByEmail(t.Context(), email)
		if err != nil {
			t.Fatal(err)
		}
		if memberships, err := f.People.Memberships(t.Context(), u.ID); err != nil || len(memberships) != 2 {
			t.Errorf("memberships: %+v, %v", memberships, err)
		}
	})
}

func TestAUserOfAnIdentityProviderCannotSetAPassword(t *testing.T) {
	t.Parallel()
	onEach(t, nil, func(t *testing.T, f *fixture) {
		if _, err := f.People.UserOf(t.Context(), people.Identity{Issuer: "https://idp.test", Subject: "1", Email: email}, account.System(), f.People.Now()); err != nil {
			t.Fatal(err)
		}
		token := f.invite(f.org.ID, email, account.RoleAdmin)
		if got := f.opened(token); got.HasPassword || !got.UsesProvider {
			t.Errorf("the invitation is %+v", got)
		}
		_, err := f.accept(token, password)
		wantCode(t, "accept", err, earshot.CodeConflict)
	})
}

func TestAResetPasswordIsSetWithTheLink(t *testing.T) {
	t.Parallel()
	onEach(t, nil, func(t *testing.T, f *fixture) {
		session := f.join(email, password)
		link, err := f.Reset(t.Context(), email, account.Operator())
		if err != nil {
			t.Fatal(err)
		}
		token := tokenOf(link)
		if !strings.HasPrefix(link, "https://earshot.test/#/join/ear_inv_") || f.open(session) != nil {
			t.Errorf("the link is %s; the session is open: %t", link, f.open(session) != nil)
		}
		_, err = f.Password(t.Context(), email, password, browser())
		wantCode(t, "the old password", err, earshot.CodeInvalidKey)
		if got, want := f.opened(token), (earshot.OpenedInvitation{Organization: f.org.Name, Reset: true, Email: email, Role: earshot.RoleEditor}); got != want {
			t.Errorf("the link shows %+v, want %+v", got, want)
		}
		_, err = f.accept(token, "short")
		wantCode(t, "a short password", err, earshot.CodeValidation)
		secret, err := f.accept(token, "staple battery horse")
		if err != nil || f.open(secret) == nil {
			t.Fatalf("after the reset: %v", err)
		}
		if _, err := f.Password(t.Context(), email, "staple battery horse", browser()); err != nil {
			t.Errorf("the new password: %v", err)
		}
		_, err = f.accept(token, password)
		wantCode(t, "the link again", err, earshot.CodeNotFound)
		if _, err := f.Reset(t.Context(), "nobody@example.com", account.Operator()); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("reset an unknown user: %v", err)
		}
	})
}

func TestInvitationsAreMailed(t *testing.T) {
	t.Parallel()
	onEach(t, nil, func(t *testing.T, f *fixture) {
		var to, subject, text string
		var failure error
		f.Mail = func(_ context.Context, receiver, about, body string) error {
			to, subject, text = receiver, about, body
			return failure
		}
		by := account.Actor{Kind: account.ActorUser, Name: "ben@example.com"}
		made, err := f.Invite(t.Context(), f.org.ID, email, account.RoleViewer, by)
		if err != nil || !made.Mailed || made.Invitation.InvitedBy != "ben@example.com" {
			t.Errorf("the invitation is %+v, %v", made, err)
		}
		if to != email || subject != "Invitation to "+f.org.Name || !strings.Contains(text, "\n"+made.URL+"\n") || !strings.Contains(text, "Invited by: ben@example.com\n") {
			t.Errorf("to %s: %s\n%s", to, subject, text)
		}
		failure = errors.New("no connection")
		if made, err := f.Invite(t.Context(), f.org.ID, email, account.RoleViewer, by); err != nil || made.Mailed || made.URL == "" {
			t.Errorf("without a mail: %+v, %v", made, err)
		}
	})
}
