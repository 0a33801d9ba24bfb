package service_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"earshot"
	"earshot/internal/account"
	"earshot/test/harness"
	"earshot/test/harness/dex"
)

// The groups of a user are the roles, and each check with the identity provider follows them.
func TestRolesFollowTheIdentityProvider(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ann := dex.User{Email: "ann@acme.example", Name: "Ann", Groups: []string{"staff", "admins"}, Verified: true}
		w.dex.SetUser(t, "ann", ann)
		b := w.browser()
		if to := b.signIn(t, w.dex, "ann", "/trackers/x?days=7"); to != "/#/trackers/x?days=7" {
			t.Errorf("the page after the sign-in is %s", to)
		}
		session := b.on(w.other).session(t)
		if session == nil || session.User.Email != "ann@acme.example" || session.User.Name != "Ann" || session.User.Role != "admin" || len(session.Organizations) != 2 || session.Organization != "Acme" {
			t.Fatalf("the session is %+v", session)
		}
		b.get(t, "/v1/users").Has(t, "users for an admin", http.StatusOK)
		if _, ok := b.cookies[attemptName]; ok {
			t.Error("the browser keeps the attempt")
		}

		// Roles change at the next check, not before.
		ann.Groups = []string{"staff"}
		w.dex.SetUser(t, "ann", ann)
		if role := b.role(t); role != "admin" {
			t.Errorf("before the check the role is %s", role)
		}
		w.age(t)
		b.on(w.other).becomes(t, "viewer")
		b.becomes(t, "viewer")
		b.get(t, "/v1/users").Fails(t, "users for a viewer", http.StatusForbidden, earshot.CodeNoPermission)
		if session := b.session(t); len(session.Organizations) != 1 {
			t.Errorf("the organizations are %+v", session.Organizations)
		}

		// Without an identity provider, work goes on.
		w.dex.Down(t, "/")
		ann.Groups = []string{"admins"}
		w.dex.SetUser(t, "ann", ann)
		w.age(t)
		logged := "an identity provider cannot be reached"
		harness.Eventually(t, "a check has failed", func() bool {
			if b.role(t) != "viewer" {
				t.Fatal("the session ends without the identity provider")
			}
			return strings.Contains(w.node.Logs.String(), logged)
		})
		w.dex.Up(t)
		w.age(t)
		b.becomes(t, "admin")

		// A check that fails after Dex has replaced the refresh token keeps the new one.
		w.dex.Rotate(t)
		w.dex.Down(t, "/keys")
		ann.Groups = []string{"staff"}
		w.dex.SetUser(t, "ann", ann)
		w.age(t)
		harness.Eventually(t, "a check without keys has failed", func() bool {
			if b.role(t) != "admin" {
				t.Fatal("the session ends without the keys")
			}
			return strings.Contains(w.node.Logs.String(), "fetching keys")
		})
		w.dex.Up(t)
		w.age(t)
		b.becomes(t, "viewer")

		// Many requests on both nodes make one check: Dex accepts each refresh token once.
		ann.Groups = []string{"admins"}
		w.dex.SetUser(t, "ann", ann)
		w.age(t)
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() { b.on([]*harness.Node{w.node, w.other}[i%2]).becomes(t, "admin") })
		}
		all.Wait()

		// A user whose groups have no role loses access, and so does a removed user.
		ann.Groups = []string{"others"}
		w.dex.SetUser(t, "ann", ann)
		w.age(t)
		b.becomes(t, "")
		if to := b.signIn(t, w.dex, "ann", "/"); to != "/#/signin?problem=no-role" {
			t.Errorf("a user without a role comes to %s", to)
		}
		ann.Groups = []string{"staff"}
		w.dex.SetUser(t, "ann", ann)
		b.signIn(t, w.dex, "ann", "/")
		b.becomes(t, "viewer")
		w.dex.RemoveUser(t, "ann")
		w.age(t)
		b.becomes(t, "")
		b.on(w.other).becomes(t, "")
		b.get(t, "/v1/credits").Fails(t, "credits for a removed user", http.StatusUnauthorized, earshot.CodeInvalidKey)
	})
}

// An invitation is for the owner of its email address.
func TestInvitedPersonSignsIn(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		for user, verified := range map[string]bool{"bob": true, "eve": false, "kim": true} {
			w.dex.SetUser(t, user, dex.User{Email: user + "@Acme.example", Verified: verified})
		}
		for _, user := range []string{"bob", "eve"} {
			w.node.Post(t, w.acme, "/v1/invitations", fmt.Sprintf(`{"email":"%s@acme.example","role":"editor"}`, user)).Has(t, "invite", http.StatusOK)
		}
		for _, user := range []string{"eve", "kim"} {
			b := w.browser()
			if to := b.signIn(t, w.dex, user, "/"); to != "/#/signin?problem=no-role" || len(b.cookies) > 0 {
				t.Errorf("%s comes to %s with the cookies %v", user, to, b.cookies)
			}
		}
		b := w.browser()
		if to := b.signIn(t, w.dex, "bob", "/"); to != "/#/" || b.role(t) != "editor" {
			t.Errorf("bob comes to %s", to)
		}
		// A role from an invitation does not depend on groups.
		w.dex.SetUser(t, "bob", dex.User{Email: "bob@acme.example", Groups: []string{"staff"}, Verified: true})
		w.age(t)
		harness.Eventually(t, "bob has roles from both sources", func() bool {
			b.get(t, "/v1/credits").Has(t, "credits", http.StatusOK)
			var users earshot.UserList
			w.node.Get(t, w.acme, "/v1/users").Has(t, "users", http.StatusOK).Into(t, &users)
			return len(users.Users) == 1 && len(users.Users[0].Sources) == 2 && users.Users[0].Role == "editor"
		})
	})
}

