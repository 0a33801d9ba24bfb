package news

import (
	"context"

	"earshot/internal/provider"
	"earshot/internal/provider/vendorapi/brave"
	"earshot/internal/upstream"
)

// askAPI asks the official API instead of the engine.
func (r *request) askAPI(ctx context.Context, up *upstream.Session) (*provider.Outcome, error) {
	q := r.query
	result, err := brave.AskNews(ctx, up, brave.Query{
		Text: q.Text, Locale: q.Locale, UserAgent: q.UserAgent(), First: q.First, Extra: q.Extra,
	}, q.Pages, r.html)
	if err != nil {
		return nil, err
	}
	if brave.Located(q.Locale) {
		result.Location = up.Location(q.Locale)
	}
	return &provider.Outcome{Result: result, Bill: r.Bill()}, nil
}
