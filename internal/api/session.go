package api

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/limits/slowdown"
	"earshot/internal/schema"
	"earshot/internal/signin"
	"earshot/internal/store"
)

// maxSignIn is the maximum length of the body of a sign-in.
const maxSignIn = 4 << 10

// sessionCookie is the dashboard's cookie. It contains the secret of a user's session, or a key.
// Scripts cannot read it.
type sessionCookie struct {
	name   string
	base   string // path of the service at its public URL, without a slash at the end
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
		c.base = u.Path
		_ = c.pages.AddTrustedOrigin(u.Scheme + "://" + u.Host)
	}
	return c
}

// with returns the cookie with a secret, or the cookie that removes it if secret is "".
func (s sessionCookie) with(secret string) *http.Cookie {
	cookie := &http.Cookie{ // over plain HTTP, browsers reject Secure cookies
		Name: s.name, Value: secret, Path: "/", MaxAge: int(signin.SessionLife.Seconds()), HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteStrictMode,
	}
	if secret == "" {
		cookie.MaxAge = -1
	}
	return cookie
}

// credential returns the key of a request, from the Authorization header, or the key or session
// in the dashboard's cookie. Browsers send the cookie automatically, so a request that changes
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
	return readCookie(cookie.Value)
}

// readCookie returns the session or key in the dashboard's cookie.
func readCookie(value string) (sentKey, error) {
	if strings.HasPrefix(value, string(account.SessionSecret)) {
		return readSecret(account.SessionSecret, value)
	}
	return readKey(value)
}

// checkSession returns an error if the identity provider no longer accepts the user of a session, or
// if the page of the request shows another organization: the user has switched in another tab.
func (s *Server) checkSession(c *call, known *knownKey, secret string) error {
	if known.session == nil {
		return nil
	}
	err := s.SignIn.Check(c.context(), known.session, secret)
	if errors.Is(err, signin.ErrEnded) {
		s.keys.forget(known.Credential())
		return s.turnAway(c, errSessionEnded())
	}
	if shown := c.r.Header.Get(earshot.OrganizationHeader); err == nil && shown != "" && shown != known.OrganizationID {
		return &earshot.Error{
			Code: earshot.CodeConflict, Message: "you have switched to another organization; reload the page",
			Details: earshot.ConflictDetails{ID: known.OrganizationID},
		}
	}
	return err
}

// lacks returns the message for a principal without a scope.
func (c *call) lacks(scope account.Scope) string {
	if scope == account.ScopeOperator {
		return "only an operator can do this"
	}
	if c.principal.UserID != "" {
		return fmt.Sprintf("this needs the role %s; you have the role %s", account.LowestRole(scope), c.principal.Role)
	}
	return fmt.Sprintf("this key does not have the scope %q", scope)
}

// browser returns the client of a sign-in, with the session that the new one replaces.
func (s *Server) browser(c *call) *signin.Browser {
	b := &signin.Browser{Address: c.ip(), UserAgent: c.r.UserAgent(), Request: c.id}
	if had, _, err := s.inCookie(c); err == nil {
		b.Session = had.SessionID
	}
	return b
}

// inCookie returns the key or session in the dashboard's cookie, and its text. It returns
// http.ErrNoCookie and CodeInvalidKey.
func (s *Server) inCookie(c *call) (known *knownKey, text string, err error) {
	cookie, err := c.r.Cookie(s.cookie.name)
	if err != nil {
		return nil, "", err
	}
	sent, err := readCookie(cookie.Value)
	if err != nil {
		return nil, "", err
	}
	known, err = s.keys.authenticate(c.context(), sent, c.address())
	return known, cookie.Value, err
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
		operation(Operation{Method: "POST", Path: "/v1/session", Unkeyed: signsIn, Public: true, Audit: "session.signin,session.refused"}, (*Server).signIn),
		operation(Operation{Method: "PATCH", Path: "/v1/session", Scope: account.ScopeRead, Audit: "session.switch"}, (*Server).switchOrganization),
		operation(Operation{Method: "DELETE", Path: "/v1/session", Public: true, Audit: "session.signout"}, (*Server).signOut),
		operation(Operation{Method: "PUT", Path: "/v1/session/password", Scope: account.ScopeRead, Audit: "user.password"}, (*Server).changePassword),
		operation(Operation{Method: "GET", Path: "/v1/sessions", Scope: account.ScopeRead, Client: Method{Name: "Sessions", Returns: "Sessions"}},
			func(s *Server, c *call, _, _ none) (list earshot.SessionList, err error) {
				list.Sessions, err = s.People.Sessions(c.context(), c.organization(), c.ownSessions(), s.Store.Now())
				for _, one := range list.Sessions {
					one.Current = one.ID == c.principal.SessionID
				}
				return list, err
			}),
		operation(Operation{Method: "DELETE", Path: "/v1/sessions/{id}", Scope: account.ScopeRead, Audit: "session.revoke", Finds: "session", Client: Method{Name: "EndSession", Returns: nothing}},
			func(s *Server, c *call, _, _ none) (earshot.SessionRevoked, error) {
				id, err := c.publicID()
				if err == nil {
					err = s.People.EndSession(c.organization(), id, c.ownSessions(), "session.revoke", c.actor(), s.Store.Now())
				}
				return earshot.SessionRevoked{ID: id}, err
			}),
	}
}

