package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"

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

// CreateKey makes a key. Its secret is only returned here.
func (c *Client) CreateKey(ctx context.Context, key earshot.KeyRequest) (*earshot.NewKey, error) {
	return exchange[earshot.NewKey](ctx, c, call{method: http.MethodPost, path: "/v1/keys", body: key})
}

// LimitKey sets what a key may spend; a ceiling of 0 is none.
func (c *Client) LimitKey(ctx context.Context, id string, ceilings earshot.KeyCeilings) (*earshot.Key, error) {
	changed, err := exchange[earshot.ChangedKey](ctx, c, call{method: http.MethodPatch, path: "/v1/keys/" + url.PathEscape(id), body: ceilings, repeat: idempotent})
	if err != nil {
		return nil, err
	}
	return &changed.Key, nil
}

// RevokeKey revokes a key, which cannot be the client's own, and returns its new state.
func (c *Client) RevokeKey(ctx context.Context, id string) (*earshot.Key, error) {
	revoked, err := exchange[earshot.RevokedKey](ctx, c, call{method: http.MethodDelete, path: "/v1/keys/" + url.PathEscape(id), repeat: idempotent})
	if err != nil {
		return nil, err
	}
	return &revoked.Key, nil
}

// Ledger is a page of the changes of the balance, newest first.
func (c *Client) Ledger(ctx context.Context, q earshot.LedgerQuery) (*earshot.LedgerPage, error) {
	return get[earshot.LedgerPage](ctx, c, query("/v1/ledger", q))
}

// LedgerEntries lists the changes of the balance, newest first: all of them, or
// those of one kind. It works like Tasks.
func (c *Client) LedgerEntries(ctx context.Context, kind earshot.LedgerKind) iter.Seq2[*earshot.LedgerEntry, error] {
	return items(func(cursor string) (earshot.List[earshot.LedgerEntry], *string, error) {
		page, err := c.Ledger(ctx, earshot.LedgerQuery{Kind: kind, PageQuery: earshot.PageQuery{Cursor: cursor}})
		if err != nil {
			return nil, nil, err
		}
		return page.Entries, page.NextCursor, nil
	})
}

// RotateWebhookSecret makes a new secret to verify webhooks with, which is only
// returned here. Until the previous one expires, webhooks carry a signature of each.
func (c *Client) RotateWebhookSecret(ctx context.Context) (*earshot.RotatedSecret, error) {
	return exchange[earshot.RotatedSecret](ctx, c, call{method: http.MethodPost, path: "/v1/webhooks/secret/rotate"})
}

// TestWebhook sends one signed message to a URL and returns the outcome.
func (c *Client) TestWebhook(ctx context.Context, receiver string) (*earshot.WebhookTest, error) {
	tested, err := exchange[earshot.WebhookTestResponse](ctx, c, call{method: http.MethodPost, path: "/v1/webhooks/test", body: earshot.WebhookRequest{URL: receiver}})
	if err != nil {
		return nil, err
	}
	return &tested.Test, nil
}
