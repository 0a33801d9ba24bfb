package news

import (
	"context"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/serp"
	"earshot/internal/provider/vendorapi/brave"
	"earshot/internal/upstream"
)

var _ provider.Request = (*request)(nil)

// Ask fetches and reads the news pages in order.
func (r *request) Ask(ctx context.Context, up *upstream.Session) (*provider.Outcome, error) {
	if up.Surface() == earshot.SurfaceAPI {
		return r.askAPI(ctx, up)
	}
	result := &earshot.NewsSearch{Surface: up.Surface(), Location: up.Location(r.query.Locale)}
	kept, err := r.engine.Pages(ctx, up, r.query, r.html, func(p serp.Page) (int, error) {
		found, err := parsePage(p.Body, p.Links)
		if err != nil {
			return 0, err
		}
		add(result, found, p.Number)
		return len(found), nil
	})
	if err != nil {
		return nil, err
	}
	result.HTML = kept
	return &provider.Outcome{Result: result, Bill: bill(lastPage(result))}, nil
}

// add appends the articles of a page and sets their page and position.
func add(result *earshot.NewsSearch, found []earshot.NewsResult, page int) {
	for _, article := range found {
		article.Page = page
		article.Position = len(result.NewsResults) + 1
		result.NewsResults = append(result.NewsResults, article)
	}
}

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
	return &provider.Outcome{Result: result, Bill: bill(lastPage(result))}, nil
}
