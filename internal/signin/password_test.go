package signin_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/limits/slowdown"
	"earshot/internal/signin"
	"earshot/internal/store"
	"earshot/internal/store/engine"
	"earshot/internal/store/orgs"
	"earshot/internal/store/people"
	"earshot/internal/store/storetest"
)

const (
	email    = "ana@example.com"
	password = "correct horse battery"
)

// fixture is a service with an organization.
type fixture struct {
	*signin.Service
	t   *testing.T
	org *account.Organization
}

// onEach runs a test on each database. change may be nil.
func onEach(t *testing.T, change func(*signin.Config), test func(t *testing.T, f *fixture)) {
	t.Helper()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := storetest.Open(t, address)
		cfg := signin.Config{People: people.New(s), Orgs: orgs.New(s), BaseURL: "https://earshot.test", Log: slog.New(slog.DiscardHandler)}
		if change != nil {
			change(&cfg)
		}
		service, err := signin.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		test(t, &fixture{service, t, storetest.Organization(t, s, 1, 100)})
	})
}

// tokenOf returns the token in a link.
func tokenOf(link string) string { return link[strings.LastIndex(link, "/")+1:] }

// invite invites a person to an organization and returns the token.
func (f *fixture) invite(organization, address string, role account.Role) string {
	f.t.Helper()
	made, err := f.Invite(f.t.Context(), organization, address, role, account.Operator())
	if err != nil {
		f.t.Fatal(err)
	}
	return tokenOf(made.URL)
}

// join adds a user with a password to the organization and returns the secret of the session.
func (f *fixture) join(address, password string) string {
	f.t.Helper()
	secret, err := f.Accept(f.t.Context(), &earshot.AcceptRequest{Token: f.invite(f.org.ID, address, account.RoleEditor), Password: password}, browser())
	if err != nil {
		f.t.Fatal(err)
	}
	return secret
}

func browser() *signin.Browser {
	return &signin.Browser{Address: "192.0.2.1", UserAgent: "Firefox", Request: "r1"}
}

// open returns an open session, or nil.
func (f *fixture) open(secret string) *people.OpenSession {
	f.t.Helper()
	id, ok := account.SecretID(account.SessionSecret, secret)
	if !ok {
		f.t.Fatalf("%q is not a session", secret)
	}
	session, err := f.People.Open(f.t.Context(), id, f.People.Now())
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		f.t.Fatal(err)
	}
	return session
}

// audited returns the entries of the audit log of an organization with an action, as
// "actor kind, actor name, address, after".
func (f *fixture) audited(organization, action string) []string {
	f.t.Helper()
	found, err := engine.FindValues[string](f.t.Context(), f.People.ShardOf(organization).Reports,
		`SELECT actor_kind || ', ' || actor_name || ', ' || address || ', ' || COALESCE(after, '') FROM audit_log WHERE organization = $1 AND action = $2 ORDER BY id`, organization, action)
	if err != nil {
		f.t.Fatal(err)
	}
	return found
}

// wantCode fails the test unless an error has a code.
func wantCode(t *testing.T, what string, err error, code earshot.Code) {
	t.Helper()
	if earshot.ErrorCode(err) != code {
		t.Errorf("%s: %v, want %s", what, err, code)
	}
}

func TestSignInWithAPassword(t *testing.T) {
	t.Parallel()
	onEach(t, nil, func(t *testing.T, f *fixture) {
		f.join(email, password)
		secret, err := f.Password(t.Context(), "Ana@Example.com", password, browser())
		if err != nil {
			t.Fatal(err)
		}
		session := f.open(secret)
		if session == nil || session.KeyName != email || session.Role != account.RoleEditor || session.OrganizationID != f.org.ID || session.Session.Address != "192.0.2.1" {
			t.Errorf("the session is %+v", session)
		}
		// The browser had a session, which ends.
		b := browser()
		b.Session = session.SessionID
		if _, err := f.Password(t.Context(), email, password, b); err != nil || f.open(secret) != nil {
			t.Errorf("after another sign-in of the browser: %v, open: %t", err, f.open(secret) != nil)
		}
		if got := f.audited(f.org.ID, "session.signin"); len(got) != 3 || got[2] != `user, , 192.0.2.1, {"via":"password"}` {
			t.Errorf("audited %q", got)
		}
	})
}