// Whoever plants cookies or addresses in a browser gains nothing.
func TestHostileSignIn(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		for _, user := range []string{"ann", "eve"} {
			w.dex.SetUser(t, user, dex.User{Email: user + "@acme.example", Groups: []string{"staff"}, Verified: true})
		}

		// The page after a sign-in is always our own.
		for _, to := range []string{
			"", "trackers", "//evil.example", `/\evil.example`, `\\evil.example`, "https:evil.example", "https://evil.example/",
			"javascript:alert(1)", "/a\r\nSet-Cookie: a=b", "/a\tb", "/ü", "/" + strings.Repeat("a", 1000),
		} {
			b := w.browser()
			location := b.signIn(t, w.dex, "ann", to)
			u, err := url.Parse(location)
			if err != nil || !strings.HasPrefix(location, "/#/") || u.Host != "" || strings.ContainsAny(location, "\r\n") || len(b.cookies) != 1 {
				t.Errorf("to=%q leads to %q with the cookies %v", to, location, b.cookies)
			}
		}

		// A cookie that was planted before the sign-in is not the session afterwards. A sign-in
		// ends the session that the browser had.
		attacker := w.browser()
		attacker.signIn(t, w.dex, "eve", "/")
		_, unused := account.NewSecret(account.SessionSecret)
		for _, value := range []string{attacker.cookies[cookieName], unused, w.acme.Key.Text} {
			victim := w.browser()
			victim.cookies[cookieName] = value
			victim.signIn(t, w.dex, "ann", "/")
			if session := victim.session(t); victim.cookies[cookieName] == value || session.User == nil || session.User.Email != "ann@acme.example" {
				t.Errorf("the planted cookie stays: %+v", session)
			}
		}
		attacker.becomes(t, "")

		// The address of a callback works once, and only in the browser that began the sign-in.
		b := w.browser()
		callback := b.callback(t, w.dex, "ann", "/")
		attempt := b.cookies[attemptName]
		const refused = "/#/signin?problem=refused"
		for name, cookies := range map[string]map[string]string{
			"no attempt":      {},
			"another attempt": {attemptName: "eyJwcm92aWRlciI6ImRleCIsInN0YXRlIjoiYSJ9"},
			"no JSON":         {attemptName: "eyJ"},
		} {
			stranger := &browser{w.node, cookies}
			if to := stranger.open(t, callback); to != refused || len(stranger.cookies) > 0 {
				t.Errorf("%s: the callback leads to %s with the cookies %v", name, to, stranger.cookies)
			}
		}
		if to := b.open(t, callback); to != "/#/" || b.session(t) == nil {
			t.Fatalf("the callback leads to %s", to)
		}
		for _, again := range []*browser{b.on(w.node), {w.node, map[string]string{attemptName: attempt}}} {
			before := again.cookies[cookieName]
			if to := again.open(t, callback); to != refused || again.cookies[cookieName] != before {
				t.Errorf("the callback leads to %s again, with the cookies %v", to, again.cookies)
			}
		}
		if to := w.browser().open(t, "/signin/dex/callback?error=access_denied"); to != refused {
			t.Errorf("a made-up error leads to %s", to)
		}
		w.browser().get(t, "/signin/other").Fails(t, "unknown provider", http.StatusNotFound, earshot.CodeNotFound)

		// The cookie of a session is no key, and a session that has ended stays ended.
		request := w.node.Request(t.Context(), t, nil, http.MethodGet, "/v1/credits", "")
		request.Header.Set("Authorization", "Bearer "+b.cookies[cookieName])
		harness.Do(t, request).Fails(t, "a session as a key", http.StatusUnauthorized, earshot.CodeInvalidKey)
		kept := b.on(w.other)
		var ended earshot.SessionResponse
		b.send(t, http.MethodDelete, harness.SessionPath, "").Has(t, "sign out", http.StatusOK).Into(t, &ended)
		if ended.SignOutURL != "" || len(b.cookies) > 0 {
			t.Errorf("after the sign-out: %+v, cookies %v", ended, b.cookies)
		}
		kept.becomes(t, "")
		if to := kept.on(w.node).signIn(t, w.dex, "ann", "/"); to != "/#/" {
			t.Errorf("a sign-in with the cookie of an ended session leads to %s", to)
		}
	})
}
