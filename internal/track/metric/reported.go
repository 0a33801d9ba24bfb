package metric

// needs is a set of fields of an answer that a metric needs. An answer that does not report
// all of them is left out of the metric: it is not a zero.
type needs uint8

// The sets of fields.
const (
	needsNothing needs = iota
	needsSearches
	needsSources
	needsCited
	needsSourcesCited
	needsProducts
	needsAds
	needsLayout
)

// fieldSets are the fields of each set after needsNothing. The first field that an answer
// does not report gives the reason.
var fieldSets = [...][]Field{
	{FieldSearches},
	{FieldSources},
	{FieldCited},
	{FieldSources, FieldCited},
	{FieldProducts},
	{FieldAds},
	{FieldLayout},
}

// reads returns the counts that decide which answers a metric counts.
func (n needs) reads() columns {
	if n == needsNothing {
		return colEligible
	}
	return colEligible | colPages | colReported<<(n-1) | colNotRequested<<(n-1)
}

// answers returns the number of answers that report all fields of a set.
func (c *CellCounts) answers(n needs) int {
	if n == needsNothing {
		return int(c.Eligible)
	}
	return int(c.Reported[n-1])
}

// leftOut returns the number of answers that do not report all fields of a set, by reason.
// Only search pages can have a layout.
func (c *CellCounts) leftOut(n needs) (notRequested, notOffered int) {
	if n == needsNothing {
		return 0, 0
	}
	all := c.Eligible
	if n == needsLayout {
		all = c.Pages
	}
	notRequested = int(c.NotRequested[n-1])
	return notRequested, int(all-c.Reported[n-1]) - notRequested
}

// Missing returns the reason why an answer does not report a field, or "" if it does. An
// answer without Cited cites its citations.
func (c *Contents) Missing(f Field) Reason {
	if reason, named := c.Unreported[f]; named {
		if reason == NotRequested {
			return NotRequested
		}
		return NotOffered
	}
	present := false
	switch f {
	case FieldSearches:
		present = c.Searches != nil
	case FieldSources:
		present = c.Sources != nil
	case FieldCited:
		present = true
	case FieldProducts:
		present = c.Products != nil
	case FieldAds:
		present = c.Ads != nil
	case FieldLayout:
		present = c.Layout != nil
	}
	if present {
		return ""
	}
	return NotOffered
}

// isPage reports whether an answer is a search page.
func (a *Observation) isPage() bool {
	_, named := a.Unreported[FieldLayout]
	return named || a.Organic != nil || a.Layout != nil
}

// CitedPages returns the pages that an answer with these citations cites, or nil if the answer
// does not report them.
func (c *Contents) CitedPages(citations []Citation) []Citation {
	switch {
	case c.Missing(FieldCited) != "":
		return nil
	case c.Cited == nil:
		return citations
	default:
		return c.Cited
	}
}

// addReported counts which sets of fields an answer reports, and returns these sets.
func (c *CellCounts) addReported(a *Observation) (reported [len(fieldSets)]bool) {
	for i, fields := range fieldSets {
		if needs(i+1) == needsLayout && !a.isPage() {
			continue
		}
		reason := Reason("")
		for _, f := range fields {
			if reason = a.Missing(f); reason != "" {
				break
			}
		}
		switch reason {
		case "":
			c.Reported[i]++
			reported[i] = true
		case NotRequested:
			c.NotRequested[i]++
		case NotOffered: // the rest, see leftOut
		}
	}
	return reported
}
