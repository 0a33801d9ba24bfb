package serp

import (
	"context"
	"errors"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/upstream"
)

// Page is a document of the engine, with what is needed to read its links.
type Page struct {
	Number int // of a result page, from 1
	Body   []byte
	Links  Links
}

// Pages fetches the result pages of a query one after another and hands each to
// read, which tells how many results it found: after a page without any there
// are no more. Pages that were read are kept if that is wanted, and kept are the
// URLs at which they will be served. Errors are read's own and Fetch's.
func (e Engine) Pages(ctx context.Context, up *upstream.Session, q Query, keep bool, read func(Page) (results int, err error)) (kept []string, err error) {
	for n := 1; n <= q.Pages; n++ {
		page, err := e.fetch(ctx, up, q.Page(n), q.Locale)
		if err != nil {
			return nil, err
		}
		page.Number = n
		results, err := read(page)
		if err != nil {
			return nil, err
		}
		if keep {
			kept = append(kept, up.Keep(page.Body))
		}
		if results == 0 {
			break
		}
	}
	return kept, nil
}

// FetchPart gets a piece of a page that the engine serves on demand, at an address
// that the page told. It may be called from several goroutines.
func (e Engine) FetchPart(ctx context.Context, up *upstream.Session, t Target, address string) (Page, error) {
	request, ok := e.PartOf(t, address, nil)
	if !ok {
		return Page{}, upstream.Fail(earshot.ReasonUnreadable, "the page names a part that is none")
	}
	return e.fetch(ctx, up, request, t.Locale)
}

// fetch gets a document and asks where its hidden links lead.
func (e Engine) fetch(ctx context.Context, up *upstream.Session, request upstream.Request, locale geo.Locale) (Page, error) {
	response, err := up.Fetch(ctx, request)
	if err != nil {
		return Page{}, err
	}
	resolved, err := e.Resolve(ctx, up, locale, e.Hidden(response.Body))
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return Page{}, upstream.Fail(earshot.ReasonTimeout, "resolve links: %w", err)
	case err != nil:
		return Page{}, err
	}
	return Page{Body: response.Body, Links: e.NewLinks(resolved)}, nil
}
