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

// Ask fetches the result pages one after another and reads them, and then what
// answers questions by an overview, if that is wanted.
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
		return len(found.organic), nil
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
	// hydrateAtOnce is how many overviews are fetched at a time.
	hydrateAtOnce = 4
	// maxHydrated bounds what the pages of one search can make us fetch; real
	// pages have one or two.
	maxHydrated = 40
)

// hydrate fetches the overviews that answer questions. A question whose overview
// cannot be had stays as it is; only ctx ends it early.
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
	bill := r.bill(lastPage(result))
	delete(bill, itemOverview)
	return &provider.Outcome{Result: result, Bill: bill}, nil
}
