package client

import (
	"context"
	"net/http"
	"time"

	"earshot"
)

// Quote returns the maximum cost of up to 500 tasks, without queueing them. The item of an
// invalid task contains its error.
func (c *Client) Quote(ctx context.Context, tasks ...earshot.TaskRequest) (*earshot.Quote, error) {
	return exchange[earshot.Quote](ctx, c, call{method: http.MethodPost, path: "/v1/quote", body: tasks, repeat: idempotent})
}

// Usage returns the number of calls and tasks and their credits by day and provider, for
// the UTC days between from and to. A zero from means the beginning of the billing cycle,
// a zero to means today.
func (c *Client) Usage(ctx context.Context, from, to time.Time) (*earshot.Usage, error) {
	days := earshot.UsageQuery{From: day(from), To: day(to)}
	return exchange[earshot.Usage](ctx, c, call{method: http.MethodGet, path: withQuery("/v1/usage", days), repeat: idempotent})
}

func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}

// Ledger returns a page of the changes of the balance, newest first. LedgerEntries reads
// all pages.
func (c *Client) Ledger(ctx context.Context, q earshot.LedgerQuery) (*earshot.LedgerPage, error) {
	return exchange[earshot.LedgerPage](ctx, c, call{method: http.MethodGet, path: withQuery("/v1/ledger", q), repeat: idempotent})
}

// Ready returns nil if the service accepts requests. It does not retry.
func (c *Client) Ready(ctx context.Context) error {
	withoutRetries := *c
	withoutRetries.retries = 0
	_, err := exchange[struct{}](ctx, &withoutRetries, call{method: http.MethodGet, path: "/readyz"})
	return err
}
