package service_test

import (
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/app"
	"earshot/test/harness"
)

// works fails the test unless a session is valid; ends waits until it is not.
func works(t *testing.T, n *harness.Node, user *app.Account, what string) {
	t.Helper()
	n.Get(t, user, "/v1/credits").Has(t, what, http.StatusOK)
}

func ends(t *testing.T, n *harness.Node, user *app.Account, what string) {
	t.Helper()
	harness.Eventually(t, what, func() bool { return n.Get(t, user, "/v1/credits").StatusCode == http.StatusUnauthorized })
	n.Get(t, user, "/v1/credits").Fails(t, what, http.StatusUnauthorized, earshot.CodeInvalidKey)
}

func sessionID(user *app.Account) string {
	id, _ := account.SecretID(account.SessionSecret, user.Key.Text)
	return id
}

func TestASignInReplacesTheSession(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a, b := n.Organization(t, "many", 1000), n.Organization(t, "many", 1000)
		user, guest := n.User(t, a, account.RoleViewer), n.User(t, b, account.RoleViewer)
		// signIn signs in with the browser of a user.
		signIn := func(had *app.Account, body string) *harness.Reply {
			return n.Post(t, had, harness.SessionPath, body).Has(t, "sign in", http.StatusOK)
		}
		again := n.SignedIn(t, signIn(user, harness.Credentials(user.Key.Name, harness.Password)), user)
		ends(t, other, user, "the earlier session ends")
		works(t, other, again, "the new session")

		guest = n.SignedIn(t, signIn(again, harness.Credentials(guest.Key.Name, harness.Password)), guest)
		ends(t, other, again, "the session of the earlier user ends")
		signIn(guest, fmt.Sprintf(`{"key":%q}`, a.Key.Text))
		ends(t, other, guest, "the session of the user before the key ends")

		odd := map[string]string{"User-Agent": "x" + strings.Repeat("ö", 200) + "\xff"} // whose 300th byte is within a character
		n.SendWith(t, nil, http.MethodPost, harness.SessionPath, harness.Credentials(user.Key.Name, harness.Password), odd).Has(t, "an odd browser", http.StatusOK)

		// The id of a session is not secret, and the checksum is no proof.
		victim := n.SignIn(t, user)
		forged := string(account.SessionSecret) + sessionID(victim) + "_" + strings.Repeat("A", 52)
		forged += fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(forged)))
		attacker := &app.Account{Key: account.Key{Text: forged}}
		n.Get(t, attacker, "/v1/credits").Fails(t, "a forged session", http.StatusUnauthorized, earshot.CodeInvalidKey)
		signIn(attacker, harness.Credentials(guest.Key.Name, harness.Password))
		n.Send(t, attacker, http.MethodDelete, harness.SessionPath, "").Has(t, "sign out with a forged session", http.StatusOK)
		// The list is not cached.
		if r := n.Get(t, n.SignIn(t, user), harness.SessionsPath); !strings.Contains(string(r.Body), sessionID(victim)) {
			t.Errorf("a session whose id somebody else knows is not in %s", r.Body)
		}

		n.Send(t, victim, http.MethodDelete, harness.SessionPath, "").Has(t, "sign out", http.StatusOK)
		ends(t, other, victim, "a session after signing out")
	})
}

func TestEndedSessionsAreRefused(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a := n.Organization(t, "many", 1000)
		user := n.User(t, a, account.RoleViewer)
		browser := func() *app.Account {
			opened := n.SignIn(t, user)
			works(t, other, opened, "a new session")
			return opened
		}

		expired := browser()
		if _, err := n.Store.Run(`UPDATE sessions SET expires_at = $2 WHERE id = $1`, sessionID(expired), time.Now().UnixMilli()); err != nil {
			t.Fatal(err)
		}
		ends(t, other, expired, "an expired session is refused")
		n.Send(t, user, http.MethodDelete, harness.SessionsPath+"/"+sessionID(expired), "").Fails(t, "end an expired session", http.StatusNotFound, earshot.CodeNotFound)

		revoked := browser()
		stream, err := http.DefaultTransport.RoundTrip(liveRequest(t, other, revoked))
		if err != nil || stream.StatusCode != http.StatusOK {
			t.Fatal(stream, err)
		}
		defer stream.Body.Close()
		n.Send(t, user, http.MethodDelete, harness.SessionsPath+"/"+sessionID(revoked), "").Has(t, "end a session", http.StatusOK)
		if _, err := io.Copy(io.Discard, stream.Body); err != nil { // until the stream ends
			t.Error(err)
		}
		ends(t, other, revoked, "a revoked session is refused")

		old := browser()
		const changed = `{"current":"` + harness.Password + `","new":"another horse battery"}`
		n.Send(t, user, http.MethodPut, harness.PasswordPath, changed).Has(t, "change the password", http.StatusOK)
		ends(t, other, old, "a session before the change of the password is refused")
		works(t, other, user, "the session that changed the password")
		n.Post(t, nil, harness.SessionPath, harness.Credentials(user.Key.Name, harness.Password)).Has(t, "the old password", http.StatusUnauthorized)
		n.Post(t, nil, harness.SessionPath, harness.Credentials(user.Key.Name, "another horse battery")).Has(t, "the new password", http.StatusOK)
	})
}

// liveRequest returns a request for a live stream.
func liveRequest(t *testing.T, n *harness.Node, user *app.Account) *http.Request {
	t.Helper()
	req := n.Request(t.Context(), t, user, http.MethodGet, harness.LivePath, "")
	req.Close = true
	return req
}
