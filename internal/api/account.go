package api

import (
	"errors"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/schema"
	"earshot/internal/store"
	"earshot/internal/store/orgs"
)

func keyOperations() []Operation {
	return []Operation{
		operation(Operation{Method: "GET", Path: "/v1/keys", Scope: account.ScopeAdmin, Client: Method{Name: "Keys", Returns: "Keys"}},
			func(s *Server, c *call, _, _ none) (earshot.KeyList, error) {
				keys, err := s.Orgs.Keys(c.context(), c.organization(), s.Store.Now())
				for _, k := range keys {
					k.Current = k.ID == c.principal.KeyID
				}
				return earshot.KeyList{Keys: keys}, err
			}),
		operation(Operation{Method: "POST", Path: "/v1/keys", Scope: account.ScopeAdmin, Audit: "key.create", Client: Method{Name: "CreateKey"}}, (*Server).createKey),
		operation(Operation{Method: "GET", Path: "/v1/keys/{id}", Scope: account.ScopeAdmin, Finds: "key", Client: Method{Name: "Key"}},
			func(s *Server, c *call, _, _ none) (*earshot.Key, error) {
				id := c.subject()
				if !account.IsKeyID(id) {
					return nil, store.ErrNotFound
				}
				key, err := s.Orgs.KeyOf(c.context(), c.organization(), id, s.Store.Now())
				if err == nil {
					key.Current = id == c.principal.KeyID
				}
				return key, err
			}),
		operation(Operation{Method: "PATCH", Path: "/v1/keys/{id}", Scope: account.ScopeAdmin, Finds: "key", Audit: "key.change", Client: Method{Name: "ChangeKey", Returns: "Key"}}, (*Server).changeKey),
		operation(Operation{Method: "DELETE", Path: "/v1/keys/{id}", Scope: account.ScopeAdmin, Finds: "key", Audit: "key.revoke", Client: Method{Name: "RevokeKey", Returns: "Key"}}, (*Server).revokeKey),
	}
}

func accountOperations() []Operation {
	return []Operation{
		operation(Operation{Method: "GET", Path: "/v1/ledger", Scope: account.ScopeAdmin, Client: Method{Name: "LedgerEntries", Takes: []string{"Kind"}}}, (*Server).ledger),
		operation(Operation{Method: "POST", Path: "/v1/webhooks/secret/rotate", Scope: account.ScopeAdmin, Audit: "webhook.rotate", Client: Method{Name: "RotateWebhookSecret"}}, (*Server).rotateSecret),
		operation(Operation{Method: "POST", Path: "/v1/webhooks/test", Claims: true, Scope: account.ScopeAdmin, Unaudited: sendsTest, Client: Method{Name: "TestWebhook", Takes: []string{"URL"}, Returns: "Test"}}, (*Server).testWebhook),
	}
}

// createKey creates a key and returns its secret, which cannot be read again.
func (s *Server) createKey(c *call, _ none, in unchecked[earshot.KeyRequest]) (earshot.NewKey, error) {
	body := in.value
	s.checkNewKey(in.Object, body.Name, body.ExpiresAt)
	if err := in.Err(); err != nil {
		return earshot.NewKey{}, err
	}
	scopes := account.DefaultScopes()
	if body.Scopes != nil {
		scopes = nil
		for _, scope := range body.Scopes {
			scopes = append(scopes, account.Scope(scope))
		}
	}
	key := account.NewKey()
	key.Name, key.CreditsPerDay, key.CreditsPerMonth = body.Name, int64(body.CreditsPerDay), int64(body.CreditsPerMonth)
	return s.storeKey(c, c.organization(), key, scopes, body.ExpiresAt)
}

// checkNewKey rejects an invalid name or expiry of a new key.
func (s *Server) checkNewKey(in *schema.Object, name string, expires time.Time) {
	if !expires.IsZero() && !expires.After(s.Store.Now()) {
		in.Reject("expiresAt", "must be a future time in RFC 3339, such as 2026-09-08T09:30:00Z")
	}
	if err := account.CheckKeyName(name); err != nil {
		in.Reject("name", "%v", err)
	}
}

