package api

import (
	"encoding/json"
	"errors"
	"slices"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/strictjson"
)

// keyList lists the organization's keys, newest first.
func (s *Server) keyList(c *call) error {
	keys, err := s.Store.Keys(c.r.Context(), c.principal.OrganizationID, c.started)
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
	in, err := c.object()
	if err != nil {
		return err
	}
	scopes, expires := decodeScopes(in), decodeExpiry(in, c.started)
	if err := in.Err(); err != nil {
		return err
	}
	key := account.NewKey()
	err = s.Store.CreateKey(c.principal.OrganizationID, key, scopes, expires, c.started)
	if errors.Is(err, store.ErrTooManyKeys) {
		return strictjson.Invalid(strictjson.BodyField, "%v", store.ErrTooManyKeys)
	}
	if err != nil {
		return err
	}
	s.Log.Info("a key was made", "request", c.id, "organization", c.principal.OrganizationID, "key", key.ID, "by", c.principal.KeyID)
	made := earshot.Key{ID: key.ID, CreatedAt: earshot.Timestamp{Time: c.started}, ExpiresAt: earshot.When(expires)}
	for _, scope := range scopes {
		made.Scopes = append(made.Scopes, string(scope))
	}
	return c.json(struct {
		Success bool `json:"success"`
		earshot.NewKey
	}{true, earshot.NewKey{Key: made, Secret: key.Text}})
}

// decodeScopes takes what a key may do out of a body; absent means what a new key
// may.
func decodeScopes(in *strictjson.Object) []account.Scope {
	in.Ignore("scopes") // no other field of a request is a list, so that it is read here
	if !in.Has("scopes") {
		return account.DefaultScopes()
	}
	var body struct {
		Scopes []account.Scope `json:"scopes"`
	}
	if err := json.Unmarshal(in.Raw(), &body); err != nil || len(body.Scopes) == 0 {
		in.Reject("scopes", "must be a list of at least one scope")
		return nil
	}
	for i, scope := range body.Scopes {
		if !account.IsScope(scope) || slices.Contains(body.Scopes[:i], scope) {
			in.Reject("scopes", "must be a list of read, monitor, tasks and admin, each at most once")
			return nil
		}
	}
	return body.Scopes
}

// decodeExpiry takes the moment when a key ends by itself out of a body; absent
// means never.
func decodeExpiry(in *strictjson.Object, now time.Time) time.Time {
	text, ok := in.String("expiresAt")
	if !ok {
		return time.Time{}
	}
	expires, err := time.Parse(time.RFC3339, text)
	if err != nil || !expires.After(now) {
		in.Reject("expiresAt", "must be a time to come in RFC 3339, such as 2026-09-08T09:30:00Z")
	}
	return expires
}

// revokeKey ends a key of the organization, except the one that asks: nobody is to
// lock themselves out by a slip.
func (s *Server) revokeKey(c *call) error {
	id := c.r.PathValue("id")
	if id == c.principal.KeyID {
		return &earshot.Error{
			Code:    earshot.CodeConflict,
			Message: "a key cannot revoke itself; use another one",
			Details: earshot.ResourceDetails{ID: id},
		}
	}
	if !account.IsKeyID(id) {
		return errNotFound(id)
	}
	key, err := s.Store.RevokeKeyOf(c.principal.OrganizationID, id, c.started)
	if err != nil {
		return notFoundAs(err, id)
	}
	s.Log.Info("a key was revoked", "request", c.id, "organization", c.principal.OrganizationID, "key", id, "by", c.principal.KeyID)
	return c.json(struct {
		Success bool         `json:"success"`
		Key     *earshot.Key `json:"key"`
	}{true, key})
}
