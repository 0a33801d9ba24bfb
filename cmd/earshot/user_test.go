package main

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"earshot/internal/notify/mail/mailtest"
	"earshot/internal/store/storetest"
	"earshot/test/harness"
)

// joined accepts an invitation in a browser, and returns the cookie and the status of the response.
func joined(t *testing.T, base, link, password string) (*http.Cookie, int) {
	t.Helper()
	body, err := json.Marshal(map[string]string{"token": link[strings.LastIndex(link, "/")+1:], "password": password})
	if err != nil {
		t.Fatal(err)
	}
	return browse(t, http.MethodPost, base+"/v1/invitation/accept", string(body), nil)
}

// browse sends a request as the dashboard does, and returns the cookie and the status of the
// response.
func browse(t *testing.T, method, url, body string, cookie *http.Cookie) (*http.Cookie, int) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Close = true
	if cookie != nil {
		request.AddCookie(cookie)
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if cookies := response.Cookies(); len(cookies) > 0 {
		cookie = cookies[0]
	}
	return cookie, response.StatusCode
}

func TestUsersAreManagedWhileAServerRuns(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		where := []string{"--data", filepath.Dir(address)}
		if strings.HasPrefix(address, "postgres") {
			where = []string{"--data", t.TempDir(), "--database", address}
		}
		base := regexp.MustCompile(`Dashboard: (\S+)/`).FindStringSubmatch(serving(t, where...))[1]
		on := func(args ...string) string { return mustRun(t, append(append([]string{}, where...), args...)...) }
		link := regexp.MustCompile(`(?m)^link: (https://earshot\.example/#/join/ear_inv_\w+)$`)

		text := on("user", "invite", "Ana@Example.com", "--org", "default", "--role", "editor", "--base-url", "https://earshot.example/")
		found := link.FindStringSubmatch(text)
		if found == nil {
			t.Fatalf("invite printed %s", text)
		}
		wants(t, text, "Send it to ana@example.com. It works once, until ")
		wants(t, on("user", "list"), "default", "ana@example.com", "editor", "invited until")

		cookie, status := joined(t, base, found[1], "correct horse battery")
		if status != http.StatusOK {
			t.Fatalf("joining answers %d", status)
		}
		wants(t, on("user", "role", "ana@example.com", "viewer", "--org", "default"), "ana@example.com has the role viewer")
		wants(t, on("user", "list", "--org", "default", "--json"), `"organization": "default"`, `"email": "ana@example.com"`, `"role": "viewer"`, `"invitations": []`)
		var listed struct {
			Sessions []struct{ ID, Email, Via, Address string }
		}
		if err := json.Unmarshal([]byte(on("user", "sessions", "--json")), &listed); err != nil || len(listed.Sessions) != 1 || listed.Sessions[0].Address != "127.0.0.1" {
			t.Fatalf("the sessions are %+v, %v", listed, err)
		}
		wants(t, on("user", "sessions", "--org", "default"), listed.Sessions[0].ID, "ana@example.com", "password")
		isOut := func(cookie *http.Cookie) func() bool {
			return func() bool {
				_, status := browse(t, http.MethodGet, base+"/v1/credits", "", cookie)
				return status == http.StatusUnauthorized
			}
		}
		if isOut(cookie)() {
			t.Error("the session does not work")
		}
		wants(t, on("user", "revoke", listed.Sessions[0].ID, "--org", "default"), "has ended")
		harness.Eventually(t, "the ended session is refused", isOut(cookie))

		reset := link.FindStringSubmatch(on("user", "reset", "ana@example.com", "--base-url", "https://earshot.example"))
		if _, status := browse(t, http.MethodPost, base+"/v1/session", `{"email":"ana@example.com","password":"correct horse battery"}`, nil); status != http.StatusUnauthorized {
			t.Errorf("the old password answers %d after a reset", status)
		}
		cookie, status = joined(t, base, reset[1], "staple battery horse")
		if status != http.StatusOK || isOut(cookie)() {
			t.Errorf("setting a new password answers %d", status)
		}
		wants(t, on("user", "remove", "ana@example.com", "--org", "default"), "ana@example.com no longer belongs to default")
		harness.Eventually(t, "the session of a removed user is refused", isOut(cookie))
		log := on("audit-log", "--org", "default")
		wants(t, log, "user.invite", "user.join", "user.role", "session.revoke", "user.reset", "user.password", "user.remove", "operator")
	})
}

func TestInvitationsAreMailed(t *testing.T) {
	t.Parallel()
	data, server := newData(t), mailtest.Listen(t)
	file := writeFile(t, "earshot.yaml", "base-url: https://earshot.example\nsmtp-server: "+server.Address+"\nsmtp-from: earshot@example.com\nsmtp-tls: none\n")
	serving(t, "--data", data, "--config", file)
	mustRun(t, "--data", data, "org", "create", "acme")
	invite := []string{"--data", data, "user", "invite", "ana@example.com", "--org", "acme"}
	if text := mustRun(t, invite...); text != "The invitation was sent to ana@example.com.\n" {
		t.Errorf("it printed %s", text)
	}
	mails := server.Mails()
	if len(mails) != 1 || strings.Join(mails[0].To, " ") != "ana@example.com" {
		t.Fatalf("the mails are %+v", mails)
	}
	wants(t, mails[0].Data, "Subject: Invitation to acme", "https://earshot.example/#/join/ear_inv_", "with the role viewer", "Invited by: operator")
	if strings.Contains(mails[0].Data, "text/html") {
		t.Errorf("a plain mail has an HTML part:\n%s", mails[0].Data)
	}
	server.Refuse("550 5.1.1 no such user")
	wants(t, mustRun(t, invite...), "link: https://earshot.example/#/join/ear_inv_")
}
