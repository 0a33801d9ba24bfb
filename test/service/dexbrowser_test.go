package service_test

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/app"
	"earshot/internal/signin"
	"earshot/internal/signin/oidc"
	"earshot/internal/store/storetest"
	"earshot/test/harness"
	"earshot/test/harness/dex"
)

const (
	cookieName  = "earshot"
	attemptName = "earshot-signin"
)

// plans have a plan whose rate limit tests do not reach.
var plans = account.Plans{{Name: "fast", Slots: 1, RequestsPerSecond: 100_000, QueueCapacity: 1}}

// world is a service, on two nodes if the database is shared, whose users sign in with Dex.
type world struct {
	dex         *dex.Dex
	node, other *harness.Node
	acme        *app.Account // has a key with all scopes
}

// onEach runs the test on each database.
func onEach(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	storetest.OnEach(t, func(t *testing.T, address string) {
		w := &world{dex: dex.Start(t)}
		w.node, w.other = harness.Pair(t, address, func(cfg *app.Config) {
			cfg.Getenv = func(name string) string { return map[string]string{"DEX_SECRET": w.dex.ClientSecret}[name] }
			cfg.Settings.SignIn = signin.Settings{Providers: []oidc.Settings{{
				Name: "dex", Issuer: w.dex.Issuer, ClientID: w.dex.ClientID, ClientSecretEnv: "DEX_SECRET",
				Audiences: []string{w.dex.ClientID}, Scopes: []string{"openid", "email", "profile", "groups", "offline_access"},
				Roles: []oidc.Role{
					{Group: "staff", Organization: "Acme", Role: account.RoleViewer},
					{Group: "admins", Organization: "Acme", Role: account.RoleAdmin},
					{Group: "admins", Organization: "Globex", Role: account.RoleEditor},
				},
			}}}
		})
		for _, name := range []string{"Globex", "Acme"} {
			a, err := app.CreateOrganization(w.node.Orgs, app.Settings{Plans: plans}, name, "fast", nil, account.Operator())
			if err != nil {
				t.Fatal(err)
			}
			w.acme = w.node.Admin(t, a)
		}
		for _, n := range []*harness.Node{w.node, w.other} {
			w.dex.AllowRedirect(t, n.BaseURL+"/signin/dex/callback")
		}
		test(t, w)
		storetest.Audited(t, w.node.Store)
	})
}

// age makes the next request of every session check the session with Dex.
func (w *world) age(t *testing.T) {
	t.Helper()
	if _, err := w.node.Store.Run(`UPDATE sessions SET checked_at = checked_at - 3600000`); err != nil {
		t.Fatal(err)
	}
}

// browser is a browser with the cookies of a node.
type browser struct {
	node    *harness.Node
	cookies map[string]string
}

func (w *world) browser() *browser { return &browser{w.node, map[string]string{}} }

// on returns a copy of the browser that uses another node.
func (b *browser) on(n *harness.Node) *browser { return &browser{n, maps.Clone(b.cookies)} }

// send makes a request as a page of the dashboard, and does not follow redirects.
func (b *browser) send(t *testing.T, method, path, body string) *harness.Reply {
	t.Helper()
	request := b.node.Request(t.Context(), t, nil, method, path, body)
	request.Header.Set("Origin", b.node.BaseURL)
	for name, value := range b.cookies {
		if name == cookieName && strings.Contains(path, "/callback") {
			continue // browsers do not send a Strict cookie when another site redirects to the page
		}
		request.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	reply := harness.Do(t, request)
	for _, c := range reply.Cookies() {
		if !c.HttpOnly || c.SameSite < http.SameSiteLaxMode {
			t.Errorf("scripts or other sites can use the cookie %v", c)
		}
		b.cookies[c.Name] = c.Value
		if c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		}
	}
	return reply
}

func (b *browser) get(t *testing.T, path string) *harness.Reply {
	t.Helper()
	return b.send(t, http.MethodGet, path, "")
}

// open requests a page that redirects, and returns where to.
func (b *browser) open(t *testing.T, path string) string {
	t.Helper()
	return b.get(t, path).Has(t, path, http.StatusFound).Header.Get("Location")
}

// callback begins a sign-in and returns the path with which Dex sends the browser back.
func (b *browser) callback(t *testing.T, d *dex.Dex, user, to string) string {
	t.Helper()
	back := d.SignIn(t, b.open(t, "/signin/dex?"+url.Values{"to": {to}}.Encode()), user)
	if !strings.HasPrefix(back.String(), b.node.BaseURL+"/signin/dex/callback?") {
		t.Fatalf("Dex redirects to %s", back)
	}
	return back.RequestURI()
}

// signIn signs a user in and returns the address of the page to show.
func (b *browser) signIn(t *testing.T, d *dex.Dex, user, to string) string {
	t.Helper()
	return b.open(t, b.callback(t, d, user, to))
}

// session returns the session, or nil if nobody is signed in.
func (b *browser) session(t *testing.T) *earshot.Session {
	t.Helper()
	var response earshot.SessionResponse
	b.get(t, harness.SessionPath).Has(t, "session", http.StatusOK).Into(t, &response)
	return response.Session
}

// role returns the role of the user, or "" if nobody is signed in.
func (b *browser) role(t *testing.T) earshot.Role {
	t.Helper()
	if s := b.session(t); s != nil {
		return s.User.Role
	}
	return ""
}

// becomes waits until the user has a role; "" means that nobody is signed in.
func (b *browser) becomes(t *testing.T, role earshot.Role) {
	t.Helper()
	harness.Eventually(t, "the role is "+string(role), func() bool { return b.role(t) == role })
}
