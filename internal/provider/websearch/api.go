package websearch

import (
	"context"

	"earshot/internal/provider"
	"earshot/internal/provider/vendorapi/brave"
	"earshot/internal/upstream"
)

// askAPI asks the official API instead of the engine. It knows neither ads nor
// overviews, which are not charged then.
func (r *request) askAPI(ctx context.Context, up *upstream.Session) (*provider.Outcome, error) {
	q := r.query
	result, err := brave.AskWeb(ctx, up, brave.Query{
		Text: q.Text, Locale: q.Locale, Place: q.Place, UserAgent: q.UserAgent(), First: q.First, Extra: q.Extra,
	}, q.Pages, r.html)
	if err != nil {
		return nil, err
	}
	if brave.Located(q.Locale) {
		result.Location = up.Location(q.Locale)
	}
	bill := r.Bill()
	delete(bill, itemOverview)
	return &provider.Outcome{Result: result, Bill: bill}, nil
}
