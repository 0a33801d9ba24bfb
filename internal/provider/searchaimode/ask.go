package searchaimode

import (
	"context"

	"earshot/internal/provider"
	"earshot/internal/provider/answer"
	"earshot/internal/upstream"
)

// Ask fetches the page, asks the engine where the redirect links on it lead,
// reads it, and fetches the offers for its product clusters if they are wanted.
func (r *request) Ask(ctx context.Context, up *upstream.Session) (*provider.Outcome, error) {
	response, err := up.Fetch(ctx, r.query.Page(1))
	if err != nil {
		return nil, err
	}
	resolved, err := r.engine.Resolve(ctx, up, r.query.Locale, r.engine.Hidden(response.Body))
	if err != nil {
		return nil, err
	}
	want := answer.Want{Country: r.query.Locale.Country, Markdown: r.include.Markdown}
	found, err := read(response.Body, r.engine.NewLinks(resolved), want)
	if err != nil {
		return nil, err
	}
	result := found.answer
	if r.expand {
		result.ProductResults, err = r.offers(ctx, up, found)
		if err != nil {
			return nil, err
		}
	}
	result.Location = up.Location(r.query.Locale)
	if err := r.include.Attach(result, up, response.Body); err != nil {
		return nil, err
	}
	return &provider.Outcome{Result: result, Bill: bill(len(result.ProductResults))}, nil
}
