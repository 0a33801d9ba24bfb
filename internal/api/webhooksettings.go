package api

import (
	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
)

// rotateSecret gives the organization a new webhook secret and tells it, once.
func (s *Server) rotateSecret(c *call) error {
	secret := account.NewWebhookSecret()
	if err := s.Store.RotateSecret(c.principal.OrganizationID, secret, c.started); err != nil {
		return err
	}
	s.Log.Info("a webhook secret was rotated", "request", c.id, "organization", c.principal.OrganizationID, "by", c.principal.KeyID)
	return c.json(earshot.RotatedSecret{Secret: secret, PreviousValidUntil: earshot.Timestamp{Time: c.started.Add(store.SecretLife)}})
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
	test, err := s.TestWebhook(c.r.Context(), c.principal.OrganizationID, body.URL)
	if err != nil {
		return err
	}
	return c.json(earshot.WebhookTestResponse{Test: *test})
}
