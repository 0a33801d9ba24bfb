package websearch

import (
	"context"

	"golang.org/x/sync/errgroup"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/serp"
	"earshot/internal/provider/vendorapi/brave"
	"earshot/internal/upstream"
)

// Ask fetches and reads the result pages in order, then the overviews that answer questions if they
// are wanted.
func (r *request) Ask(ctx context.Context, up *upstream.Session) (*provider.Outcome, error) {
	if up.Surface() == earshot.SurfaceAPI {
		return r.askAPI(ctx, up)
	}
	want := want{country: r.query.Locale.Country, overview: r.overview, markdown: r.markdown}
	var pages []*page
	kept, err := r.engine.Pages(ctx, up, r.query, r.html, func(p serp.Page) (int, error) {
		found, err := parsePage(p.Body, p.Links, want)
		if err != nil {
			return 0, err
		}
		pages = append(pages, found)
		return len(found.OrganicResults), nil
	})
	if err != nil {
		return nil, err
	}
	result, questions := merge(pages)
	if r.questions {
		if err := r.hydrate(ctx, up, questions); err != nil {
			return nil, err
		}
	}
	showQuestions(result, questions)
	result.Surface, result.Location, result.HTML = up.Surface(), up.Location(r.query.Locale), kept
	if result.SearchOverview != nil {
		result.SearchOverview.Surface = up.Surface()
	}
	return &provider.Outcome{Result: result, Bill: r.bill(lastPage(result))}, nil
}

const (
	// hydrateAtOnce is the number of overviews that are fetched concurrently.
	hydrateAtOnce = 4
	// maxHydrated limits the requests that the pages of one search can cause. Real pages have one or
	// two such overviews.
	maxHydrated = 40
)

// hydrate fetches the overviews that answer questions. A question whose overview cannot be fetched
// stays unchanged. hydrate returns an error only if ctx ends.
func (r *request) hydrate(ctx context.Context, up *upstream.Session, questions []question) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(hydrateAtOnce)
	fetched := 0
	for i := range questions {
		q := &questions[i]
		if q.part == "" || fetched == maxHydrated {
			continue
		}
		fetched++
		group.Go(func() error {
			found, err := r.overviewOf(ctx, up, q)
			if err != nil && ctx.Err() != nil {
				return err
			}
			if found != nil {
				q.Markdown, q.Sources = found.Markdown, found.Sources
			}
			return nil
		})
	}
	return group.Wait()
}

func (r *request) overviewOf(ctx context.Context, up *upstream.Session, q *question) (*earshot.Answer, error) {
	p, err := r.engine.FetchPart(ctx, up, r.query.Target, q.part, nil)
	if err != nil {
		return nil, err
	}
	var found *earshot.Answer
	err = up.Read(ctx, func() (err error) {
		found, err = parseOverview(p.Body, p.Links, r.query.Locale.Country)
		return err
	})
	return found, err
}

// askAPI asks the official API instead of the engine. The API returns neither ads nor overviews, so
// overviews are not charged.
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
	bill := r.bill(lastPage(result))
	delete(bill, itemOverview)
	return &provider.Outcome{Result: result, Bill: bill}, nil
}
