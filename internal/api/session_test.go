package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/api"
	"earshot/internal/store/people"
	"earshot/internal/store/storetest"
)

const sessionPath = "/v1/session"

// signIn opens a session and returns its cookie.
func (s *server) signIn(t *testing.T, body string) *http.Cookie {
	t.Helper()
	r := s.succeeds(t, request{method: "POST", path: sessionPath, body: body})
	cookies := (&http.Response{Header: r.header}).Cookies()
	if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode || strings.Contains(r.body, cookies[0].Value) || r.header.Get("Cache-Control") != "no-store" {
		t.Fatalf("signed in with %v: %v %s", cookies, r.header, r.body)
	}
	return cookies[0]
}

// by returns the headers of a request with a cookie; from are headers that a browser adds.
func by(cookie *http.Cookie, from map[string]string) map[string]string {
	header := map[string]string{"Cookie": cookie.Name + "=" + cookie.Value}
	maps.Copy(header, from)
	return header
}

func TestSessionCookie(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]http.Cookie{
		"http://earshot.test":        {Name: "earshot"},
		"https://earshot.test/below": {Name: "__Host-earshot", Secure: true},
	} {
		s := serve(t, func(cfg *api.Config) { cfg.BaseURL = base })
		c := s.signIn(t, `{"key":"`+s.key+`"}`)
		if c.Name != want.Name || c.Secure != want.Secure || c.Value != s.key || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.MaxAge != 12*60*60 {
			t.Errorf("%s: the cookie is %+v", base, c)
		}
		r := s.succeeds(t, request{method: "DELETE", path: sessionPath, header: by(c, nil)})
		if removed := (&http.Response{Header: r.header}).Cookies(); len(removed) != 1 || removed[0].Name != c.Name || removed[0].MaxAge >= 0 || removed[0].Value != "" {
			t.Errorf("%s: signing out sets %v", base, removed)
		}
	}
}

// Requests with only the cookie are accepted only from the dashboard's own pages.
func TestCookieOfOtherSitesIsRefused(t *testing.T) {
	t.Parallel()
	s := serve(t, func(cfg *api.Config) { cfg.BaseURL = "https://earshot.test" })
	cookie := s.signIn(t, `{"key":"`+s.key+`"}`)
	none := map[string]string{}
	site := func(name string) map[string]string { return map[string]string{"Sec-Fetch-Site": name} }
	origin := func(name string) map[string]string { return map[string]string{"Origin": name} }
	for _, c := range []struct {
		from  map[string]string
		write int
	}{
		{none, http.StatusUnauthorized},
		{site("same-origin"), http.StatusOK},
		{site("same-site"), http.StatusUnauthorized},
		{site("cross-site"), http.StatusUnauthorized},
		{origin(s.URL), http.StatusOK},
		{origin("https://earshot.test"), http.StatusOK},
		{origin("https://evil.test"), http.StatusUnauthorized},
		{origin("https://x.earshot.test"), http.StatusUnauthorized},
		{origin("null"), http.StatusUnauthorized},
		{map[string]string{"Origin": "https://evil.test", "Sec-Fetch-Site": "cross-site"}, http.StatusUnauthorized},
	} {
		for _, write := range []request{
			{method: "POST", path: "/v1/async/task", body: echoTask},
			{method: "DELETE", path: "/v1/async/queue"},
			{method: "POST", path: "/v1/keys", body: `{}`},
		} {
			write.header = by(cookie, c.from)
			if r := s.send(t, write); r.status != c.write {
				t.Errorf("%v from %v: %d %s, want %d", write, c.from, r.status, r.body, c.write)
			}
			// A key in the header comes from a program: a page cannot send it.
			write.key = s.key
			s.succeeds(t, write)
		}
		s.succeeds(t, request{method: "GET", path: "/v1/credits", header: by(cookie, c.from)})
	}
	for _, from := range []map[string]string{site("cross-site"), origin("https://evil.test")} {
		s.fails(t, request{method: "POST", path: sessionPath, body: `{"key":"` + s.key + `"}`, header: from}, http.StatusUnauthorized, earshot.CodeMissingKey)
		s.fails(t, request{method: "DELETE", path: sessionPath, header: from}, http.StatusUnauthorized, earshot.CodeMissingKey)
	}
	s.fails(t, request{method: "POST", path: "/mcp", body: `{}`, header: by(cookie, site("same-origin"))}, http.StatusUnauthorized, earshot.CodeMissingKey)
}