// ownSessions returns the user whose sessions the principal may see and end, or "" for all users of the
// organization, for an admin.
func (c *call) ownSessions() string {
	if slices.Contains(c.principal.Scopes, account.ScopeAdmin) {
		return ""
	}
	return c.principal.KeyID // for a key without the scope, a user that does not exist
}

// session returns who is signed in. It is no error if nobody is, because the dashboard
// calls this first.
func (s *Server) session(c *call, _, _ none) (response earshot.SessionResponse, err error) {
	if s.WorkerOnly {
		return response, errWorkerOnly()
	}
	err = s.identify(c)
	if code := earshot.ErrorCode(err); code == earshot.CodeMissingKey || code == earshot.CodeInvalidKey {
		return s.sessionOf(c)
	}
	if err != nil {
		return response, err
	}
	return s.sessionOf(c)
}

// signIn opens a session with a key, with the one-time token, or with an email and a password. A
// valid token is accepted even if the address has exceeded guestLimit.
func (s *Server) signIn(c *call, _ none, _ unread[earshot.SessionRequest]) (response earshot.SessionResponse, err error) {
	if err := s.admitSignIn(c); err != nil {
		return response, err
	}
	asked, err := readSignIn(c)
	if err != nil {
		return response, err
	}
	text := asked.Key
	switch {
	case asked.Email != "":
		c.turn.End() // the attempt may have to wait
		text, err = s.SignIn.Password(c.context(), asked.Email, asked.Password, s.browser(c))
		return s.signedIn(c, text, err)
	case text != "":
		err = s.takeKey(c, text)
	default:
		text, c.principal, err = s.Exchange(c.context(), asked.Token)
		err = s.turnAway(c, err)
	}
	if err != nil {
		return response, err
	}
	if had, _, err := s.inCookie(c); err == nil {
		if err := s.endSession(c, had); err != nil {
			return response, err
		}
	}
	http.SetCookie(c.w, s.cookie.with(text))
	return s.sessionOf(c)
}

// admitSignIn returns an error if this node or the page of the request cannot sign anybody in.
func (s *Server) admitSignIn(c *call) error {
	switch {
	case s.WorkerOnly:
		return errWorkerOnly()
	case s.Jobs.Draining():
		return errStopping()
	case s.cookie.pages.Check(c.r) != nil:
		return errForeignPage()
	}
	return nil
}

// signedIn sends the cookie of a new session, or the error of the attempt.
func (s *Server) signedIn(c *call, secret string, err error) (response earshot.SessionResponse, _ error) {
	if err != nil {
		return response, s.turnAway(c, c.slowed(err))
	}
	sent, err := readCookie(secret)
	if err != nil {
		return response, err
	}
	// The session exists, so reading it must not be refused as a stranger's lookup.
	known, err := s.keys.load(c.context(), sent.credential)
	if err != nil {
		return response, err
	}
	c.principal = &known.Principal
	http.SetCookie(c.w, s.cookie.with(secret))
	return s.sessionOf(c)
}

// slowed returns the response for an attempt that was refused because of earlier failures. It
// returns any other error unchanged.
func (c *call) slowed(err error) error {
	if slow, ok := errors.AsType[*slowdown.RefusedError](err); ok {
		return &earshot.Error{Code: earshot.CodeRateLimit, Message: slow.Error()}
	}
	return err
}

func readSignIn(c *call) (*earshot.SessionRequest, error) {
	in, err := c.object()
	if err != nil {
		return nil, err
	}
	asked := &earshot.SessionRequest{}
	in.Decode(asked)
	ways := 0
	for _, way := range []string{asked.Token, asked.Key, asked.Email} {
		if way != "" {
			ways++
		}
	}
	if in.Err() == nil && ways != 1 {
		in.Reject("token", "exactly one of token, key and email is required")
	}
	if in.Err() == nil && (asked.Email == "") != (asked.Password == "") {
		in.Reject("password", "is required with email, and only then")
	}
	return asked, in.Err()
}

// takeKey authenticates the key of a sign-in.
func (s *Server) takeKey(c *call, text string) error {
	b := s.browser(c)
	key, err := readKey(text)
	if err != nil {
		return s.turnAway(c, err)
	}
	known, err := s.recognize(c, key)
	if err != nil {
		if earshot.ErrorCode(err) == earshot.CodeInvalidKey {
			s.SignIn.Refused(c.context(), &account.User{Email: strings.TrimPrefix(key.credential, string(account.KeySecret))}, b, "key")
		}
		return err
	}
	if err := s.admit(c, &known.Principal); err != nil {
		return err
	}
	return s.Store.AuditAlone(c.organization(), c.actor(), store.Audited{Action: "session.signin", Subject: c.principal.KeyID, After: map[string]string{"via": "key"}}, s.Store.Now())
}

