package signin_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot/internal/account"
	"earshot/internal/signin"
	"earshot/internal/signin/oidc"
	"earshot/internal/store"
	"earshot/internal/store/orgs"
	"earshot/internal/store/people"
	"earshot/internal/store/storetest"
)

// idp is an identity provider whose token endpoint answers with errors.
type idp struct {
	*httptest.Server
	token func(w http.ResponseWriter)
}

func newIDP(t *testing.T) *idp {
	t.Helper()
	i := &idp{}
	i.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/token" {
			i.token(w)
			return
		}
		fmt.Fprintf(w, `{"issuer":%[1]q,"authorization_endpoint":"%[1]s/a","token_endpoint":"%[1]s/token","jwks_uri":"%[1]s/keys"}`, i.URL)
	}))
	t.Cleanup(i.Close)
	return i
}

func (i *idp) fails(status int, body string) {
	i.token = func(w http.ResponseWriter) {
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

// signedIn returns a service with the identity provider, and the secret of a session whose check is due.
func (i *idp) signedIn(t *testing.T, s *store.Store, log *slog.Logger) (f *fixture, secret string) {
	t.Helper()
	service, err := signin.New(signin.Config{
		Settings: signin.Settings{Providers: []oidc.Settings{{Name: "idp", Issuer: i.URL, ClientID: "earshot"}}},
		People:   people.New(s), Orgs: orgs.New(s), Getenv: os.Getenv, Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	f = &fixture{service, t, storetest.Organization(t, s, 1, 100)}
	f.join(email, password)
	u, err := f.People.UserByEmail(t.Context(), email)
	if err != nil {
		t.Fatal(err)
	}
	id, secret := account.NewSecret(account.SessionSecret)
	sealed, err := signin.Seal(secret, oidc.Tokens{Subject: "1", Refresh: "refresh"})
	if err != nil {
		t.Fatal(err)
	}
	now := f.People.Now()
	session := &people.Session{
		ID: id, Hash: account.HashKey(secret), UserID: u.ID, Organization: f.org.ID, Provider: "idp", Sealed: sealed,
		CreatedAt: now, SeenAt: now, CheckedAt: now.Add(-time.Hour), ExpiresAt: now.Add(time.Hour),
	}
	if err := f.People.SignIn(session, "", "session.signin", account.System(), now); err != nil {
		t.Fatal(err)
	}
	return f, secret
}

// check makes the check of a session due and checks it.
func (f *fixture) check(secret string) {
	f.t.Helper()
	session := f.open(secret).Session
	due := f.People.Now().Add(-time.Hour).Truncate(time.Millisecond)
	if err := f.People.Checked(session, session.Sealed, due); err != nil {
		f.t.Fatal(err)
	}
	session.CheckedAt = due
	_ = f.Check(f.t.Context(), session, secret) // it may go on in the background
	f.Wait()
}

// Only the end of the person's grant ends a session, not wrong settings or a provider in trouble.
func TestErrorsOfTheProviderKeepSessions(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	i := newIDP(t)
	s := storetest.Open(t, storetest.SQLite(t))
	f, secret := i.signedIn(t, s, slog.New(slog.NewTextHandler(&log, nil)))
	for n, c := range []struct {
		status int
		body   string
	}{
		{401, `{"error":"invalid_client"}`},
		{400, `{"error":"unauthorized_client"}`},
		{400, `{"error":"unsupported_grant_type"}`},
		{400, `{"error":"invalid_scope"}`},
		{400, `{"error":"invalid_request","error_description":"a parameter is missing"}`},
		{503, `busy`},
		{500, `{"error":"server_error"}`},
	} {
		i.fails(c.status, c.body)
		before := f.People.Now().Truncate(time.Millisecond)
		f.check(secret)
		open := f.open(secret)
		if open == nil {
			t.Fatalf("%s ends the session", c.body)
		}
		// The first retry comes after a minute, and the others later and later, as often as all checks at most.
		want := min(time.Minute<<n, 15*time.Minute)
		if due := open.Session.CheckedAt.Add(15 * time.Minute); due.Before(before.Add(want)) || due.After(f.People.Now().Add(want)) {
			t.Errorf("after %d errors the next check is at %s, want %s after %s", n+1, due, want, before)
		}
	}
	if n := strings.Count(log.String(), "level=WARN"); n != 1 {
		t.Errorf("%d warnings, want 1: %s", n, &log)
	}
	i.fails(400, `{"error":"invalid_grant"}`)
	f.check(secret)
	if f.open(secret) != nil {
		t.Error("invalid_grant keeps the session")
	}
}

// A check that outlives its request ends before the database closes.
func TestWaitAwaitsChecks(t *testing.T) {
	t.Parallel()
	i := newIDP(t)
	s, err := store.Open(t.Context(), store.Config{URL: storetest.SQLite(t)})
	if err != nil {
		t.Fatal(err)
	}
	f, secret := i.signedIn(t, s, slog.New(slog.DiscardHandler))
	session := f.open(secret).Session
	asked, answer := make(chan struct{}), make(chan struct{})
	i.token = func(w http.ResponseWriter) {
		close(asked)
		<-answer
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	ctx, leave := context.WithCancel(t.Context())
	var request sync.WaitGroup
	request.Go(func() { _ = f.Check(ctx, session, secret) })
	<-asked
	leave()
	request.Wait()
	closed := make(chan error)
	go func() {
		f.Wait()
		closed <- s.Close()
	}()
	select {
	case <-closed:
		t.Error("the database closes during a check")
	case <-time.After(50 * time.Millisecond): // without Wait, the check would find the database closed
	}
	close(answer)
	if err := <-closed; err != nil {
		t.Error(err)
	}
}
