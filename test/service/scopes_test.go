package service_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/api"
	"earshot/internal/app"
	"earshot/test/harness"
)

const tracker = `{"prompts":[{"text":"best hats"}],"targets":[{"provider":"chatassistant","country":"US"}],"schedule":{"every":"week"}}`

// caller is somebody who tries all operations.
type caller struct {
	name    string
	account *app.Account // nil without a credential
	scopes  []account.Scope
}

func (c *caller) mayUse(o *api.Operation) bool {
	switch {
	case o.Public:
		return true
	case c.account == nil, account.IsUserID(c.account.Key.ID) && !strings.HasPrefix(o.Path, "/v1/"): // users exist only in the API
		return false
	}
	return o.Scope == "" || slices.Contains(c.scopes, o.Scope)
}

// TestRolesRowByRow tries every operation with a key of every scope and a user of every role.
func TestRolesRowByRow(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "many", 1000)
	admin := n.Admin(t, a)
	n.Send(t, a, http.MethodPut, "/v1/trackers/hats", tracker).Has(t, "a tracker", http.StatusOK)
	n.Invite(t, a, account.RoleViewer, "later@example.com")
	w := &grounds{n: n, ids: map[string]string{
		"/v1/keys/{id}": n.Key(t, a, time.Time{}, account.ScopeRead).Key.ID, "/v1/users/{id}": n.User(t, a, account.RoleViewer).Key.ID,
		"/v1/invitations/{id}": first(t, n.Get(t, admin, harness.InvitationsPath), "invitations"),
		"/v1/sessions/{id}":    first(t, n.Get(t, admin, harness.SessionsPath), "sessions"),
	}}
	clients := []*caller{{name: "nobody"}}
	for _, scope := range account.Roles()[2].Scopes() {
		clients = append(clients, &caller{"a key with the scope " + string(scope), n.Key(t, a, time.Time{}, scope), []account.Scope{scope}})
	}
	for _, role := range account.Roles() {
		clients = append(clients, &caller{"a " + string(role), n.User(t, a, role), role.Scopes()})
	}
	operations := api.Operations(app.Providers())
	before := w.state(t, admin)
	for _, c := range clients { // while all things exist that an operation could change
		for i := range operations {
			if o := &operations[i]; !c.mayUse(o) {
				w.refuses(t, c, o)
			}
		}
	}
	if after := w.state(t, admin); after != before {
		t.Errorf("refused requests changed\n%s\nto\n%s", before, after)
	}
	for _, c := range clients {
		for i := range operations {
			if o := &operations[i]; c.mayUse(o) && o.Path != harness.SessionPath { // which would sign out
				w.allows(t, c, o)
			}
		}
	}
}

// grounds is a node with something of everything.
type grounds struct {
	n   *harness.Node
	ids map[string]string // by path of the operation
}

// try makes the request of an operation. Its body is valid only where a refused request would
// otherwise have nothing to change.
func (w *grounds) try(t *testing.T, c *caller, o *api.Operation, body string) *harness.Reply {
	t.Helper()
	path := strings.NewReplacer("{id}", cmp.Or(w.ids[o.Path], harness.NoTask), "{name}", "hats", "{$}", "", "{taskId}", harness.NoTask).Replace(o.Path)
	if o.Path == harness.LivePath && c.mayUse(o) {
		return w.n.Send(t, c.account, http.MethodHead, path, "") // otherwise the stream would not end
	}
	if o.Body == nil {
		body = ""
	}
	var r *harness.Reply
	harness.Eventually(t, "the address may make another request without a key", func() bool {
		r = harness.Do(t, w.n.Request(t.Context(), t, c.account, o.Method, path, body))
		return r.StatusCode != http.StatusTooManyRequests
	})
	return r
}

var bodies = map[string]string{
	"POST /v1/keys": `{}`, "PATCH /v1/keys/{id}": `{"name":"changed"}`, "PATCH /v1/users/{id}": `{"role":"admin"}`,
	"POST /v1/invitations": `{"email":"mallory@example.com","role":"admin"}`, "PUT /v1/trackers/{name}": strings.Replace(tracker, "hats", "shoes", 1),
	"POST " + harness.TaskPath: harness.GoodTask, "POST " + harness.ChatPath: harness.GoodCall,
}

func (w *grounds) refuses(t *testing.T, c *caller, o *api.Operation) {
	t.Helper()
	what := fmt.Sprintf("%s %s for %s", o.Method, o.Path, c.name)
	r := w.try(t, c, o, cmp.Or(bodies[o.Method+" "+o.Path], `{}`))
	if c.account == nil || !strings.HasPrefix(o.Path, "/v1/") {
		r.Fails(t, what, http.StatusUnauthorized, earshot.CodeMissingKey)
		return
	}
	r.FailsWith(t, what, http.StatusForbidden, earshot.CodeNoPermission, fmt.Sprintf(`{"requiredScope":%q}`, o.Scope))
}

func (w *grounds) allows(t *testing.T, c *caller, o *api.Operation) {
	t.Helper()
	r := w.try(t, c, o, `{`)
	unknown := r.StatusCode == http.StatusUnauthorized && !o.Public
	forbidden := r.StatusCode == http.StatusForbidden && strings.Contains(string(r.Body), "requiredScope")
	if unknown || forbidden || r.StatusCode >= http.StatusInternalServerError {
		t.Errorf("%s %s for %s: %d %.300s", o.Method, o.Path, c.name, r.StatusCode, r.Body)
	}
}

// state returns what an admin sees of the things that operations change.
func (w *grounds) state(t *testing.T, admin *app.Account) string {
	t.Helper()
	var all strings.Builder
	for _, path := range []string{harness.KeysPath, harness.UsersPath, harness.InvitationsPath, harness.SessionsPath, "/v1/trackers", "/v1/channels", "/v1/credits", "/v1/async/status"} {
		r := w.n.Get(t, admin, path).Has(t, path, http.StatusOK)
		all.Write(moving.ReplaceAll(r.Body, nil))
		all.WriteByte('\n')
	}
	return all.String()
}

// moving are the times at which somebody was last seen.
var moving = regexp.MustCompile(`"last(Seen|Used)At":("[^"]*"|null),`)

// first returns the id of the first thing in a list.
func first(t *testing.T, r *harness.Reply, list string) string {
	t.Helper()
	var things map[string][]struct{ ID string }
	if err := json.Unmarshal(r.Body, &things); err != nil || len(things[list]) == 0 {
		t.Fatalf("%s: %s (%v)", list, r.Body, err)
	}
	return things[list][0].ID
}
