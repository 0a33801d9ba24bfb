package watch

import (
	"context"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/store/tracking"
	"earshot/internal/track/aggregate"
	"earshot/internal/track/alert"
	"earshot/internal/track/definition"
	"earshot/internal/track/metric"
)

// checkContents compares the ads and prices of the sweep with the days before, on the targets that
// have enough answers.
func (w *watching) checkContents(ctx context.Context, targets, open []string) error {
	p := w.definition.FalseAlarms() / float64(max(1, w.definition.Detectors(targets))) / w.definition.SweepsPerYear(w.sweep.DueAt)
	if slices.ContainsFunc(w.definition.SeriesKeys(targets), func(k definition.SeriesKey) bool { return k.Metric == "adRate" }) {
		b, err := w.recent(ctx, aggregate.Options{})
		if err == nil && b != nil {
			err = w.checkAds(b, open, p)
		}
		if err != nil {
			return err
		}
	}
	if !w.definition.MayReportPrices() {
		return nil
	}
	b, err := w.recent(ctx, aggregate.Options{Sources: metric.ByPrice})
	if err != nil || b == nil {
		return err
	}
	return w.checkPrices(b, open, p)
}

// recent counts the answers of the last days. It returns nil if there are too many answers or if
// the sweeps are not comparable.
func (w *watching) recent(ctx context.Context, o aggregate.Options) (*aggregate.Aggregate, error) {
	from := w.sweep.DueAt.AddDate(0, 0, -alert.ContentDays)
	b, err := w.counter.Count(ctx, w.tracker, w.definition, o, definition.Span{From: from, Until: w.sweep.DueAt.Add(time.Millisecond)})
	if aggregate.IsTooMany(err) || err == nil && (len(b.Sweeps) < 2 || b.BrokenSince(b.Sweeps[1].ID)) {
		return nil, nil
	}
	return b, err
}

// checkAds raises an alert for each rival that starts to appear in ads on a target.
func (w *watching) checkAds(b *aggregate.Aggregate, targets []string, p float64) error {
	rows, err := b.Rows(metric.Query{Metrics: []string{"adRate"}, By: []string{"target", "sweep"}, BrandsOnly: true})
	if err != nil {
		return err
	}
	shown := map[definition.SeriesKey]map[string]alert.Ads{} // by sweep
	for _, r := range rows {
		target, _, _ := strings.Cut(r.Target, "@")
		key := definition.SeriesKey{Brand: *r.Brand, Target: target}
		if shown[key] == nil {
			shown[key] = map[string]alert.Ads{}
		}
		sum := shown[key][r.Sweep]
		shown[key][r.Sweep] = alert.Ads{Answers: sum.Answers + r.Answers, Shown: sum.Shown + int(r.Numerator)}
	}
	for _, brand := range w.definition.Brands {
		for _, target := range targets {
			sweeps := shown[definition.SeriesKey{Brand: brand.Name, Target: target}]
			if brand.Own || sweeps == nil {
				continue
			}
			var ads []alert.Ads
			for _, sweep := range b.Sweeps {
				if sweeps[sweep.ID].Answers > 0 {
					ads = append(ads, sweeps[sweep.ID])
				}
			}
			if since, started := alert.StartsAds(ads, p); started {
				w.raise(earshot.AlertAd, brand.Name+" on "+target, &earshot.Alert{Summary: alert.AdSummary(brand.Name, target, since)})
			}
		}
	}
	return nil
}

// checkPrices raises an alert for each product whose price left its range.
func (w *watching) checkPrices(b *aggregate.Aggregate, targets []string, p float64) error {
	rows, err := b.Rows(metric.Query{Metrics: []string{"price"}, By: []string{"target"}})
	if err != nil {
		return err
	}
	var prices []*alert.Price
	for _, r := range rows {
		target, _, _ := strings.Cut(r.Target, "@")
		price := &alert.Price{Title: strings.TrimPrefix(r.Product, "title:"), Currency: r.Currency, Target: target}
		for _, point := range r.Points {
			price.Sweeps = append(price.Sweeps, point.Median)
		}
		if n := len(r.Points); n > 0 && r.Points[n-1].Sweep == w.sweep.ID && price.EnoughPrices() && slices.Contains(targets, target) {
			prices = append(prices, price)
		}
	}
	for _, price := range prices {
		if last := price.LeftRange(p / float64(len(prices))); last > 0 {
			w.raise(earshot.AlertPrice, price.Title+" on "+price.Target, &earshot.Alert{Summary: alert.PriceSummary(price, last)})
		}
	}
	return nil
}

// comparePages raises an alert if pages of own brands are still retrieved but no longer cited. The
// windows are as long as the windows of sources, and the comparison is part of the same screen.
func (w *watching) comparePages(ctx context.Context, sweeps []*tracking.Sweep, rate float64) error {
	middle := sweeps[len(sweeps)/2].DueAt
	before, err := w.lister.OwnPages(ctx, w.tracker.Organization, w.tracker.Name, definition.Span{From: sweeps[0].DueAt, Until: middle})
	if err != nil {
		return ignoreTooMany(err)
	}
	after, err := w.lister.OwnPages(ctx, w.tracker.Organization, w.tracker.Name, definition.Span{From: middle, Until: w.sweep.DueAt.Add(time.Millisecond)})
	if err != nil {
		return ignoreTooMany(err)
	}
	var pages []alert.Page
	for url, was := range before {
		pages = append(pages, alert.Page{URL: url, Read: was.Retrieved, Cited: was.Cited, ReadNow: after[url].Retrieved, CitedNow: after[url].Cited})
	}
	if found := alert.Uncited(pages, rate); len(found) > 0 {
		w.raise(earshot.AlertUncited, "pages", &earshot.Alert{Summary: alert.PageSummary(found)})
	}
	return nil
}

func ignoreTooMany(err error) error {
	if aggregate.IsTooMany(err) {
		return nil
	}
	return err
}
