package client

import (
	"context"
	"net/http"
	"time"

	"earshot"
)

// Countries lists the country codes, all of them or those of one model, which is
// a provider's name such as chatassistant.
func (c *Client) Countries(ctx context.Context, model string) ([]string, error) {
	return list[string](ctx, c, query("/v1/countries", earshot.CountryQuery{Model: model}))
}

// States lists the states of a country.
func (c *Client) States(ctx context.Context, country string) ([]earshot.State, error) {
	return list[earshot.State](ctx, c, query("/v1/states", earshot.StateQuery{Country: country}))
}

// list is a call whose answer is a bare array.
func list[T any](ctx context.Context, c *Client, path string) ([]T, error) {
	items, err := get[[]T](ctx, c, path)
	if err != nil {
		return nil, err
	}
	return *items, nil
}

// Credits returns the balance and the billing cycle.
func (c *Client) Credits(ctx context.Context) (*earshot.Credits, error) {
	return get[earshot.Credits](ctx, c, "/v1/credits")
}

// Session returns whose key the client has, and what the key may do. It is nil if the
// server does not know the key.
func (c *Client) Session(ctx context.Context) (*earshot.Session, error) {
	answer, err := get[earshot.SessionResponse](ctx, c, "/v1/session")
	if err != nil {
		return nil, err
	}
	return answer.Session, nil
}

// Quote returns what up to 500 tasks can cost at most, and queues none. A task that
// would be refused has its error in its item.
func (c *Client) Quote(ctx context.Context, tasks ...earshot.TaskRequest) (*earshot.Quote, error) {
	return exchange[earshot.Quote](ctx, c, call{method: http.MethodPost, path: "/v1/quote", body: tasks, repeat: idempotent})
}

// Usage returns the jobs and credits of the days from from to to, by day and provider.
// Days are in UTC; a zero from means the beginning of the billing cycle, a zero to
// means today.
func (c *Client) Usage(ctx context.Context, from, to time.Time) (*earshot.Usage, error) {
	return get[earshot.Usage](ctx, c, query("/v1/usage", earshot.UsageQuery{From: day(from), To: day(to)}))
}

func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}

// Stats returns the statistics of the jobs of the last 1 to 24 hours, by hour and
// provider.
func (c *Client) Stats(ctx context.Context, hours int) ([]earshot.HourStats, error) {
	stats, err := get[earshot.Stats](ctx, c, query("/v1/stats", earshot.StatsQuery{Hours: hours}))
	if err != nil {
		return nil, err
	}
	return stats.Hours, nil
}

// ExtractionHealth returns how well the service understands what providers answer.
func (c *Client) ExtractionHealth(ctx context.Context) (*earshot.ExtractionHealth, error) {
	return get[earshot.ExtractionHealth](ctx, c, "/v1/health/extraction")
}

// Ready returns nil when the service accepts requests. It makes no retries, since the
// refusal of a service that is not ready is the answer.
func (c *Client) Ready(ctx context.Context) error {
	withoutRetries := *c
	withoutRetries.retries = 0
	_, err := get[struct{}](ctx, &withoutRetries, "/readyz")
	return err
}