func TestSession(t *testing.T) {
	t.Parallel()
	s := serve(t)
	key := s.expiringKey(t, s.org, time.Time{}, account.ScopeRead)
	cookie := s.signIn(t, `{"key":"`+key.Text+`"}`)
	who := request{method: "GET", path: sessionPath, header: by(cookie, nil)}
	if r := s.succeeds(t, who); !strings.Contains(r.body, `"organization":"`+s.org.Name+`","organizationId":"`+s.org.ID+`","keyId":"`+key.ID+`","keyName":"","scopes":["read"]`) {
		t.Errorf("the session is %s", r.body)
	}

	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/v1/live", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.AddCookie(cookie)
	req.Close = true
	stream, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(stream.Body).ReadString('\n'); err != nil || line != "event: status\n" {
		t.Errorf("the stream begins with %q (%v)", line, err)
	}
	stream.Body.Close()

	if _, err := s.orgs.RevokeKey(t.Context(), key.ID, account.Operator(), time.Now()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the session of a revoked key ends", func() bool {
		return strings.Contains(s.succeeds(t, who).body, `"session":null`)
	})
	s.fails(t, request{method: "GET", path: "/v1/credits", header: by(cookie, nil)}, http.StatusUnauthorized, earshot.CodeInvalidKey)
	for _, body := range []string{`{}`, `{"token":"x","key":"y"}`} {
		s.invalid(t, request{method: "POST", path: sessionPath, body: body}, http.StatusBadRequest, "token")
	}
}

// The valid token is accepted even after so many invalid ones that the address is limited.
func TestValidTokenIsNeverRefused(t *testing.T) {
	t.Parallel()
	var s *server
	key := account.NewKey()
	s = serve(t, func(cfg *api.Config) {
		cfg.Exchange = func(_ context.Context, token string) (string, *account.Principal, error) {
			if token != "good" {
				return "", nil, &earshot.Error{Code: earshot.CodeInvalidKey, Message: "a wrong token"}
			}
			return key.Text, &account.Principal{KeyID: key.ID, OrganizationID: s.org.ID}, nil
		}
	})
	refused := 0
	for range 300 {
		if s.send(t, request{method: "POST", path: sessionPath, body: `{"token":"bad"}`}).status == http.StatusTooManyRequests {
			refused++
		}
	}
	t.Logf("%d of 300 bad tokens were refused as too many", refused)
	if c := s.signIn(t, `{"token":"good"}`); c.Value != key.Text {
		t.Errorf("the cookie is %v", c)
	}
}

// A refused sign-in does not reveal whether the user exists. Package signin tests that the work is
// the same, too.
func TestRefusedSignInsLookAlike(t *testing.T) {
	t.Parallel()
	s := serve(t)
	var invited earshot.NewInvitation
	if err := json.Unmarshal([]byte(s.succeeds(t, request{method: "POST", path: "/v1/invitations", key: s.key, body: `{"email":"ana@example.com","role":"viewer"}`}).body), &invited); err != nil {
		t.Fatal(err)
	}
	_, token, _ := strings.Cut(invited.URL, "/join/")
	s.succeeds(t, request{method: "POST", path: "/v1/invitation/accept", body: `{"token":"` + token + `","password":"correct horse battery"}`})

	external := people.Identity{Issuer: "https://id.example.com", Subject: "1", Email: "external@example.com"} // who has no password
	if _, err := people.New(storetest.Open(t, s.file)).UserOf(t.Context(), external, account.System(), time.Now()); err != nil {
		t.Fatal(err)
	}

	refused := func(email string) string {
		r := s.fails(t, request{method: "POST", path: sessionPath, body: `{"email":"` + email + `","password":"wrong horse battery"}`}, http.StatusUnauthorized, earshot.CodeInvalidKey)
		body := regexp.MustCompile(`"(timestamp|requestId)":"[^"]*"`).ReplaceAllString(r.body, "")
		for _, name := range []string{"Date", "X-Request-Id", "X-Ratelimit-Remaining"} {
			delete(r.header, name)
		}
		return fmt.Sprint(r.header, body)
	}
	known := refused("ana@example.com")
	for _, email := range []string{"ANA@EXAMPLE.COM", "external@example.com", "nobody@example.com", "no address"} {
		if got := refused(email); got != known {
			t.Errorf("the response for a user is\n%s\nand for %s\n%s", known, email, got)
		}
	}
	session := s.signIn(t, `{"email":"ana@example.com","password":"correct horse battery"}`)
	s.succeeds(t, request{method: "GET", path: "/v1/credits", header: by(session, nil)})
	for _, path := range []string{"/v1/credits", "/mcp"} { // only a browser has a session
		s.fails(t, request{method: "POST", path: path, key: session.Value, body: `{}`}, http.StatusUnauthorized, earshot.CodeInvalidKey)
	}
}
