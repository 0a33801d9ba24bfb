package contents

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/stats"
	"earshot/internal/track/analysis"
	"earshot/internal/track/answers"
	"earshot/internal/track/metric"
	"earshot/internal/track/worddiff"
)

// Searches returns the searches that assistants ran. Searches in which rivals are retrieved and
// the own brands are not come first. It returns store.ErrNotFound if the tracker does not exist.
func (l *Lister) Searches(ctx context.Context, organization, name string, q *earshot.ContentQuery) (*earshot.SearchReport, error) {
	all := map[string]*search{} // by folded text
	h, head, err := l.list(ctx, organization, name, q, metric.FieldSearches, func(h *history, a answers.Finding) { addSearches(all, h.panel, a) })
	if err != nil {
		return nil, err
	}
	var found []*search
	text := metric.TextKey(q.Text)
	for key, s := range all {
		if !strings.Contains(key, text) {
			continue
		}
		s.key, s.spelling = key, stats.Mode(s.spellings)
		s.names = h.NamedIn(s.spelling)
		if q.Brand == "" || slices.Contains(s.names, q.Brand) || s.retrieves(h.panel, q.Brand) {
			found = append(found, s)
		}
	}
	slices.SortFunc(found, func(a, b *search) int {
		return cmp.Or(cmp.Compare(b.missed, a.missed), cmp.Compare(b.answers, a.answers), cmp.Compare(a.key, b.key))
	})
	report := &earshot.SearchReport{}
	for _, s := range page(&head, found, q) {
		report.Rows = append(report.Rows, s.row(h))
	}
	report.ContentHead = head
	return report, nil
}

// search contains the counts of one search.
type search struct {
	seen
	key, spelling    string
	names            []string
	spellings        map[string]int
	withSources      int
	missed           int
	retrieved, cited []int // answers by brand
}

// addSearches counts the searches of an answer.
func addSearches(all map[string]*search, p *panel, a answers.Finding) {
	spellings := map[string]string{} // the first in the answer, by folded text
	for _, text := range a.Found.Searches {
		if key := metric.TextKey(text); key != "" && spellings[key] == "" {
			spellings[key] = spaced(text)
		}
	}
	if len(spellings) == 0 {
		return
	}
	read := newReading(p, a.Found)
	for key, spelling := range spellings {
		s := all[key]
		if s == nil {
			s = &search{spellings: map[string]int{}, retrieved: make([]int, len(p.Brands)), cited: make([]int, len(p.Brands))}
			all[key] = s
		}
		s.add(a.Answer)
		s.spellings[spelling]++
		if !read.isReported {
			continue
		}
		s.withSources++
		if read.isMissed {
			s.missed++
		}
		for i := range read.retrieved {
			s.retrieved[i]++
		}
		for i := range read.cited {
			s.cited[i]++
		}
	}
}

// spaced returns a text without white space at its ends and with single spaces.
func spaced(text string) string { return strings.Join(strings.Fields(text), " ") }

// reading contains the brands whose pages an answer retrieved or cited.
type reading struct {
	isReported       bool // the answer reports retrieved pages
	isMissed         bool // a rival's page was retrieved and no page of an own brand
	retrieved, cited map[int]bool
}

// newReading returns the reading of an answer. A cited page counts as retrieved.
func newReading(p *panel, f *analysis.Analysis) (r reading) {
	if f.Missing(metric.FieldSources) != "" {
		return r
	}
	r.isReported, r.cited = true, p.brandsOn(f.CitedPages(f.Citations))
	r.retrieved = p.brandsOn(f.Sources)
	maps.Copy(r.retrieved, r.cited)
	own := false
	for i := range r.retrieved {
		own = own || p.Brands[i].Own
	}
	r.isMissed = len(r.retrieved) > 0 && !own
	return r
}

// retrieves reports whether an answer retrieved or cited a page of a brand.
func (s *search) retrieves(p *panel, brand string) bool {
	return s.retrieved[slices.IndexFunc(p.Brands, func(b metric.PanelBrand) bool { return b.Name == brand })] > 0
}

func (s *search) row(h *history) earshot.SearchRow {
	row := earshot.SearchRow{Search: s.spelling, Seen: s.view(h.names), PromptID: s.prompt(), Names: s.names, Missed: s.missed, WithSources: s.withSources}
	row.Prompt = h.names.Prompts[row.PromptID]
	row.Added, row.Dropped = worddiff.Only(row.Search, row.Prompt), worddiff.Only(row.Prompt, row.Search)
	for i, b := range h.Brands {
		row.Brands = append(row.Brands, earshot.SearchBrand{Brand: b.Name, Own: b.Own, Retrieved: s.retrieved[i], Cited: s.cited[i], Share: metric.Share(s.retrieved[i], s.withSources)})
	}
	return row
}
