package service_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/api"
	"earshot/internal/app"
	"earshot/test/harness"
)

// marker is a word that everything in the other organization contains.
const marker = "zanzibar"

// furnish gives an organization something of everything and returns the ids, by the part of the path
// before the parameter.
func furnish(t *testing.T, n *harness.Node, a *app.Account) map[string]string {
	t.Helper()
	admin := n.Admin(t, a)
	put := func(path, body string) { n.Send(t, admin, http.MethodPut, path, body).Has(t, path, http.StatusOK) }
	put("/v1/trackers/"+marker, strings.Replace(tracker, "hats", marker, 1))
	put("/v1/channels/"+marker, `{"kind":"slack","url":"https://hooks.slack.com/services/`+marker+`"}`)
	var started earshot.SweepStarted
	n.Post(t, a, "/v1/trackers/"+marker+"/sweeps", `{}`).Into(t, &started)
	ids := map[string]string{"/trackers/": marker, "/channels/": marker, "/sweeps/": started.Sweep.ID}
	harness.Eventually(t, "the sweep has an answer", func() bool {
		var page earshot.AnswerPage
		n.Get(t, a, "/v1/trackers/"+marker+"/answers").Into(t, &page)
		if len(page.Answers) == 0 {
			return false
		}
		ids["/answers/"] = page.Answers[0].ID
		return true
	})
	harness.Eventually(t, "the sweep has ended", func() bool { // which changes the list of trackers
		var sweep earshot.Sweep
		n.Get(t, a, "/v1/trackers/"+marker+"/sweeps/"+started.Sweep.ID).Into(t, &sweep)
		return sweep.State == earshot.SweepClosed
	})
	batch := n.SubmitAll(t, a, harness.ChatTask(marker))
	ids["/batches/"], ids["/task/"] = batch.BatchID, batch.Results[0].Task.ID
	ids["/requests/"] = ids["/task/"]
	n.Wait(t, a, ids["/task/"])

	var key earshot.NewKey
	n.Post(t, admin, harness.KeysPath, `{"name":"`+marker+`"}`).Into(t, &key)
	user := n.Join(t, a, account.RoleViewer, marker+"@example.com")
	n.Invite(t, a, account.RoleViewer, marker+"-later@example.com")
	ids["/keys/"], ids["/users/"], ids["/sessions/"] = key.Key.ID, user.Key.ID, sessionID(user)
	ids["/invitations/"] = first(t, n.Get(t, admin, harness.InvitationsPath), "invitations")
	return ids
}

// TestUsersSeeOneOrganization has an admin, who may do everything, try every operation with the ids of another
// organization.
func TestUsersSeeOneOrganization(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a, b := n.Organization(t, "many", 1000), n.Organization(t, "many", 1000)
		ids := furnish(t, n, b)
		w, admin := &grounds{n: n}, n.Admin(t, b)
		before := w.state(t, admin)
		user := n.User(t, a, account.RoleAdmin)
		for _, o := range api.Operations(app.Providers()) {
			if !strings.HasPrefix(o.Path, "/v1/") || o.Path == harness.SessionPath || o.Path == harness.LivePath {
				continue
			}
			path := o.Path
			for part, id := range ids {
				name, rest, found := strings.Cut(path, part+"{")
				if _, rest, ok := strings.Cut(rest, "}"); found && ok {
					path = name + part + id + rest
				}
			}
			body := ""
			switch {
			case o.Method == http.MethodPatch:
				body = bodies[o.Method+" "+o.Path]
			case o.Body != nil:
				body = `{` // which would otherwise create something in the own organization
			}
			r := harness.Do(t, other.Request(t.Context(), t, user, o.Method, path, body))
			what := fmt.Sprintf("%s %s: %d %.300s", o.Method, path, r.StatusCode, r.Body)
			switch {
			case path != o.Path && r.StatusCode == http.StatusOK, r.StatusCode >= http.StatusInternalServerError, r.StatusCode == http.StatusUnauthorized:
				t.Error(what)
			case r.StatusCode == http.StatusOK && strings.Contains(string(r.Body), marker):
				t.Error(what)
			}
		}
		const own = "/v1/trackers/own"
		n.Send(t, a, http.MethodPut, own, tracker).Has(t, "a tracker", http.StatusOK)
		for _, path := range []string{"/sweeps/" + ids["/sweeps/"], "/answers/" + ids["/answers/"], "/diff?a=" + ids["/answers/"] + "&b=" + ids["/answers/"]} {
			n.Get(t, user, own+path).Fails(t, "in a tracker of the own organization "+path, http.StatusNotFound, earshot.CodeNotFound)
		}
		if after := w.state(t, admin); after != before {
			t.Errorf("users of another organization changed\n%s\nto\n%s", before, after)
		}
	})
}

