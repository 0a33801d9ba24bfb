// Package dex runs Dex, a real OpenID Connect identity provider, for tests. The program is in
// test/dex, a module of its own because Dex has many dependencies.
package dex

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Dex is a running identity provider with one client and no users.
type Dex struct {
	Issuer       string
	ClientID     string
	ClientSecret string

	control string
}

// User is a user of the identity provider.
type User struct {
	Email    string   `json:"email"`
	Verified bool     `json:"verified"` // whether the email address is verified
	Name     string   `json:"name"`
	Groups   []string `json:"groups"` // needs the scope groups

	Password string `json:"password"` // set by SetUser
}

// password is the password of every user.
const password = "password"

// Start builds and runs Dex until the test ends.
func Start(tb testing.TB) *Dex {
	tb.Helper()
	root, err := exec.CommandContext(tb.Context(), "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		tb.Fatalf("find the module: %v", err)
	}
	// The go command caches the executable. Dex needs Google's large API only for a connector that is not used.
	command := exec.CommandContext(context.WithoutCancel(tb.Context()), "go", "run", "-trimpath", "-gcflags=google.golang.org/...=-N -l", ".")
	command.Dir = filepath.Join(strings.TrimSpace(string(root)), "test", "dex")
	command.Env, command.Stderr = append(os.Environ(), "CGO_ENABLED=0"), tb.Output() // compiled once, also beside the race detector
	stop, err := command.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	started, err := command.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := command.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = stop.Close() // Dex ends when its input ends
		if err := command.Wait(); err != nil {
			tb.Errorf("Dex: %v", err)
		}
	})
	late := time.AfterFunc(5*time.Minute, func() { // with an empty build cache
		_ = stop.Close()
		_ = command.Process.Kill()
	})
	defer late.Stop()
	var d struct{ Issuer, Control, ClientID, ClientSecret string }
	if err := json.NewDecoder(started).Decode(&d); err != nil {
		tb.Fatalf("Dex does not start: %v", err)
	}
	return &Dex{Issuer: d.Issuer, ClientID: d.ClientID, ClientSecret: d.ClientSecret, control: d.Control}
}

// SetUser adds or changes a user.
func (d *Dex) SetUser(tb testing.TB, id string, u User) {
	tb.Helper()
	u.Password = password
	body, err := json.Marshal(u)
	if err != nil {
		tb.Fatal(err)
	}
	d.change(tb, http.MethodPut, "/users/"+id, string(body))
}

// RemoveUser removes a user.
func (d *Dex) RemoveUser(tb testing.TB, id string) {
	tb.Helper()
	d.change(tb, http.MethodDelete, "/users/"+id, "")
}

// AllowRedirect allows the client to redirect to an address.
func (d *Dex) AllowRedirect(tb testing.TB, address string) {
	tb.Helper()
	d.change(tb, http.MethodPut, "/redirect", address)
}

// Rotate replaces the key that signs tokens. Tokens of the old key become invalid.
func (d *Dex) Rotate(tb testing.TB) {
	tb.Helper()
	d.change(tb, http.MethodPost, "/rotate", "")
}

// Down closes connections without an answer when a path of the issuer or below it is requested.
// "/" is the whole issuer.
func (d *Dex) Down(tb testing.TB, path string) {
	tb.Helper()
	d.change(tb, http.MethodPut, "/down", path)
}

// Up ends Down.
func (d *Dex) Up(tb testing.TB) {
	tb.Helper()
	d.change(tb, http.MethodDelete, "/down", "")
}

func (d *Dex) change(tb testing.TB, method, path, body string) {
	tb.Helper()
	request, err := http.NewRequestWithContext(tb.Context(), method, d.control+path, strings.NewReader(body))
	if err != nil {
		tb.Fatal(err)
	}
	response := do(tb, http.DefaultClient, request)
	if response.StatusCode != http.StatusOK {
		tb.Fatalf("%s %s: %s", method, path, response.Status)
	}
}

// SignIn signs a user in at the address of Dex's sign-in page, as a browser does, and returns the address to
// which Dex redirects the browser.
func (d *Dex) SignIn(tb testing.TB, address, user string) *url.URL {
	tb.Helper()
	issuer, err := url.Parse(d.Issuer)
	if err != nil {
		tb.Fatal(err)
	}
	browser := &http.Client{CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if r.URL.Host != issuer.Host {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	open, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, address, nil)
	if err != nil {
		tb.Fatal(err)
	}
	form := do(tb, browser, open)
	values := url.Values{"login": {user}, "password": {password}}
	// The form's action is its own address.
	submit, err := http.NewRequestWithContext(tb.Context(), http.MethodPost, form.Request.URL.String(), strings.NewReader(values.Encode()))
	if err != nil {
		tb.Fatal(err)
	}
	submit.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	signedIn := do(tb, browser, submit)
	back, err := signedIn.Location()
	if err != nil {
		tb.Fatalf("Dex does not sign %s in: %s", user, signedIn.Status)
	}
	return back
}

// do returns a response without its body.
func do(tb testing.TB, client *http.Client, request *http.Request) *http.Response {
	tb.Helper()
	response, err := client.Do(request)
	if err != nil {
		tb.Fatal(err)
	}
	_ = response.Body.Close()
	return response
}
