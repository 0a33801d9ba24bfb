package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"earshot"
)

// Keys lists the organization's keys, newest first. Like all of this file it needs
// a key with the scope admin.
func (c *Client) Keys(ctx context.Context) ([]*earshot.Key, error) {
	list, err := get[earshot.KeyList](ctx, c, http.MethodGet, "/v1/keys", nil)
	if err != nil {
		return nil, err
	}
	return list.Keys, nil
}

// KeyRequest is a key to be made. Without scopes it may do everything but
// administer the account; without an expiry it does not end by itself.
type KeyRequest struct {
	Scopes    []string  `json:"scopes,omitempty"`
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
}

// CreateKey makes a key. Its secret is told this once.
func (c *Client) CreateKey(ctx context.Context, key KeyRequest) (*earshot.NewKey, error) {
	return get[earshot.NewKey](ctx, c, http.MethodPost, "/v1/keys", key)
}

// RevokeKey ends a key, which cannot be the client's own, and tells how it stands
// then.
func (c *Client) RevokeKey(ctx context.Context, id string) (*earshot.Key, error) {
	revoked, err := get[struct {
		Key earshot.Key `json:"key"`
	}](ctx, c, http.MethodDelete, "/v1/keys/"+url.PathEscape(id), nil)
	if err != nil {
		return nil, err
	}
	return &revoked.Key, nil
}

// LedgerQuery says which ledger entries to list. The zero value means all of them
// in pages of the service's own size.
type LedgerQuery struct {
	Kind   string // grant, charge, lapse or adjust
	Cursor string // that of another page
	Limit  int
}

// Ledger is a page of the changes of the balance, newest first.
func (c *Client) Ledger(ctx context.Context, q LedgerQuery) (*earshot.LedgerPage, error) {
	query := url.Values{}
	for name, value := range map[string]string{"kind": q.Kind, "cursor": q.Cursor} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if q.Limit > 0 {
		query.Set("limit", strconv.Itoa(q.Limit))
	}
	return get[earshot.LedgerPage](ctx, c, http.MethodGet, "/v1/ledger?"+query.Encode(), nil)
}

// RotateWebhookSecret makes a new secret to verify webhooks with, which is told
// this once. Until the one before ends, webhooks carry a signature of each.
func (c *Client) RotateWebhookSecret(ctx context.Context) (*earshot.RotatedSecret, error) {
	return get[earshot.RotatedSecret](ctx, c, http.MethodPost, "/v1/webhooks/secret/rotate", nil)
}

// TestWebhook sends one signed message to a URL and tells how it went.
func (c *Client) TestWebhook(ctx context.Context, receiver string) (*earshot.WebhookTest, error) {
	tested, err := get[struct {
		Test earshot.WebhookTest `json:"test"`
	}](ctx, c, http.MethodPost, "/v1/webhooks/test", TaskWebhook{URL: receiver})
	if err != nil {
		return nil, err
	}
	return &tested.Test, nil
}
