package contents

import (
	"context"

	"earshot/internal/track/answers"
	"earshot/internal/track/definition"
	"earshot/internal/track/metric"
)

// PageCounts counts the answers that retrieved a page, and how many of them cite it.
type PageCounts struct{ Retrieved, Cited int }

// OwnPages counts the pages of own brands by URL, in the answers that report retrieved and cited
// pages. It returns store.ErrNotFound if the tracker does not exist.
func (l *Lister) OwnPages(ctx context.Context, organization, name string, span definition.Span) (map[string]PageCounts, error) {
	h, err := l.open(ctx, organization, name)
	if err != nil {
		return nil, err
	}
	p := h.during(span)
	if err := p.check(); err != nil {
		return nil, err
	}
	pages := map[string]PageCounts{}
	err = p.each(ctx, "", false, func(a answers.Finding) {
		if a.Found.Missing(metric.FieldSources) != "" || a.Found.Missing(metric.FieldCited) != "" {
			return
		}
		found := map[string]PageCounts{} // of this answer
		h.addOwn(found, a.Found.Sources, PageCounts{Retrieved: 1})
		h.addOwn(found, a.Found.CitedPages(a.Found.Citations), PageCounts{Retrieved: 1, Cited: 1})
		for url, one := range found {
			pages[url] = PageCounts{pages[url].Retrieved + one.Retrieved, pages[url].Cited + one.Cited}
		}
	})
	return pages, err
}

// addOwn sets the counts of the pages that belong to an own brand.
func (h *history) addOwn(found map[string]PageCounts, pages []metric.Citation, counts PageCounts) {
	for _, page := range pages {
		for _, brand := range h.brandsAt(page.Host) {
			if h.Brands[brand].Own {
				found[page.URL] = counts
			}
		}
	}
}
