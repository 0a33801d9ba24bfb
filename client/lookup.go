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

// Credits tells the balance and the billing cycle.
func (c *Client) Credits(ctx context.Context) (*earshot.Credits, error) {
	return get[earshot.Credits](ctx, c, "/v1/credits")
}

// Quote tells what up to 500 tasks can cost at most, and queues none. A task that
// would be refused has its error in its item.
func (c *Client) Quote(ctx context.Context, tasks ...earshot.TaskRequest) (*earshot.Quote, error) {
	return ask[earshot.Quote](ctx, c, call{method: http.MethodPost, path: "/v1/quote", body: tasks, repeat: harmless})
}

// Usage tells what the jobs of some days came to, by day and provider. The days
// are those of UTC that from and to lie in; a zero from means the beginning of the
// billing cycle, a zero to means today.
func (c *Client) Usage(ctx context.Context, from, to time.Time) (*earshot.Usage, error) {
	return get[earshot.Usage](ctx, c, query("/v1/usage", earshot.UsageQuery{From: day(from), To: day(to)}))
}

func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}

// Stats tells what the jobs of the last hours came to, 1 to 24 of them, by hour
// and provider.
func (c *Client) Stats(ctx context.Context, hours int) ([]earshot.HourStats, error) {
	stats, err := get[earshot.Stats](ctx, c, query("/v1/stats", earshot.StatsQuery{Hours: hours}))
	if err != nil {
		return nil, err
	}
	return stats.Hours, nil
}

// ExtractionHealth tells how well the service understands what providers answer.
func (c *Client) ExtractionHealth(ctx context.Context) (*earshot.ExtractionHealth, error) {
	return get[earshot.ExtractionHealth](ctx, c, "/v1/health/extraction")
}

// Ready tells, by a nil error, that the service takes requests. It asks once, since
// an answer that is no is what it is there for.
func (c *Client) Ready(ctx context.Context) error {
	impatient := *c
	impatient.retries = 0
	_, err := get[struct{}](ctx, &impatient, "/readyz")
	return err
}