// storeKey stores a new key of an organization and returns it with its secret.
func (s *Server) storeKey(c *call, organization string, key account.Key, scopes []account.Scope, expires time.Time) (earshot.NewKey, error) {
	now := s.Store.Now()
	made := earshot.Key{ID: key.ID, Name: key.Name, CreatedAt: earshot.Timestamp{Time: now}, ExpiresAt: earshot.When(expires)}
	for _, scope := range scopes {
		made.Scopes = append(made.Scopes, string(scope))
	}
	if key.CreditsPerDay > 0 || key.CreditsPerMonth > 0 {
		made.Budget = &earshot.KeyBudget{CreditsPerDay: key.CreditsPerDay, CreditsPerMonth: key.CreditsPerMonth}
	}
	orgs.SetTag(&made)
	response := earshot.NewKey{Key: made, Secret: key.Text}
	c.principal.Once.Answers(response)
	err := s.Orgs.CreateKey(organization, key, scopes, expires, c.actor(), now)
	if errors.Is(err, orgs.ErrTooManyKeys) {
		err = schema.Invalid(schema.BodyField, "%v", orgs.ErrTooManyKeys)
	}
	return response, err
}

// changeKey sets the name or the spending limits of a key of the organization.
func (s *Server) changeKey(c *call, _ none, in unchecked[earshot.KeyPatch]) (*earshot.ChangedKey, error) {
	id := c.subject()
	if name := in.value.Name; name != nil {
		if err := account.CheckKeyName(*name); err != nil {
			in.Reject("name", "%v", err)
		}
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	if !account.IsKeyID(id) {
		return nil, store.ErrNotFound
	}
	changed, err := s.Orgs.ChangeKey(c.context(), c.organization(), id, in.value, c.actor(), s.Store.Now())
	if err != nil {
		return nil, err
	}
	changed.Current = id == c.principal.KeyID
	return &earshot.ChangedKey{Key: *changed}, nil
}

// revokeKey revokes a key of the organization, except the key of the request, so that
// nobody locks themselves out by mistake.
func (s *Server) revokeKey(c *call, _, _ none) (*earshot.RevokedKey, error) {
	return c.revoke(func(id string) (*earshot.Key, error) {
		return s.Orgs.RevokeKeyOf(c.organization(), id, c.actor(), s.Store.Now())
	})
}

// revoke calls revoke with the key that the request is about, unless that is the key of the request.
func (c *call) revoke(revoke func(id string) (*earshot.Key, error)) (*earshot.RevokedKey, error) {
	id := c.subject()
	if id == c.principal.KeyID {
		return nil, &earshot.Error{
			Code:    earshot.CodeConflict,
			Message: "a key cannot revoke itself; use another key",
			Details: earshot.ConflictDetails{ID: id},
		}
	}
	if !account.IsKeyID(id) {
		return nil, store.ErrNotFound
	}
	key, err := revoke(id)
	if err != nil {
		return nil, err
	}
	return &earshot.RevokedKey{Key: *key}, nil
}

// ledger lists the changes of the organization's balance, newest first.
func (s *Server) ledger(c *call, q earshot.LedgerQuery, _ none) (page earshot.LedgerPage, err error) {
	before, err := idCursor(q.Cursor)
	if err != nil {
		return page, err
	}
	if q.Group && q.Of != "" {
		return page, schema.Invalid("of", "cannot be used with group, because it lists charges one by one")
	}
	filter := store.LedgerFilter{Kind: string(q.Kind), Of: q.Of, Limit: q.Limit, Before: before}
	if q.Group && (q.Kind == "" || q.Kind == earshot.LedgerCharge) {
		entries, next, err := s.Store.GroupedLedger(c.context(), c.organization(), filter)
		page.Entries = entries
		if next != "" {
			page.NextCursor = &next
		}
		return page, err
	}
	filter.Limit++
	entries, err := s.Store.Ledger(c.context(), c.organization(), filter)
	page.Entries, page.NextCursor = cutPage(entries, filter.Limit, func(e earshot.LedgerEntry) string { return e.ID })
	return page, err
}

// rotateSecret replaces the webhook secret of the organization and returns the new one,
// which cannot be read again.
func (s *Server) rotateSecret(c *call, _, _ none) (earshot.RotatedSecret, error) {
	secret, now := account.NewWebhookSecret(), s.Store.Now()
	response := earshot.RotatedSecret{Secret: secret, PreviousValidUntil: earshot.Timestamp{Time: now.Add(store.SecretLife)}}
	c.principal.Once.Answers(response)
	return response, s.Store.RotateSecret(c.organization(), secret, c.actor(), now)
}

// testWebhook sends one signed message to a URL and returns the result.
func (s *Server) testWebhook(c *call, _ none, in unchecked[earshot.WebhookRequest]) (*earshot.WebhookTestResponse, error) {
	if in.IsString("url") {
		if err := s.CheckWebhook(in.value.URL); err != nil {
			in.Reject("url", "%s", err)
		}
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	c.turn.End() // the rest is only waiting for the receiver
	test, err := s.TestWebhook(c.context(), c.organization(), in.value.URL)
	if err != nil {
		return nil, err
	}
	return &earshot.WebhookTestResponse{Test: *test}, nil
}
