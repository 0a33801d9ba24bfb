package api

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"earshot"
	"earshot/internal/signin/oidc"
	"earshot/internal/store"
)

// attemptLife is how long a person may take to sign in at an identity provider.
const attemptLife = 10 * time.Minute

// signInOperations returns the pages that send a browser to an identity provider and receive it
// back. They redirect, and are not part of the OpenAPI document.
func signInOperations() []Operation {
	return []Operation{
		{Method: "GET", Path: "/signin/{provider}", Public: true, AnyQuery: true, serve: (*Server).beginSignIn},
		{Method: "GET", Path: "/signin/{provider}/callback", Public: true, AnyQuery: true, serve: (*Server).finishSignIn},
	}
}

// attempt returns the cookie of an attempt, or the cookie that removes it if value is "". The
// browser must send it when it returns from another site, so it is Lax and not Strict.
func (s sessionCookie) attempt(value string) *http.Cookie {
	cookie := s.with(value) // over plain HTTP, browsers reject Secure cookies
	cookie.Name, cookie.SameSite = s.name+"-signin", http.SameSiteLaxMode
	if value != "" {
		cookie.MaxAge = int(attemptLife.Seconds())
	}
	return cookie
}

// beginSignIn sends the browser to an identity provider.
func (s *Server) beginSignIn(c *call) error {
	if err := s.admitGuest(c); err != nil {
		return err
	}
	redirect, attempt, err := s.SignIn.Begin(c.context(), c.r.PathValue("provider"))
	if errors.Is(err, store.ErrNotFound) {
		return errNotFound("identity provider", c.r.PathValue("provider"))
	}
	if err != nil {
		return s.signInProblem(c, err)
	}
	attempt.To = ownPage(c.r.URL.Query().Get("to"))
	if _, secret, err := s.inCookie(c); err == nil {
		attempt.Replaces = secret // which the browser does not send when it returns from another site
	}
	text, err := json.Marshal(attempt)
	if err != nil {
		return err
	}
	http.SetCookie(c.w, s.cookie.attempt(base64.RawURLEncoding.EncodeToString(text)))
	return c.redirect(redirect)
}

// finishSignIn receives the browser from an identity provider and opens a session.
func (s *Server) finishSignIn(c *call) error {
	if err := s.admitGuest(c); err != nil {
		return err
	}
	var attempt oidc.Attempt
	if cookie, err := c.r.Cookie(s.cookie.name + "-signin"); err == nil {
		text, err := base64.RawURLEncoding.DecodeString(cookie.Value)
		if err != nil || json.Unmarshal(text, &attempt) != nil {
			attempt = oidc.Attempt{}
		}
	}
	http.SetCookie(c.w, s.cookie.attempt("")) // an attempt works once
	b := s.browser(c)
	if sent, err := readCookie(attempt.Replaces); err == nil && b.Session == "" {
		if had, err := s.keys.authenticate(c.context(), sent, c.address()); err == nil {
			b.Session = had.SessionID
		}
	}
	secret, err := s.SignIn.Finish(c.context(), c.r.PathValue("provider"), attempt, c.r.URL.Query(), b)
	if errors.Is(err, store.ErrNotFound) {
		return errNotFound("identity provider", c.r.PathValue("provider"))
	}
	if err != nil {
		return s.signInProblem(c, err)
	}
	http.SetCookie(c.w, s.cookie.with(secret))
	return c.redirect(s.cookie.base + "/#" + ownPage(attempt.To))
}

// admitGuest counts a request without a key that costs a read of the database or a request to an
// identity provider.
func (s *Server) admitGuest(c *call) error {
	if s.WorkerOnly {
		return errWorkerOnly()
	}
	if err := s.countGuest(c, c.address(), guestLimit); err != nil {
		return err
	}
	c.turn.End() // the rest is mostly waiting
	return nil
}

// signInProblem sends the browser to the sign-in page with the reason why it is not signed in.
func (s *Server) signInProblem(c *call, err error) error {
	problem := "unavailable"
	switch {
	case errors.Is(err, oidc.ErrDenied):
		problem = "denied"
	case earshot.ErrorCode(err) == earshot.CodeNoPermission:
		problem = "no-role"
	case errors.Is(err, oidc.ErrRefused):
		problem = "refused"
	}
	s.Log.Info("a sign-in with an identity provider failed", "request", c.id, "provider", c.r.PathValue("provider"), "problem", problem, "error", err)
	return c.redirect(s.cookie.base + "/#/signin?" + url.Values{"problem": {problem}}.Encode())
}

// ownPage returns the page of the dashboard to show after a sign-in: a path that follows the #, so
// that it cannot lead to another site.
func ownPage(to string) string {
	if !strings.HasPrefix(to, "/") || len(to) > 500 || strings.ContainsFunc(to, func(r rune) bool { return r <= ' ' || r == 0x7f || r > 0x7f }) {
		return "/"
	}
	return to
}

// redirect sends the browser to another address.
func (c *call) redirect(to string) error {
	c.w.Header().Set("Cache-Control", "no-store")
	c.w.Header().Set("Referrer-Policy", "no-referrer")
	c.w.Header().Set("Location", to)
	c.write(http.StatusFound, "text/plain; charset=utf-8", nil)
	return nil
}
