package metric

import (
	"cmp"
	"maps"
	"slices"
)

// organicVisibility is the metric with a note on sponsored parts.
const organicVisibility = "organicVisibility" + M2

// couldReport reports whether the cut has answers that could report the fields of a set.
func (v view) couldReport(n needs) bool {
	if n == needsLayout {
		return v.unbranded.Pages > 0
	}
	return v.unbranded.Eligible > 0
}

// reported leaves the answers out of a row that do not report what its metric needs. If none
// is left, it sets the reason.
func (v view) reported(r Row, n needs) Row {
	r.Answers = v.unbranded.answers(n)
	notRequested, notOffered := v.unbranded.leftOut(n)
	r.NotRequested, r.NotOffered = &notRequested, &notOffered
	switch {
	case r.Answers > 0:
	case notRequested > 0:
		r.Reason = NotRequested
	default:
		r.Reason = NotOffered
	}
	return r
}

// marked sets the number of answers whose provider does not mark sponsored parts.
func (v view) marked(r Row) Row {
	r.NotMarked = new(int(v.unbranded.Unmarked))
	if *r.NotMarked == r.Answers {
		r.Note = PaidNotMarked
	}
	return r
}

// split returns the rows of a metric that has one row per key. If no answer reports what the
// metric needs, it returns one row without a key.
func (v view) split(name string, n needs, rows func(start Row) []Row) []Row {
	if !v.q.wants(name) || !v.couldReport(n) {
		return nil
	}
	start := v.reported(v.start(name, nil, v.unbranded), n)
	if start.Reason != "" {
		return []Row{start}
	}
	return rows(start)
}

// merchants returns the rows of merchantShare.
func (v view) merchants() []Row {
	return v.split(merchantShare, needsProducts, func(Row) (rows []Row) {
		for _, merchant := range v.most(v.unbranded.readable().merchants) {
			r := v.row(content(needsProducts, measure{
				name: merchantShare,
				x:    func(c *CellCounts, _ int) float64 { return float64(c.readable().merchants[merchant]) },
				y:    func(c *CellCounts, _ int, _ []int) float64 { return float64(c.readable().offers) },
			}), 0)
			r.Merchant = merchant
			rows = append(rows, r)
		}
		return rows
	})
}

// blocks returns the rows of blockRate.
func (v view) blocks() []Row {
	return v.split(blockRate, needsLayout, func(Row) (rows []Row) {
		blocks := v.unbranded.readable().blocks
		for _, kind := range slices.Sorted(maps.Keys(blocks)) {
			r := v.row(content(needsLayout, measure{
				name: blockRate,
				x:    func(c *CellCounts, _ int) float64 { return float64(c.readable().blocks[kind].Between(1, 0)) },
			}), 0)
			r.Block, r.MedianPosition = kind, new(blocks[kind].Median())
			rows = append(rows, r)
		}
		return rows
	})
}

// prices returns the rows of price: unweighted, over all prices of a product in a currency.
func (v view) prices() []Row {
	return v.split(price, needsProducts, func(start Row) (rows []Row) {
		sweeps := make([]*CellCounts, len(v.e.sweeps))
		for i := range sweeps {
			sweeps[i] = NewCellCounts(len(v.b.def.Brands))
			v.e.addSweep(sweeps[i], i, false)
		}
		found := v.unbranded.readable().prices
		keys := slices.SortedFunc(maps.Keys(found), func(a, b priceKey) int {
			return cmp.Or(cmp.Compare(a.product, b.product), cmp.Compare(a.currency, b.currency))
		})
		for _, key := range keys {
			r, all := start, found[key]
			r.Product, r.Currency, r.Answers = key.product, key.currency, all.answers
			r.Numerator, r.Denominator = float64(len(all.values)), float64(len(all.values))
			r.Value.Price = new(spread(all.values))
			for i, sweep := range sweeps {
				if values := sweep.readable().prices[key].values; len(values) > 0 {
					r.Points = append(r.Points, PricePoint{v.b.sweep(v.e.cut.sweeps[i]).ID, spread(values), len(values)})
				}
			}
			rows = append(rows, r)
		}
		return rows
	})
}
