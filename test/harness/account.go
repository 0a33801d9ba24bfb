package harness

import (
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"earshot/client"
	"earshot/internal/account"
	"earshot/internal/app"
)

// Organization creates an organization on a plan of the service or of plans below. Its key
// has these scopes, or the scopes of a first key if there are none.
func (n *Node) Organization(tb testing.TB, plan string, credits int64, scopes ...account.Scope) *app.Account {
	tb.Helper()
	name := tb.Name() + "-" + rand.Text()
	a, err := app.CreateOrganization(n.Orgs, plans, name, plan, &credits, account.Operator())
	if err != nil {
		tb.Fatal(err)
	}
	if len(scopes) > 0 {
		a.Key = n.Key(tb, a, time.Time{}, scopes...).Key
	}
	return a
}

// Client returns a client of the node with the account's key.
func (n *Node) Client(a *app.Account) *client.Client { return client.New(n.BaseURL, a.Key.Text) }

// Reload reads the account's organization from the database.
func (n *Node) Reload(tb testing.TB, a *app.Account) *account.Organization {
	tb.Helper()
	o, err := n.Orgs.Organization(tb.Context(), a.Organization.ID, time.Now())
	if err != nil {
		tb.Fatal(err)
	}
	return o
}

// State is the part of an organization's state that jobs change.
type State struct {
	Balance, Held   int64
	Running, Queued int
}

// Expect fails the test if the account's organization has another state.
func (n *Node) Expect(tb testing.TB, a *app.Account, what string, want State) {
	tb.Helper()
	o := n.Reload(tb, a)
	if got := (State{o.Balance, o.Held, o.Running, o.Queued}); got != want {
		tb.Errorf("%s the organization has %+v, want %+v", what, got, want)
	}
}

// Key creates another key of an account. A zero time means that it never expires.
func (n *Node) Key(tb testing.TB, a *app.Account, expires time.Time, scopes ...account.Scope) *app.Account {
	tb.Helper()
	key := account.NewKey()
	if err := n.Orgs.CreateKey(a.Organization.ID, key, scopes, expires, account.Operator(), time.Now()); err != nil {
		tb.Fatal(err)
	}
	return &app.Account{Organization: a.Organization, Key: key}
}

// Admin creates another key of an account, with all scopes.
func (n *Node) Admin(tb testing.TB, a *app.Account) *app.Account {
	tb.Helper()
	return n.Key(tb, a, time.Time{}, append(account.DefaultScopes(), account.ScopeAdmin)...)
}

// Token returns a new token that signs in to the dashboard of the node.
func (n *Node) Token(tb testing.TB) string {
	tb.Helper()
	_, token, ok := strings.Cut(n.DashboardURL(), n.BaseURL+"/#token=")
	if !ok || len(token) < 20 {
		tb.Fatalf("the token is %q", token)
	}
	return token
}

// plans are further plans for tests. Their limits are small enough to reach in a test,
// except for the rate limit, which is small only in "hasty".
var plans = app.Settings{Plans: account.Plans{
	{Name: "one", Slots: 1, CreditsPerCycle: 1000, RequestsPerSecond: 100_000, QueueCapacity: 1000},
	{Name: "many", Slots: 100, CreditsPerCycle: 1000, RequestsPerSecond: 100_000, QueueCapacity: 1000},
	{Name: "five", Slots: 1, CreditsPerCycle: 1000, RequestsPerSecond: 100_000, QueueCapacity: 5},
	{Name: "busy", Slots: 1, CreditsPerCycle: 500, RequestsPerSecond: 1000, QueueCapacity: 1},
	{Name: "patient", Slots: 1, CreditsPerCycle: 500, RequestsPerSecond: 1000, QueueCapacity: 10},
	{Name: "hasty", Slots: 1, CreditsPerCycle: 100_000, RequestsPerSecond: 1},
}}
