package api

import (
	"errors"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/schema"
	"earshot/internal/store"
)

// keyList lists the organization's keys, newest first.
func (s *Server) keyList(c *call) error {
	keys, err := s.Store.Keys(c.r.Context(), c.principal.OrganizationID, s.Store.Now())
	if err != nil {
		return err
	}
	for _, k := range keys {
		k.Current = k.ID == c.principal.KeyID
	}
	return c.json(earshot.KeyList{Keys: keys})
}

// createKey makes a key and tells its secret, once.
func (s *Server) createKey(c *call) error {
	var body earshot.KeyRequest
	in, err := c.decode(&body)
	if err != nil {
		return err
	}
	now := s.Store.Now()
	if !body.ExpiresAt.IsZero() && !body.ExpiresAt.After(now) {
		in.Reject("expiresAt", "must be a time to come in RFC 3339, such as 2026-09-08T09:30:00Z")
	}
	if err := account.CheckKeyName(body.Name); err != nil {
		in.Reject("name", "%v", err)
	}
	if err := in.Err(); err != nil {
		return err
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
	err = s.Store.CreateKey(c.principal.OrganizationID, key, scopes, body.ExpiresAt, now)
	if errors.Is(err, store.ErrTooManyKeys) {
		return schema.Invalid(schema.BodyField, "%v", store.ErrTooManyKeys)
	}
	if err != nil {
		return err
	}
	s.Log.Info("a key was made", "request", c.id, "organization", c.principal.OrganizationID, "key", key.ID, "by", c.principal.KeyID)
	made := earshot.Key{ID: key.ID, Name: key.Name, CreatedAt: earshot.Timestamp{Time: now}, ExpiresAt: earshot.When(body.ExpiresAt)}
	for _, scope := range scopes {
		made.Scopes = append(made.Scopes, string(scope))
	}
	if key.CreditsPerDay > 0 || key.CreditsPerMonth > 0 {
		made.Budget = &earshot.KeyBudget{CreditsPerDay: key.CreditsPerDay, CreditsPerMonth: key.CreditsPerMonth}
	}
	return c.json(earshot.NewKey{Key: made, Secret: key.Text})
}

// changeKey sets what a key of the organization may spend.
func (s *Server) changeKey(c *call) error {
	var body earshot.KeyCeilings
	in, err := c.decode(&body)
	if err != nil {
		return err
	}
	if err := in.Err(); err != nil {
		return err
	}
	id := c.r.PathValue("id")
	if !account.IsKeyID(id) {
		return errNotFound("key", id)
	}
	key, err := s.Store.SetKeyBudget(c.r.Context(), c.principal.OrganizationID, id, int64(body.CreditsPerDay), int64(body.CreditsPerMonth), s.Store.Now())
	if err != nil {
		return notFoundAs(err, "key", id)
	}
	key.Current = id == c.principal.KeyID
	s.Log.Info("the budget of a key was set", "request", c.id, "organization", c.principal.OrganizationID, "key", id, "by", c.principal.KeyID)
	return c.json(earshot.ChangedKey{Key: *key})
}

// revokeKey ends a key of the organization, except the one that asks: nobody is to
// lock themselves out by a slip.
func (s *Server) revokeKey(c *call) error {
	id := c.r.PathValue("id")
	if id == c.principal.KeyID {
		return &earshot.Error{
			Code:    earshot.CodeConflict,
			Message: "a key cannot revoke itself; use another one",
			Details: earshot.ConflictDetails{ID: id},
		}
	}
	if !account.IsKeyID(id) {
		return errNotFound("key", id)
	}
	key, err := s.Store.RevokeKeyOf(c.principal.OrganizationID, id, s.Store.Now())
	if err != nil {
		return notFoundAs(err, "key", id)
	}
	s.Log.Info("a key was revoked", "request", c.id, "organization", c.principal.OrganizationID, "key", id, "by", c.principal.KeyID)
	return c.json(earshot.RevokedKey{Key: *key})
}

// ledger lists the changes of the organization's balance, newest first.
func (s *Server) ledger(c *call) error {
	var q earshot.LedgerQuery
	if err := c.query(&q); err != nil {
		return err
	}
	before, err := idCursor(q.Cursor)
	if err != nil {
		return err
	}
	filter := store.LedgerFilter{Kind: string(q.Kind), Limit: q.Limit + 1, Before: before}
	entries, err := s.Store.Ledger(c.r.Context(), c.principal.OrganizationID, filter)
	if err != nil {
		return err
	}
	page := earshot.LedgerPage{}
	page.Entries, page.NextCursor = cutPage(entries, filter.Limit, func(e earshot.LedgerEntry) string { return e.ID })
	return c.json(page)
}

// rotateSecret gives the organization a new webhook secret and tells it, once.
func (s *Server) rotateSecret(c *call) error {
	secret := account.NewWebhookSecret()
	now := s.Store.Now()
	if err := s.Store.RotateSecret(c.principal.OrganizationID, secret, now); err != nil {
		return err
	}
	s.Log.Info("a webhook secret was rotated", "request", c.id, "organization", c.principal.OrganizationID, "by", c.principal.KeyID)
	return c.json(earshot.RotatedSecret{Secret: secret, PreviousValidUntil: earshot.Timestamp{Time: now.Add(store.SecretLife)}})
}

// testWebhook sends one signed message to a URL and tells how it went.
func (s *Server) testWebhook(c *call) error {
	var body earshot.WebhookRequest
	in, err := c.decode(&body)
	if err != nil {
		return err
	}
	if in.IsString("url") {
		if err := s.CheckWebhook(body.URL); err != nil {
			in.Reject("url", "%s", err)
		}
	}
	if err := in.Err(); err != nil {
		return err
	}
	c.turn.End() // what is left is to wait for the receiver
	test, err := s.TestWebhook(c.r.Context(), c.principal.OrganizationID, body.URL)
	if err != nil {
		return err
	}
	return c.json(earshot.WebhookTestResponse{Test: *test})
}
