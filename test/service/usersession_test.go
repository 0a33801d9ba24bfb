package service_test

import (
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
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

func TestASessionIsOnlyACookieOfOurPages(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "many", 1000)
	user := n.User(t, a, account.RoleAdmin)
	writes := []struct{ method, path, body string }{
		{http.MethodPost, harness.TaskPath, harness.GoodTask},
		{http.MethodPut, "/v1/trackers/hats", tracker},
		{http.MethodPatch, harness.SessionPath, `{"organization":"` + a.Organization.ID + `"}`},
		{http.MethodDelete, harness.SessionsPath + "/" + sessionID(user), ""},
	}
	for _, from := range []map[string]string{
		{}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Origin": "https://evil.example"}, {"Origin": "null"},
	} {
		for _, w := range writes {
			req := n.Request(t.Context(), t, user, w.method, w.path, w.body)
			req.Header.Del("Sec-Fetch-Site")
			for name, value := range from {
				req.Header.Set(name, value)
			}
			harness.Do(t, req).Fails(t, fmt.Sprint(w.method, w.path, from), http.StatusUnauthorized, earshot.CodeMissingKey)
		}
	}
	n.Get(t, user, "/v1/trackers/hats").Fails(t, "a tracker from another site", http.StatusNotFound, earshot.CodeNotFound)
	if status := n.Queue(t, a); status.QueuedTasks+status.ProcessingTasks != 0 {
		t.Errorf("tasks from another site: %+v", status)
	}
	works(t, n, user, "the session that other sites tried to use")

	for _, path := range []string{"/v1/credits", "/mcp"} {
		header := map[string]string{"Authorization": "Bearer " + user.Key.Text}
		n.SendWith(t, nil, http.MethodPost, path, `{}`, header).Fails(t, "a session in Authorization", http.StatusUnauthorized, earshot.CodeInvalidKey)
	}
	n.Post(t, user, "/mcp", `{}`).Fails(t, "a session for an agent", http.StatusUnauthorized, earshot.CodeMissingKey)

	r := n.Post(t, nil, harness.SessionPath, harness.Credentials(user.Key.Name, harness.Password))
	cookie := r.Cookies()[0]
	if cookie.Name != "earshot" || !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/" || cookie.Domain != "" || cookie.MaxAge != 12*60*60 {
		t.Errorf("the cookie is %s", cookie)
	}
	if strings.Contains(string(r.Body), string(account.SessionSecret)) {
		t.Errorf("a script can read the session in %s", r.Body)
	}
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

// via makes a request from a local address.
func via(ctx context.Context, address string, req *http.Request) (*http.Response, error) {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	transport := &http.Transport{DisableKeepAlives: true, DialContext: dialer.DialContext}
	resp, err := transport.RoundTrip(req.WithContext(ctx))
	if err == nil {
		_ = resp.Body.Close() // only the status matters
	}
	return resp, err
}

func TestFailedAttemptsDelayNobodyElse(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "many", 1000)
	victim, colleague := n.User(t, a, account.RoleViewer), n.User(t, a, account.RoleViewer)
	attempt := func(ctx context.Context, address string, user *app.Account, password string) int {
		resp, err := via(ctx, address, n.Request(ctx, t, nil, http.MethodPost, harness.SessionPath, harness.Credentials(user.Key.Name, password)))
		if err != nil {
			if ctx.Err() == nil {
				t.Error(err)
			}
			return 0
		}
		return resp.StatusCode
	}
	// The attempts that have to wait go on until one is refused because of too many.
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var group sync.WaitGroup
	refused := make(chan bool, 15)
	for range cap(refused) {
		group.Go(func() {
			if attempt(ctx, "127.0.0.1", victim, "incorrect horse battery") == http.StatusTooManyRequests {
				refused <- true
				cancel()
			}
		})
	}
	group.Wait()
	if len(refused) == 0 {
		t.Error("no attempt was refused")
	}
	if status := attempt(t.Context(), "127.0.0.1", colleague, harness.Password); status != http.StatusOK {
		t.Errorf("another user at the address of the attacker gets %d", status)
	}
	if status := attempt(t.Context(), "127.0.0.2", victim, harness.Password); status != http.StatusOK {
		t.Errorf("the user at another address gets %d", status)
	}
}

func TestAddressesComeFromTrustedProxies(t *testing.T) {
	t.Parallel()
	n := harness.Start(t, func(cfg *app.Config) {
		cfg.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8")}
	})
	user := n.User(t, n.Organization(t, "many", 1000), account.RoleViewer)
	forwarded := map[string]string{"X-Forwarded-For": "198.51.100.1, 203.0.113.9, 10.0.0.1"}
	r := n.SendWith(t, nil, http.MethodPost, harness.SessionPath, harness.Credentials(user.Key.Name, harness.Password), forwarded)
	var list earshot.SessionList
	n.Get(t, n.SignedIn(t, r, user), harness.SessionsPath).Into(t, &list)
	for _, one := range list.Sessions {
		if one.Current && one.Address != "203.0.113.9" {
			t.Errorf("the session is from %s", one.Address)
		}
	}
}