// switchTo switches a user's session to the organization of an account.
func switchTo(t *testing.T, n *harness.Node, user, to *app.Account) *harness.Reply {
	t.Helper()
	return n.Send(t, user, http.MethodPatch, harness.SessionPath, fmt.Sprintf(`{"organization":%q}`, to.Organization.ID))
}

func TestSwitchingOrganizations(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a, b, c := n.Organization(t, "many", 1), n.Organization(t, "many", 2), n.Organization(t, "many", 3)
		inA := n.User(t, a, account.RoleAdmin)
		inB := n.Join(t, b, account.RoleViewer, inA.Key.Name)
		credits := func(user *app.Account) (credits earshot.Credits) {
			other.Get(t, user, "/v1/credits").Into(t, &credits)
			return credits
		}
		if credits(inA).Remaining != 1 || credits(inB).Remaining != 2 {
			t.Errorf("the sessions are in %+v and %+v", credits(inA), credits(inB))
		}
		n.Get(t, inB, harness.KeysPath).Has(t, "an admin of another organization", http.StatusForbidden)

		switched := n.SignedIn(t, switchTo(t, n, inA, b), b)
		ends(t, other, inA, "the cookie before the switch is refused")
		if credits(switched).Remaining != 2 {
			t.Errorf("the session is in %+v", credits(switched))
		}
		switchTo(t, n, switched, c).Fails(t, "an organization of others", http.StatusNotFound, earshot.CodeNotFound)
		works(t, n, switched, "after a refused switch")

		// The page still shows the organization of before.
		back := n.SignedIn(t, switchTo(t, n, switched, a), a)
		for method, path := range map[string]string{http.MethodGet: "/v1/credits", http.MethodPut: "/v1/trackers/hats", http.MethodPost: harness.TaskPath, http.MethodDelete: harness.QueuePath} {
			req := other.Request(t.Context(), t, back, method, path, tracker)
			req.Header.Set("Earshot-Organization", b.Organization.ID)
			harness.Do(t, req).FailsWith(t, method, http.StatusConflict, earshot.CodeConflict, fmt.Sprintf(`{"id":%q}`, a.Organization.ID))
		}
		n.Get(t, back, "/v1/trackers/hats").Has(t, "a tracker for another organization", http.StatusNotFound)
		n.SendWith(t, back, http.MethodPut, "/v1/trackers/hats", tracker, map[string]string{"Earshot-Organization": a.Organization.ID}).Has(t, "the right organization", http.StatusOK)
	})
}

func TestRemovedUsersKeepOtherOrganizations(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a, b := n.Organization(t, "many", 1000), n.Organization(t, "many", 1000)
		inA := n.User(t, a, account.RoleEditor)
		inB, admin := n.Join(t, b, account.RoleEditor, inA.Key.Name), n.User(t, b, account.RoleAdmin)
		member := harness.UsersPath + "/" + inB.Key.ID

		n.Send(t, admin, http.MethodPatch, member, `{"role":"viewer"}`).Has(t, "change the role", http.StatusOK)
		harness.Eventually(t, "the role has changed", func() bool { return other.Post(t, inB, harness.TaskPath, `{`).StatusCode == http.StatusForbidden })
		other.Post(t, inA, harness.TaskPath, harness.GoodTask).Has(t, "the role in another organization", http.StatusOK)

		n.Send(t, admin, http.MethodDelete, member, "").Has(t, "remove", http.StatusOK)
		ends(t, other, inB, "the user loses the organization")
		works(t, other, inA, "the other organization")
		switchTo(t, n, inA, b).Fails(t, "back to the organization", http.StatusNotFound, earshot.CodeNotFound)
		var response earshot.SessionResponse
		n.Get(t, inA, harness.SessionPath).Into(t, &response)
		if all := response.Session.Organizations; len(all) != 1 || all[0].ID != a.Organization.ID {
			t.Errorf("the user belongs to %+v", all)
		}
		works(t, n, n.SignIn(t, inA), "a new session")
	})
}

