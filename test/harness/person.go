package harness

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/app"
)

// The paths of the operations about people.
const (
	UsersPath       = "/v1/users"
	InvitationsPath = "/v1/invitations"
	InvitationPath  = "/v1/invitation"
	AcceptPath      = "/v1/invitation/accept"
	SessionsPath    = "/v1/sessions"
	PasswordPath    = "/v1/session/password"
)

// Password is the password of all users.
const Password = "correct horse battery"

// User creates a user of an account's organization, who accepts an invitation. The result can make
// requests like an account with a key: its key is the session of the user's browser, with the id and
// the email of the user.
func (n *Node) User(tb testing.TB, a *app.Account, role account.Role) *app.Account {
	tb.Helper()
	return n.Join(tb, a, role, fmt.Sprintf("%s-%s@example.com", role, strings.ToLower(rand.Text())))
}

// Join adds the person with an email to an account's organization and signs in there.
func (n *Node) Join(tb testing.TB, a *app.Account, role account.Role, email string) *app.Account {
	tb.Helper()
	token := n.Invite(tb, a, role, email)
	return n.SignedIn(tb, n.Post(tb, nil, AcceptPath, fmt.Sprintf(`{"token":%q,"password":%q}`, token, Password)), a)
}

// Invite invites a person to an account's organization and returns the token of the invitation.
func (n *Node) Invite(tb testing.TB, a *app.Account, role account.Role, email string) string {
	tb.Helper()
	var made earshot.NewInvitation
	n.Post(tb, n.Admin(tb, a), InvitationsPath, fmt.Sprintf(`{"email":%q,"role":%q}`, email, role)).Into(tb, &made)
	_, token, ok := strings.Cut(made.URL, n.BaseURL+"/#/join/")
	if !ok {
		tb.Fatalf("the invitation has the link %q", made.URL)
	}
	return token
}

// SignIn opens another session of a user.
func (n *Node) SignIn(tb testing.TB, user *app.Account) *app.Account {
	tb.Helper()
	return n.SignedIn(tb, n.Post(tb, nil, SessionPath, Credentials(user.Key.Name, Password)), user)
}

// Credentials returns the body of a sign-in.
func Credentials(email, password string) string {
	body, _ := json.Marshal(earshot.SessionRequest{Email: email, Password: password}) // cannot fail for strings
	return string(body)
}

// SignedIn returns the user of a session that was opened for an account's organization.
func (n *Node) SignedIn(tb testing.TB, r *Reply, a *app.Account) *app.Account {
	tb.Helper()
	var response earshot.SessionResponse
	r.Into(tb, &response)
	cookies := r.Cookies()
	if len(cookies) != 1 || response.Session == nil || response.Session.User == nil || response.Session.OrganizationID != a.Organization.ID {
		tb.Fatalf("signed in with %v: %s", cookies, r.Body)
	}
	user := response.Session.User
	return &app.Account{Organization: a.Organization, Key: account.Key{ID: user.ID, Name: user.Email, Text: cookies[0].Value}}
}

// Authenticate adds the credential of an account to a request: a key in Authorization, or a session
// as the dashboard sends it.
func Authenticate(req *http.Request, a *app.Account) {
	if !strings.HasPrefix(a.Key.Text, string(account.SessionSecret)) {
		req.Header.Set("Authorization", "Bearer "+a.Key.Text)
		return
	}
	req.Header.Set("Cookie", "earshot="+a.Key.Text)
	req.Header.Set("Sec-Fetch-Site", "same-origin")
}
