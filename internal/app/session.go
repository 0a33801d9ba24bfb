package app

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"sync"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/signin"
	"earshot/internal/store"
)

// tokenLife is how long the token in the dashboard's URL is valid.
const tokenLife = 15 * time.Minute

// ticket is the one-time token that signs in to the dashboard.
type ticket struct {
	mu      sync.Mutex
	token   string // empty if no token was created, or it was used
	expires time.Time
}

// DashboardURL returns the URL of the dashboard with a new token. The token signs in to
// the oldest organization, once, within 15 minutes, on this node. It replaces the previous
// token. It is in the fragment, which browsers do not send, so that it appears in no log.
func (a *App) DashboardURL() string {
	if a.cfg.Role == RoleWorker {
		return a.BaseURL + "/" // workers do not support signing in
	}
	a.ticket.mu.Lock()
	defer a.ticket.mu.Unlock()
	a.ticket.token, a.ticket.expires = rand.Text(), time.Now().Add(cmp.Or(a.cfg.TokenLife, tokenLife))
	return a.BaseURL + "/#token=" + a.ticket.token
}

// signIn exchanges the token for a key with all scopes that expires after
// signin.SessionLife.
func (a *App) signIn(ctx context.Context, token string) (text string, whose *account.Principal, err error) {
	a.ticket.mu.Lock()
	defer a.ticket.mu.Unlock()
	now := time.Now()
	known := a.ticket.token != "" && subtle.ConstantTimeCompare([]byte(token), []byte(a.ticket.token)) == 1
	if !known || !now.Before(a.ticket.expires) {
		return "", nil, &earshot.Error{
			Code: earshot.CodeInvalidKey, Message: "this token is not valid: it works once, for 15 minutes, on the node that printed it",
		}
	}
	owner, err := a.orgs.Oldest(ctx)
	if err != nil {
		return "", nil, err
	}
	key := account.NewKey()
	key.Name = "dashboard"
	whose = &account.Principal{KeyID: key.ID, KeyName: key.Name, OrganizationID: owner.ID, Scopes: append(account.DefaultScopes(), account.ScopeAdmin)}
	if err := a.orgs.CreateKey(owner.ID, key, whose.Scopes, now.Add(signin.SessionLife), account.Operator(), now); err != nil {
		return "", nil, fmt.Errorf("sign in: %w", err)
	}
	if err := a.store.AuditAlone(owner.ID, account.Operator(), store.Audited{Action: "session.signin", Subject: key.ID}, now); err != nil {
		return "", nil, fmt.Errorf("sign in: %w", err)
	}
	a.ticket.token = ""
	a.cfg.Log.Info("signed in to the dashboard", "organization", owner.ID, "key", key.ID)
	return key.Text, whose, nil
}

// Owner returns the name of the organization that DashboardURL signs in to.
func (a *App) Owner(ctx context.Context) (string, error) {
	owner, err := a.orgs.Oldest(ctx)
	if err != nil {
		return "", err
	}
	return owner.Name, nil
}