func TestSessionsOfOthers(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a, b := n.Organization(t, "many", 1000), n.Organization(t, "many", 1000)
		viewer, editor, admin := n.User(t, a, account.RoleViewer), n.User(t, a, account.RoleEditor), n.User(t, a, account.RoleAdmin)
		inB := n.Join(t, b, account.RoleAdmin, viewer.Key.Name)
		sees := func(who *app.Account) (ids []string) {
			var list earshot.SessionList
			n.Get(t, who, harness.SessionsPath).Into(t, &list)
			for _, one := range list.Sessions {
				ids = append(ids, one.ID)
			}
			return ids
		}
		end := func(who, whose *app.Account) *harness.Reply {
			return n.Send(t, who, http.MethodDelete, harness.SessionsPath+"/"+sessionID(whose), "")
		}
		if got := sees(viewer); len(got) != 1 || got[0] != sessionID(viewer) {
			t.Errorf("a viewer sees %q", got)
		}
		if got := sees(admin); len(got) != 3 {
			t.Errorf("an admin sees %q", got)
		}
		for _, who := range []*app.Account{viewer, n.Key(t, a, time.Time{}, account.ScopeRead)} {
			end(who, editor).Fails(t, "another's session", http.StatusNotFound, earshot.CodeNotFound)
		}
		end(admin, inB).Fails(t, "a session in another organization", http.StatusNotFound, earshot.CodeNotFound)
		end(inB, editor).Fails(t, "a session in another organization", http.StatusNotFound, earshot.CodeNotFound)
		works(t, other, editor, "a session that others tried to end")
		end(admin, editor).Has(t, "an admin", http.StatusOK)
		ends(t, other, editor, "the session that an admin ended")
		works(t, other, inB, "the session in another organization")
	})
}

func TestInvitationsOfOthers(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a, b := n.Organization(t, "many", 1000), n.Organization(t, "many", 1000)
		stranger := n.User(t, a, account.RoleAdmin)
		accept := func(token string) *harness.Reply {
			return other.Post(t, nil, harness.AcceptPath, fmt.Sprintf(`{"token":%q,"password":%q}`, token, harness.Password))
		}
		revoke := func(who *app.Account, token string) *harness.Reply {
			id, _ := account.SecretID(account.InvitationSecret, token)
			return n.Send(t, who, http.MethodDelete, harness.InvitationsPath+"/"+id, "")
		}
		token := n.Invite(t, b, account.RoleEditor, "ana@example.com")
		if r := n.Get(t, stranger, harness.InvitationsPath); strings.Contains(string(r.Body), "ana@example.com") {
			t.Errorf("an admin of another organization sees %s", r.Body)
		}
		revoke(stranger, token).Fails(t, "revoke another's invitation", http.StatusNotFound, earshot.CodeNotFound)

		replies := make(chan *harness.Reply, 5)
		var group sync.WaitGroup
		for range cap(replies) {
			group.Go(func() { replies <- accept(token) })
		}
		group.Wait()
		close(replies)
		joined := 0
		for r := range replies {
			switch r.StatusCode {
			case http.StatusOK:
				joined++
				ana := n.SignedIn(t, r, b)
				switchTo(t, n, ana, a).Has(t, "the organization of others", http.StatusNotFound)
			case http.StatusNotFound, http.StatusConflict:
			default:
				t.Errorf("a second use: %d %s", r.StatusCode, r.Body)
			}
		}
		if joined != 1 {
			t.Errorf("%d joined with one invitation", joined)
		}

		revoked, replaced := n.Invite(t, b, account.RoleEditor, "ben@example.com"), n.Invite(t, b, account.RoleViewer, "eve@example.com")
		revoke(n.Admin(t, b), revoked).Has(t, "revoke", http.StatusOK)
		n.Invite(t, b, account.RoleViewer, "eve@example.com")
		for _, token := range []string{token, revoked, replaced} {
			accept(token).Fails(t, "an invitation that is not valid", http.StatusNotFound, earshot.CodeNotFound)
		}
	})
}
