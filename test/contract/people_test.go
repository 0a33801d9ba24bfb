package contract_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/app"
	"earshot/internal/store/people"
	"earshot/test/harness"
)

// The users of the contract, in the organization of anyKey.
const (
	adminUser    = "admin user"
	switcherUser = "switcher" // signed in to the organization of poorKey
	changerUser  = "changer"  // whose password changes
)

const (
	endSessionOp = "DELETE " + harness.SessionsPath + "/{id}"
	changeUserOp = "PATCH " + harness.UsersPath + "/{id}"
	removeUserOp = "DELETE " + harness.UsersPath + "/{id}"
	uninviteOp   = "DELETE " + harness.InvitationsPath + "/{id}"
)

// makePeople makes users, and invitations in every state.
func makePeople(t *testing.T, n *harness.Node, s *stage) {
	t.Helper()
	a, store, now := s.accounts[anyKey], people.New(n.Store), time.Now()
	for name, role := range map[string]account.Role{adminUser: account.RoleAdmin, switcherUser: account.RoleViewer, changerUser: account.RoleEditor} {
		s.accounts[name] = n.User(t, a, role)
		s.things["<"+name+">"] = s.accounts[name].Key.ID
	}
	s.accounts[switcherUser] = n.Join(t, s.accounts[poorKey], account.RoleEditor, s.accounts[switcherUser].Key.Name)
	s.things["<organization>"] = a.Organization.ID
	s.things["<email>"] = s.accounts[adminUser].Key.Name

	spare := n.User(t, a, account.RoleViewer)
	s.things["<spare user>"] = spare.Key.ID
	s.things["<spare session>"], _ = account.SecretID(account.SessionSecret, n.User(t, a, account.RoleViewer).Key.Text)
	for _, name := range []string{"<invitation>", "<accepted invitation>"} {
		s.things[name] = n.Invite(t, a, account.RoleViewer, account.NewKey().ID+"@example.com")
	}
	s.things["<spare invitation>"], _ = account.SecretID(account.InvitationSecret, n.Invite(t, a, account.RoleViewer, "spare@example.com"))
	s.things["<known invitation>"] = n.Invite(t, s.accounts[poorKey], account.RoleViewer, s.accounts[adminUser].Key.Name)
	_, s.things["<no invitation>"] = account.NewSecret(account.InvitationSecret)

	external, err := store.UserOf(t.Context(), people.Identity{Issuer: "https://id.example.com", Subject: "1", Email: "external@example.com"}, account.System(), now)
	if err != nil {
		t.Fatal(err)
	}
	s.things["<external invitation>"] = n.Invite(t, a, account.RoleViewer, external.Email)

	popular := n.Organization(t, "lite", 0)
	s.accounts[popularKey] = n.Admin(t, popular)
	var group sync.WaitGroup
	for i := range 500 {
		group.Go(func() {
			id, _ := account.NewSecret(account.InvitationSecret)
			err := store.Invite(&people.Invitation{
				ID: id, Hash: []byte{}, Organization: popular.Organization.ID, Email: fmt.Sprintf("%d@example.com", i), Role: account.RoleViewer,
				CreatedAt: now, ExpiresAt: now.Add(time.Hour),
			}, account.Operator(), now)
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

// popularKey is an admin's key of an organization with as many invitations as one may have.
const popularKey = "popular"

// passwordless is a node without passwords, and an invitation to it.
func passwordless(t *testing.T) *stage {
	n, s := newStage(t, func(cfg *app.Config) { cfg.Settings.SignIn.Passwords = new(bool) })
	s.things = map[string]string{"<invitation>": n.Invite(t, s.accounts[anyKey], account.RoleViewer, "ana@example.com")}
	return s
}

func peopleRows() []row {
	const newPassword = `{"current":"` + harness.Password + `","new":"another horse battery"}`
	rows := slices.Concat(
		commonRows("switch", "PATCH "+harness.SessionPath, "", `{"organization":"`+harness.NoTask+`"}`, account.ScopeRead),
		commonRows("password", "PUT "+harness.PasswordPath, "", newPassword, account.ScopeRead),
		commonRows("sessions", "GET "+harness.SessionsPath, "", "", account.ScopeRead),
		commonRows("end a session", endSessionOp, harness.SessionsPath+"/<spare session>", "", account.ScopeRead),
		commonRows("users", "GET "+harness.UsersPath, "", "", account.ScopeAdmin),
		commonRows("change a user", changeUserOp, harness.UsersPath+"/<spare user>", `{"role":"admin"}`, account.ScopeAdmin),
		commonRows("remove a user", removeUserOp, harness.UsersPath+"/<spare user>", "", account.ScopeAdmin),
		commonRows("invitations", "GET "+harness.InvitationsPath, "", "", account.ScopeAdmin),
		commonRows("invite", "POST "+harness.InvitationsPath, "", `{"email":"ana@example.com","role":"viewer"}`, account.ScopeAdmin),
		commonRows("revoke an invitation", uninviteOp, harness.InvitationsPath+"/<spare invitation>", "", account.ScopeAdmin),
		[]row{
			{name: "switch the organization", method: "PATCH", path: harness.SessionPath, key: switcherUser, header: mergePatch, body: `{"organization":"<organization>"}`, status: 200, check: holds(`"role":"viewer","current":true}`)},
			{name: "switch to nothing", method: "PATCH", path: harness.SessionPath, key: adminUser, body: `{}`, status: 200, check: holds(`"role":"admin"`)},
			{name: "switch to null", method: "PATCH", path: harness.SessionPath, key: adminUser, body: `{"organization":null}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("organization")},
			{name: "switch to no organization", method: "PATCH", path: harness.SessionPath, key: adminUser, body: `{"organization":"` + harness.NoTask + `"}`, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"` + harness.NoTask + `"}`)},
			{name: "switch the organization of a key", method: "PATCH", path: harness.SessionPath, key: readKey, body: `{"organization":"<organization>"}`, status: 403, code: "INSUFFICIENT_PERMISSIONS", check: details(`{}`)},
			{name: "switch from another site", method: "PATCH", path: harness.SessionPath, key: adminUser, header: map[string]string{"Sec-Fetch-Site": "cross-site"}, body: `{"organization":"<organization>"}`, status: 401, code: "MISSING_API_KEY"},

			{name: "change the password", method: "PUT", path: harness.PasswordPath, key: changerUser, body: newPassword, status: 200, check: says(`{"success":true}`)},
			{name: "change another password", method: "PUT", path: harness.PasswordPath, key: adminUser, body: strings.Replace(newPassword, "correct", "incorrect", 1), status: 400, code: "VALIDATION_ERROR", check: fields("current")},
			{name: "change the password to a short one", method: "PUT", path: harness.PasswordPath, key: adminUser, body: `{"current":"` + harness.Password + `","new":"horse"}`, status: 400, code: "VALIDATION_ERROR", check: fields("new")},
			{name: "change the password of a key", method: "PUT", path: harness.PasswordPath, key: readKey, body: newPassword, status: 403, code: "INSUFFICIENT_PERMISSIONS", check: details(`{}`)},

			{name: "sessions", method: "GET", path: harness.SessionsPath, key: adminUser, status: 200, check: holds(`"address":"127.0.0.1"`)},
			{name: "sessions of a key", method: "GET", path: harness.SessionsPath, key: readKey, status: 200, check: says(`{"sessions":[]}`)},
			{name: "end a session", method: "DELETE", path: harness.SessionsPath + "/<spare session>", as: endSessionOp, key: adminUser, status: 200, check: says(`{"success":true,"id":"`)},
			{name: "end no session", method: "DELETE", path: harness.SessionsPath + "/aaaaaaaaaaaaaaaa", as: endSessionOp, key: adminUser, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"aaaaaaaaaaaaaaaa"}`)},
			{name: "end what is no id of a session", method: "DELETE", path: harness.SessionsPath + "/%00", as: endSessionOp, key: adminUser, status: 404, code: "RESOURCE_NOT_FOUND"},

			{name: "users", method: "GET", path: harness.UsersPath, key: adminUser, status: 200, check: holds(`"current":true}`)},
			{name: "change a user", method: "PATCH", path: harness.UsersPath + "/<changer>", as: changeUserOp, key: adminUser, body: `{"role":"viewer"}`, status: 200, check: holds(`"role":"viewer","sources":["invitation"]`)},
			{name: "change nothing of a user", method: "PATCH", path: harness.UsersPath + "/<changer>", as: changeUserOp, key: adminUser, body: `{}`, header: mergePatch, status: 200, check: holds(`"sources":["invitation"]`)},
			{name: "change a user to no role", method: "PATCH", path: harness.UsersPath + "/<changer>", as: changeUserOp, key: adminUser, body: `{"role":"owner"}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("role")},
			{name: "change no user", method: "PATCH", path: harness.UsersPath + "/u_aaaaaaaaaaaaaaaa", as: changeUserOp, key: adminUser, body: `{"role":"viewer"}`, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"u_aaaaaaaaaaaaaaaa"}`)},
			{name: "change the own role", method: "PATCH", path: harness.UsersPath + "/<admin user>", as: changeUserOp, key: adminUser, body: `{"role":"viewer"}`, status: 409, code: "RESOURCE_CONFLICT"},
			{name: "remove a user", method: "DELETE", path: harness.UsersPath + "/<spare user>", as: removeUserOp, key: adminUser, status: 200, check: says(`{"success":true,"id":"u_`)},
			{name: "remove what is no user", method: "DELETE", path: harness.UsersPath + "/%00", as: removeUserOp, key: adminUser, status: 404, code: "RESOURCE_NOT_FOUND"},
			{name: "remove oneself", method: "DELETE", path: harness.UsersPath + "/<admin user>", as: removeUserOp, key: adminUser, status: 409, code: "RESOURCE_CONFLICT"},

			{name: "invitations", method: "GET", path: harness.InvitationsPath, key: adminUser, status: 200, check: holds(`"email":"external@example.com","role":"viewer","invitedBy":"`)},
			{name: "invite", method: "POST", path: harness.InvitationsPath, key: adminUser, body: `{"email":"Ana@example.com","role":"editor"}`, status: 200, check: holds(`"email":"ana@example.com","role":"editor","invitedBy":"admin-`)},
			{name: "invite nobody", method: "POST", path: harness.InvitationsPath, key: adminUser, body: `{}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("email", "role")},
			{name: "invite no address", method: "POST", path: harness.InvitationsPath, key: adminUser, body: `{"email":"Ana <ana@example.com>","role":"editor"}`, status: 400, code: "VALIDATION_ERROR", check: fields("email")},
			{name: "invite too many", method: "POST", path: harness.InvitationsPath, key: popularKey, body: `{"email":"ana@example.com","role":"editor"}`, status: 409, code: "RESOURCE_CONFLICT", check: details(`{"id":"ana@example.com"}`)},
			{name: "revoke an invitation", method: "DELETE", path: harness.InvitationsPath + "/<spare invitation>", as: uninviteOp, key: adminUser, status: 200, check: says(`{"success":true,"id":"`)},
			{name: "revoke no invitation", method: "DELETE", path: harness.InvitationsPath + "/aaaaaaaaaaaaaaaa", as: uninviteOp, key: adminUser, status: 404, code: "RESOURCE_NOT_FOUND"},
			{name: "revoke what is no id of an invitation", method: "DELETE", path: harness.InvitationsPath + "/%ff", as: uninviteOp, key: adminUser, status: 404, code: "RESOURCE_NOT_FOUND"},

			{name: "session with a password", method: "POST", path: harness.SessionPath, body: `{"email":"<email>","password":"` + harness.Password + `"}`, status: 200, check: holds(`"role":"admin","hasPassword":true}`)},
			{name: "session with a wrong password", method: "POST", path: harness.SessionPath, body: `{"email":"nobody@example.com","password":"x"}`, status: 401, code: "INVALID_API_KEY"},
			{name: "session without a password", method: "POST", path: harness.SessionPath, body: `{"email":"nobody@example.com"}`, status: 400, code: "VALIDATION_ERROR", check: fields("password")},
			{name: "session without passwords", on: "passwordless", method: "POST", path: harness.SessionPath, body: `{"email":"ana@example.com","password":"x"}`, status: 403, code: "INSUFFICIENT_PERMISSIONS", check: details(`{}`)},
			{name: "who is signed in as a user", method: "GET", path: harness.SessionPath, key: adminUser, status: 200, check: holds(`"role":"admin","current":true}]}}`)},
			{name: "signing out when keys cannot be read", on: "keyless", method: "DELETE", path: harness.SessionPath, header: map[string]string{"Cookie": "earshot=<key>"}, status: 500, code: "INTERNAL_SERVER_ERROR"},
		},
		invitationRows("invitation", "POST "+harness.InvitationPath, `"`),
		invitationRows("accept", "POST "+harness.AcceptPath, `","name":"Ben","password":"`+harness.Password+`"`),
		[]row{
			{name: "invitation", method: "POST", path: harness.InvitationPath, body: `{"token":"<invitation>"}`, status: 200, check: holds(`"role":"viewer","hasPassword":false,"usesProvider":false}`)},
			{name: "invitation of a user", method: "POST", path: harness.InvitationPath, body: `{"token":"<known invitation>"}`, status: 200, check: holds(`"hasPassword":true,"usesProvider":false}`)},

			{name: "accept", method: "POST", path: harness.AcceptPath, body: `{"token":"<accepted invitation>","name":"Ben","password":"` + harness.Password + `"}`, status: 200, check: holds(`"name":"Ben","role":"viewer","hasPassword":true}`)},
			{name: "accept with a short password", method: "POST", path: harness.AcceptPath, body: `{"token":"<invitation>","password":"horse"}`, status: 400, code: "VALIDATION_ERROR", check: fields("password")},
			{name: "accept with an invalid name", method: "POST", path: harness.AcceptPath, body: `{"token":"<invitation>","name":"\u0007","password":"` + harness.Password + `"}`, status: 400, code: "VALIDATION_ERROR", check: fields("name")},
			{name: "accept with a wrong password", method: "POST", path: harness.AcceptPath, body: `{"token":"<known invitation>","password":"incorrect horse battery"}`, status: 401, code: "INVALID_API_KEY"},
			{name: "accept without passwords", on: "passwordless", method: "POST", path: harness.AcceptPath, body: `{"token":"<invitation>","password":"` + harness.Password + `"}`, status: 403, code: "INSUFFICIENT_PERMISSIONS", check: details(`{}`)},
			{name: "accept with an account elsewhere", method: "POST", path: harness.AcceptPath, body: `{"token":"<external invitation>","password":"` + harness.Password + `"}`, status: 409, code: "RESOURCE_CONFLICT"},
		},
	)
	return rows
}

// invitationRows are rows of the operations with the token of an invitation; rest follows the token.
func invitationRows(name, as, rest string) []row {
	body := func(token string) string { return `{"token":"` + token + rest + `}` }
	rows := []row{
		{name: "of nobody", body: `{}`, status: 400, code: "VALIDATION_ERROR", refused: true},
		{name: "from another site", header: map[string]string{"Sec-Fetch-Site": "cross-site"}, body: body("<invitation>"), status: 401, code: "MISSING_API_KEY"},
		{name: "with nobody's token", body: body("<no invitation>"), status: 404, code: "RESOURCE_NOT_FOUND"},
		{name: "with an invalid token", body: body("x"), status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":""}`)},
		{name: "too fast", burst: true, body: body("x"), status: 429, code: earshot.CodeRateLimit},
		{name: "when invitations cannot be read", on: "keyless", body: body("<no invitation>"), status: 500, code: "INTERNAL_SERVER_ERROR"},
		{name: "when the node is full", on: "full", body: body("x"), status: 503, code: "SERVICE_UNAVAILABLE"},
		{name: "while the node stops", on: "draining", body: body("x"), status: 503, code: "SERVICE_UNAVAILABLE"},
	}
	for i := range rows {
		rows[i].name = name + " " + rows[i].name
		rows[i].method, rows[i].path, _ = strings.Cut(as, " ")
	}
	return rows
}

// sendMany sends the row's request more often than an address may, and returns a refusal.
func (c row) sendMany(t *testing.T, s *stage) *exchange {
	t.Helper()
	replies := make(chan *exchange, 150)
	var group sync.WaitGroup
	for range cap(replies) {
		group.Go(func() { replies <- s.send(t, c.request(t, s), nil) })
	}
	group.Wait()
	close(replies)
	var last *exchange
	for last = range replies {
		if last.StatusCode == http.StatusTooManyRequests {
			break
		}
	}
	return last
}