// A refused sign-in does not reveal whether the user exists: the error is the same, and so is the
// work. Counting the work is more reliable than measuring its time.
func TestRefusedSignInsAreAlike(t *testing.T) {
	t.Parallel()
	onEach(t, nil, func(t *testing.T, f *fixture) {
		f.join(email, password)
		if _, err := f.People.UserOf(t.Context(), people.Identity{Issuer: "https://idp.test", Subject: "1", Email: "ben@example.com"}, account.System(), f.People.Now()); err != nil {
			t.Fatal(err)
		}
		matches := 0
		f.CountMatches(func() { matches++ })
		var first error
		for _, address := range []string{email, "ANA@example.com", "nobody@example.com", "ben@example.com", "not an email", "", strings.Repeat("a", 300)} {
			matches = 0
			_, err := f.Password(t.Context(), address, "wrong horse battery", browser())
			wantCode(t, address, err, earshot.CodeInvalidKey)
			if matches != 1 {
				t.Errorf("%q: %d hashes were computed, want 1", address, matches)
			}
			if first == nil {
				first = err
			}
			if err.Error() != first.Error() {
				t.Errorf("%q: %v, for a known user %v", address, err, first)
			}
		}
		want := `guest, ana@example.com, 192.0.2.1, {"reason":"password","count":2}`
		if got := f.audited(f.org.ID, "session.refused"); !slices.Equal(got, []string{want}) {
			t.Errorf("audited %q", got)
		}
		want = `guest, nobody@example.com, 192.0.2.1, {"reason":"password"}`
		if got := f.audited("00000000-0000-0000-0000-000000000000", "session.refused"); !slices.Contains(got, want) {
			t.Errorf("audited without an organization %q", got)
		}
	})
}

func TestAFloodOfUnknownKeysDoesNotFillTheAuditLog(t *testing.T) {
	t.Parallel()
	onEach(t, nil, func(t *testing.T, f *fixture) {
		for i := range 300 {
			f.Refused(t.Context(), &account.User{Email: fmt.Sprintf("k%d", i)}, browser(), "key")
		}
		if got := len(f.audited("00000000-0000-0000-0000-000000000000", "session.refused")); got < 100 || got > 150 {
			t.Errorf("%d of 300 are in the audit log, want about 100", got)
		}
	})
}

// Refused sign-ins of an account from an address are one entry a minute, on all nodes together.
func TestRepeatedRefusalsAreOneEntry(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		stores := []*store.Store{storetest.Open(t, address)}
		if store.Shared(address) {
			stores = append(stores, storetest.Open(t, address))
		}
		org := storetest.Organization(t, stores[0], 1, 100)
		var nodes []*fixture
		for _, s := range stores {
			service, err := signin.New(signin.Config{People: people.New(s), Orgs: orgs.New(s), Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
			if err != nil {
				t.Fatal(err)
			}
			nodes = append(nodes, &fixture{service, t, org})
		}
		nodes[0].join(email, password)
		u, err := nodes[0].People.UserByEmail(t.Context(), email)
		if err != nil {
			t.Fatal(err)
		}
		other := browser()
		other.Address = "192.0.2.2"
		var group sync.WaitGroup
		for i := range 200 {
			group.Go(func() { nodes[i%len(nodes)].Refused(t.Context(), u, browser(), "password") })
		}
		nodes[0].Refused(t.Context(), u, other, "password")
		group.Wait()
		entries, refusals := nodes[0].audited(org.ID, "session.refused"), 0
		for _, entry := range entries {
			var after struct{ Count int }
			if err := json.Unmarshal([]byte(entry[strings.Index(entry, "{"):]), &after); err != nil {
				t.Fatal(err)
			}
			refusals += max(1, after.Count)
		}
		if refusals != 201 || len(entries) > 6 { // 2 within a minute
			t.Errorf("%d refusals in the entries %q", refusals, entries)
		}
	})
}