// switchOrganization replaces the session by one for another organization of the user.
func (s *Server) switchOrganization(c *call, _ none, patch earshot.SessionPatch) (response earshot.SessionResponse, err error) {
	known, err := s.keys.find(c.context(), c.principal.Credential(), c.address())
	if err != nil {
		return response, err
	}
	if known.session == nil {
		return response, errNotUser()
	}
	if patch.Organization == nil {
		http.SetCookie(c.w, s.cookie.with(c.credential))
		return s.sessionOf(c)
	}
	secret, err := s.SignIn.Switch(c.context(), known.session, c.credential, *patch.Organization, s.browser(c), c.actor())
	if err != nil {
		return response, notFoundAs(err, "organization", *patch.Organization)
	}
	s.keys.forget(known.Credential())
	return s.signedIn(c, secret, nil)
}

func errNotUser() error {
	return &earshot.Error{Code: earshot.CodeNoPermission, Message: "only a user who is signed in can do this, not a key", Details: earshot.ScopeDetails{}}
}

// changePassword replaces the password of the user.
func (s *Server) changePassword(c *call, _ none, change earshot.PasswordChange) (earshot.PasswordChanged, error) {
	if c.principal.UserID == "" {
		return earshot.PasswordChanged{}, errNotUser()
	}
	c.turn.End() // the attempt may have to wait
	err := s.SignIn.ChangePassword(c.context(), c.principal, &change, s.browser(c), c.actor())
	if earshot.ErrorCode(err) == earshot.CodeInvalidKey {
		err = schema.Invalid("current", "is not your password")
	}
	return earshot.PasswordChanged{}, c.slowed(err)
}

// signOut ends the session and removes the browser's cookie. A key in the cookie stays valid.
func (s *Server) signOut(c *call, _, _ none) (response earshot.SessionResponse, err error) {
	if s.cookie.pages.Check(c.r) != nil {
		return response, errForeignPage()
	}
	known, secret, err := s.inCookie(c)
	url := ""
	switch {
	case errors.Is(err, http.ErrNoCookie), earshot.ErrorCode(err) == earshot.CodeInvalidKey: // nobody is signed in
	case err != nil:
		return response, err
	default:
		if known.session != nil {
			url = s.SignIn.SignOutURL(c.context(), known.session, secret)
		}
		if err := s.endSession(c, known); err != nil {
			return response, err
		}
	}
	http.SetCookie(c.w, s.cookie.with(""))
	response, err = s.sessionOf(c)
	response.SignOutURL = url
	return response, err
}

// endSession ends the session in the cookie. A key stays valid.
func (s *Server) endSession(c *call, known *knownKey) error {
	by, now := c.actorOf(&known.Principal), s.Store.Now()
	if known.session == nil {
		return s.Store.AuditAlone(known.OrganizationID, by, store.Audited{Action: "session.signout", Subject: known.KeyID}, now)
	}
	err := s.People.EndSession(known.OrganizationID, known.SessionID, "", "session.signout", by, now)
	s.keys.forget(known.Credential())
	if errors.Is(err, store.ErrNotFound) {
		return nil // it has ended meanwhile
	}
	return err
}

// sessionOf returns the session of an authenticated request, or how to sign in.
func (s *Server) sessionOf(c *call) (response earshot.SessionResponse, err error) {
	c.w.Header().Set("Cache-Control", "no-store")
	p := c.principal
	if p == nil || p.OrganizationID == "" { // an operator on the socket has no session
		response.SignIn = s.SignIn.Ways()
		return response, nil
	}
	o, err := s.Orgs.Organization(c.context(), p.OrganizationID, c.started)
	if err != nil {
		return response, err
	}
	session := &earshot.Session{Organization: o.Name, OrganizationID: o.ID, KeyID: p.KeyID, KeyName: p.KeyName}
	for _, scope := range p.Scopes {
		session.Scopes = append(session.Scopes, string(scope))
	}
	response.Session = session
	if p.UserID == "" {
		return response, nil
	}
	u, err := s.People.User(c.context(), p.UserID)
	if err != nil {
		return response, err
	}
	session.User = &earshot.SessionUser{ID: u.ID, Email: u.Email, Name: u.Name, Role: earshot.Role(p.Role), HasPassword: u.Password != ""}
	memberships, err := s.People.Memberships(c.context(), p.UserID)
	for _, m := range memberships {
		session.Organizations = append(session.Organizations,
			earshot.SessionOrganization{ID: m.Organization, Name: m.Name, Role: earshot.Role(m.Role), Current: m.Organization == p.OrganizationID})
	}
	return response, err
}
