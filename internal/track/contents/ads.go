package contents

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/track/answers"
	"earshot/internal/track/metric"
)

// Ads returns the ads in answers, the most frequent first. It returns store.ErrNotFound if the
// tracker does not exist.
func (l *Lister) Ads(ctx context.Context, organization, name string, q *earshot.ContentQuery) (*earshot.AdReport, error) {
	all := map[adKey]*ad{}
	h, head, err := l.list(ctx, organization, name, q, metric.FieldAds, func(h *history, a answers.Finding) { addAds(all, h.panel, a) })
	if err != nil {
		return nil, err
	}
	var found []*ad
	text := metric.TextKey(q.Text)
	for key, one := range all {
		one.key = key
		if strings.Contains(key.advertiser+"\n"+key.title+"\n"+key.text, text) && (q.Brand == "" || one.brands[q.Brand]) {
			found = append(found, one)
		}
	}
	slices.SortFunc(found, func(a, b *ad) int {
		return cmp.Or(cmp.Compare(b.answers, a.answers), cmp.Compare(b.shown, a.shown), cmp.Compare(a.key.advertiser, b.key.advertiser),
			cmp.Compare(a.key.title, b.key.title), cmp.Compare(a.key.text, b.key.text))
	})
	report := &earshot.AdReport{}
	for _, one := range page(&head, found, q) {
		report.Rows = append(report.Rows, one.row(h, head.Answers))
	}
	report.ContentHead = head
	return report, nil
}

// adKey identifies an ad. The advertiser is its domain, or its name if the ad has no domain.
type adKey struct{ advertiser, title, text string }

func keyOf(a metric.Ad) adKey {
	return adKey{metric.TextKey(cmp.Or(a.Domain, a.Brand)), metric.TextKey(a.Title), metric.TextKey(a.Text)}
}

// ad contains the counts of one ad.
type ad struct {
	seen
	key    adKey
	last   metric.Ad
	shown  int
	brands map[string]bool
	blocks map[string]bool
}

// addAds counts the ads of an answer. The newest answers must come first.
func addAds(all map[adKey]*ad, p *panel, a answers.Finding) {
	counted := map[adKey]bool{}
	for _, placed := range a.Found.Ads {
		key := keyOf(placed)
		one := all[key]
		if one == nil {
			one = &ad{last: placed, brands: map[string]bool{}, blocks: map[string]bool{}}
			all[key] = one
		}
		one.shown++
		for _, brand := range p.owners(placed.Of) {
			one.brands[brand] = true
		}
		if placed.Block != "" {
			one.blocks[placed.Block] = true
		}
		if !counted[key] {
			counted[key] = true
			one.add(a.Answer)
		}
	}
}

func (a *ad) row(h *history, answers int) earshot.AdRow {
	return earshot.AdRow{
		Advertiser: a.last.Brand, Domain: a.last.Domain, Title: a.last.Title, Text: a.last.Text, URL: a.last.URL, Brands: h.order(a.brands),
		Blocks: slices.Sorted(maps.Keys(a.blocks)), Shown: a.shown, Seen: a.view(h.names), Share: float64(a.answers) / float64(answers),
	}
}