func TestFailedSignInsSlowDown(t *testing.T) {
	t.Parallel()
	onEach(t, nil, func(t *testing.T, f *fixture) {
		f.join(email, password)
		f.join("ben@example.com", password)
		for range 5 {
			_, err := f.Password(t.Context(), email, "wrong horse battery", browser())
			wantCode(t, "a free failure", err, earshot.CodeInvalidKey)
		}
		// Three attempts wait, for 1, 3 and 7 seconds. The others are refused.
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		outcomes := make(chan error, 10)
		var group sync.WaitGroup
		for range cap(outcomes) {
			group.Go(func() {
				_, err := f.Password(ctx, email, "wrong horse battery", browser())
				outcomes <- err
			})
		}
		refused := false
		for range cap(outcomes) {
			if _, refused = errors.AsType[*slowdown.RefusedError](<-outcomes); refused {
				break
			}
		}
		// Nobody else is refused meanwhile: neither another user at the address nor the user at another one.
		elsewhere := browser()
		elsewhere.Address = "192.0.2.2"
		for _, who := range []struct {
			email string
			from  *signin.Browser
		}{{"ben@example.com", browser()}, {email, elsewhere}} {
			if _, err := f.Password(t.Context(), who.email, password, who.from); err != nil {
				t.Errorf("%s at %s: %v", who.email, who.from.Address, err)
			}
		}
		cancel()
		group.Wait()
		if !refused {
			t.Error("no attempt was refused")
		}
	})
}

func TestChangePassword(t *testing.T) {
	t.Parallel()
	onEach(t, nil, func(t *testing.T, f *fixture) {
		kept := f.open(f.join(email, password))
		other, err := f.Password(t.Context(), email, password, browser())
		if err != nil {
			t.Fatal(err)
		}
		change := func(current, next string) error {
			return f.ChangePassword(t.Context(), &kept.Principal, &earshot.PasswordChange{Current: current, New: next}, browser(), kept.Actor())
		}
		wantCode(t, "a wrong password", change("wrong horse battery", "staple battery horse"), earshot.CodeInvalidKey)
		wantCode(t, "a short password", change(password, "horse"), earshot.CodeValidation)
		if f.open(other) == nil {
			t.Error("a refused change has ended a session")
		}
		if err := change(password, "staple battery horse"); err != nil {
			t.Fatal(err)
		}
		if _, err := f.People.Open(t.Context(), kept.SessionID, f.People.Now()); err != nil || f.open(other) != nil {
			t.Errorf("the own session: %v; another session is open: %t", err, f.open(other) != nil)
		}
		_, err = f.Password(t.Context(), email, password, browser())
		wantCode(t, "the old password", err, earshot.CodeInvalidKey)
		if _, err := f.Password(t.Context(), email, "staple battery horse", browser()); err != nil {
			t.Errorf("the new password: %v", err)
		}
	})
}

func TestPasswordsCanBeTurnedOff(t *testing.T) {
	t.Parallel()
	onEach(t, func(cfg *signin.Config) { cfg.Settings.Passwords = new(false) }, func(t *testing.T, f *fixture) {
		token := f.invite(f.org.ID, email, account.RoleViewer)
		_, err := f.Accept(t.Context(), &earshot.AcceptRequest{Token: token, Password: password}, browser())
		wantCode(t, "accept", err, earshot.CodeNoPermission)
		_, err = f.Password(t.Context(), email, password, browser())
		wantCode(t, "sign in", err, earshot.CodeNoPermission)
		_, err = f.Reset(t.Context(), email, account.Operator())
		wantCode(t, "reset", err, earshot.CodeNoPermission)
		if f.Ways().Passwords {
			t.Error("the sign-in page offers passwords")
		}
	})
}
