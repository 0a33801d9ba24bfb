package metric

import (
	"maps"
	"slices"
)

// sourceCounts return the citations by each dimension of sources.
var sourceCounts = map[string]func(*CellCounts) map[string]int{
	"domain": func(c *CellCounts) map[string]int { return c.Domains },
	"url":    func(c *CellCounts) map[string]int { return c.URLs },
	"type":   func(c *CellCounts) map[string]int { return c.Types },
}

// most returns the sources that a query selects: all in alphabetical order, or the ones with
// the most citations in descending order.
func (v view) most(counts map[string]int) []string {
	sources := slices.Sorted(maps.Keys(counts))
	if v.q.Top == 0 {
		return sources
	}
	slices.SortStableFunc(sources, func(a, b string) int { return counts[b] - counts[a] })
	return sources[:min(len(sources), v.q.Top)]
}

// sources returns the rows of citationShare by domain, URL or type.
func (v view) sources() []Row {
	by := v.q.Sources
	if len(by) == 0 {
		by = []string{"domain"}
	}
	var rows []Row
	for _, dimension := range by {
		counts := sourceCounts[dimension]
		for _, source := range v.most(counts(v.unbranded.CellCounts)) {
			r := v.row(shareOf(func(c *CellCounts) int { return counts(c)[source] }), 0)
			switch dimension {
			case "domain":
				r.Domain = source
			case "url":
				r.URL = source
			default:
				r.Type = source
			}
			rows = append(rows, r)
		}
	}
	return rows
}
