package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"time"

	"earshot"
)

// Keys lists the organization's keys, newest first. Like all of this file it needs
// a key with the scope admin.
func (c *Client) Keys(ctx context.Context) ([]*earshot.Key, error) {
	list, err := get[earshot.KeyList](ctx, c, "/v1/keys")
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
	return ask[earshot.NewKey](ctx, c, call{method: http.MethodPost, path: "/v1/keys", body: key})
}

// RevokeKey ends a key, which cannot be the client's own, and tells how it stands
// then.
func (c *Client) RevokeKey(ctx context.Context, id string) (*earshot.Key, error) {
	revoked, err := ask[struct {
		Key earshot.Key `json:"key"`
	}](ctx, c, call{method: http.MethodDelete, path: "/v1/keys/" + url.PathEscape(id), repeat: harmless})
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
	return get[earshot.LedgerPage](ctx, c, query("/v1/ledger", map[string]string{"kind": q.Kind, "cursor": q.Cursor, "limit": number(q.Limit)}))
}

// LedgerEntries lists the changes of the balance, newest first: all of them, or
// those of one kind. It works like Tasks.
func (c *Client) LedgerEntries(ctx context.Context, kind string) iter.Seq2[*earshot.LedgerEntry, error] {
	return items(func(cursor string) (earshot.List[earshot.LedgerEntry], *string, error) {
		page, err := c.Ledger(ctx, LedgerQuery{Kind: kind, Cursor: cursor})
		if err != nil {
			return nil, nil, err
		}
		return page.Entries, page.NextCursor, nil
	})
}

// RotateWebhookSecret makes a new secret to verify webhooks with, which is told
// this once. Until the one before ends, webhooks carry a signature of each.
func (c *Client) RotateWebhookSecret(ctx context.Context) (*earshot.RotatedSecret, error) {
	return ask[earshot.RotatedSecret](ctx, c, call{method: http.MethodPost, path: "/v1/webhooks/secret/rotate"})
}

// TestWebhook sends one signed message to a URL and tells how it went.
func (c *Client) TestWebhook(ctx context.Context, receiver string) (*earshot.WebhookTest, error) {
	tested, err := ask[struct {
		Test earshot.WebhookTest `json:"test"`
	}](ctx, c, call{method: http.MethodPost, path: "/v1/webhooks/test", body: TaskWebhook{URL: receiver}})
	if err != nil {
		return nil, err
	}
	return &tested.Test, nil
}
