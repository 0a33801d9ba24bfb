package api

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"earshot"
)

const (
	// SessionLife is how long a browser stays signed in to the dashboard: a working day.
	SessionLife = 12 * time.Hour

	maxSignIn = 1 << 10 // the maximum length of the body
)

// sessionCookie is the cookie that contains the dashboard's key. Scripts cannot read it. It
// is valid on every node, because the server stores no session.
type sessionCookie struct {
	name   string
	secure bool
	pages  *http.CrossOriginProtection // refuses requests from pages of other sites
}

func newSessionCookie(baseURL string) sessionCookie {
	c := sessionCookie{name: "earshot", pages: http.NewCrossOriginProtection()}
	if strings.HasPrefix(baseURL, "https://") {
		// Browsers accept a cookie with this prefix only over TLS and from this host itself.
		c.name, c.secure = "__Host-earshot", true
	}
	// Behind a proxy, the Host of a request may differ from the public host.
	if u, err := url.Parse(baseURL); err == nil && u.Host != "" {
		_ = c.pages.AddTrustedOrigin(u.Scheme + "://" + u.Host)
	}
	return c
}

// with returns the cookie with a key, or the cookie that removes it if key is "".
func (s sessionCookie) with(key string) *http.Cookie {
	cookie := &http.Cookie{ //nolint:gosec // over plain HTTP, browsers reject Secure cookies
		Name: s.name, Value: key, Path: "/", MaxAge: int(SessionLife.Seconds()), HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteStrictMode,
	}
	if key == "" {
		cookie.MaxAge = -1
	}
	return cookie
}

// credential returns the key of a request, from the Authorization header or from the
// dashboard's cookie. Browsers send the cookie automatically, so a request that changes
// something must prove that it comes from one of our own pages.
func (s *Server) credential(r *http.Request) (sentKey, error) {
	cookie, err := r.Cookie(s.cookie.name)
	if err != nil || r.Header.Get("Authorization") != "" || !strings.HasPrefix(r.URL.Path, "/v1/") {
		return bearer(r)
	}
	safe := r.Method == http.MethodGet || r.Method == http.MethodHead
	hasOrigin := r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != ""
	if !safe && !hasOrigin || s.cookie.pages.Check(r) != nil {
		return sentKey{}, errForeignPage()
	}
	return readKey(cookie.Value)
}

func errForeignPage() error {
	return &earshot.Error{
		Code:    earshot.CodeMissingKey,
		Message: "only the dashboard's own pages may use its cookie; other programs must send a key in Authorization",
	}
}

func sessionOperations() []Operation {
	return []Operation{
		operation(Operation{Method: "GET", Path: "/v1/session", Public: true, Client: Method{Name: "Session", Returns: "Session"}}, (*Server).session),
		operation(Operation{Method: "POST", Path: "/v1/session", Public: true}, (*Server).signIn),
		operation(Operation{Method: "DELETE", Path: "/v1/session", Public: true}, (*Server).signOut),
	}
}

// session returns who is signed in. It is no error if nobody is, because the dashboard
// calls this first.
func (s *Server) session(c *call, _, _ none) (response earshot.SessionResponse, err error) {
	if s.WorkerOnly {
		return response, errWorkerOnly()
	}
	err = s.identify(c)
	if code := earshot.ErrorCode(err); code == earshot.CodeMissingKey || code == earshot.CodeInvalidKey {
		return c.session(nil)
	}
	if err != nil {
		return response, err
	}
	session, err := s.sessionOf(c)
	if err != nil {
		return response, err
	}
	return c.session(session)
}

// signIn opens a session with a key or with the one-time token. A valid token is accepted
// even if the address has exceeded guestLimit.
func (s *Server) signIn(c *call, _ none, _ unread[earshot.SessionRequest]) (response earshot.SessionResponse, err error) {
	if s.WorkerOnly {
		return response, errWorkerOnly()
	}
	if s.Jobs.Draining() {
		return response, errStopping()
	}
	if s.cookie.pages.Check(c.r) != nil {
		return response, errForeignPage()
	}
	asked, err := readSignIn(c)
	if err != nil {
		return response, err
	}
	text := asked.Key
	if text != "" {
		err = s.takeKey(c, text)
	} else {
		text, c.principal, err = s.SignIn(c.r.Context(), asked.Token)
		err = s.turnAway(c, err)
	}
	if err != nil {
		return response, err
	}
	session, err := s.sessionOf(c)
	if err != nil {
		return response, err
	}
	http.SetCookie(c.w, s.cookie.with(text))
	return c.session(session)
}

func readSignIn(c *call) (*earshot.SessionRequest, error) {
	in, err := c.object()
	if err != nil {
		return nil, err
	}
	asked := &earshot.SessionRequest{}
	in.Decode(asked)
	if in.Err() == nil && (asked.Token == "") == (asked.Key == "") {
		in.Reject("token", "either token or key is required, and not both")
	}
	return asked, in.Err()
}

// takeKey authenticates the key of a sign-in.
func (s *Server) takeKey(c *call, text string) error {
	key, err := readKey(text)
	if err != nil {
		return s.turnAway(c, err)
	}
	principal, err := s.recognize(c, key)
	if err != nil {
		return err
	}
	return s.admit(c, principal)
}

// signOut removes the browser's cookie. The key stays valid.
func (s *Server) signOut(c *call, _, _ none) (earshot.SessionResponse, error) {
	if s.cookie.pages.Check(c.r) != nil {
		return earshot.SessionResponse{}, errForeignPage()
	}
	http.SetCookie(c.w, s.cookie.with(""))
	return c.session(nil)
}

// sessionOf returns the session of an authenticated request.
func (s *Server) sessionOf(c *call) (*earshot.Session, error) {
	key := c.principal
	o, err := s.Orgs.Organization(c.r.Context(), key.OrganizationID, c.started)
	if err != nil {
		return nil, err
	}
	session := &earshot.Session{Organization: o.Name, KeyID: key.KeyID, KeyName: key.KeyName}
	for _, scope := range key.Scopes {
		session.Scopes = append(session.Scopes, string(scope))
	}
	return session, nil
}

// session returns the response with a session, which may be nil.
func (c *call) session(session *earshot.Session) (earshot.SessionResponse, error) {
	c.w.Header().Set("Cache-Control", "no-store")
	return earshot.SessionResponse{Session: session}, nil
}
