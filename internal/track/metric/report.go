package metric

import (
	"slices"
	"strings"
)

// Report contains all results that a definition and its answers give.
type Report struct {
	Metrics   []Row        `json:"metrics"`
	Compare   []Comparison `json:"compare"`
	Series    []Series     `json:"series"`
	Stability []Stability  `json:"stability"`
	Breaks    []ViaBreak   `json:"breaks"`
}

// Definition returns the definition of the dataset.
func (b *Dataset) Definition() Definition { return b.def }

// Report computes all metrics of every target, of each vendor of a target that several
// vendors answered, and of all targets of a surface together if the surface has several; the
// comparison of the definition's periods; every series; and the changes of vendors.
func (b *Dataset) Report() (*Report, error) {
	series, err := b.Series()
	if err != nil {
		return nil, err
	}
	r := &Report{Metrics: []Row{}, Compare: []Comparison{}, Series: series, Stability: b.Stability(), Breaks: b.viaBreaks()}
	all := slices.DeleteFunc(names(), func(name string) bool { return strings.HasPrefix(name, "stability.") })
	for _, q := range []Query{{Metrics: all, By: []string{"target"}}, {Metrics: all}} {
		// Without a split, a surface with one target repeats the rows of that target.
		repeated := func(l Labels) bool { return len(q.By) == 0 && l.Target[0] != '*' }
		rows, err := b.Rows(q)
		if err != nil {
			return nil, err
		}
		r.Metrics = append(r.Metrics, slices.DeleteFunc(rows, func(row Row) bool { return repeated(row.Labels) })...)
		if b.def.Periods == nil {
			continue
		}
		compared, err := b.Compare(q, *b.def.Periods)
		if err != nil {
			return nil, err
		}
		r.Compare = append(r.Compare, slices.DeleteFunc(compared, func(c Comparison) bool { return repeated(c.Labels) })...)
	}
	byVia, err := b.rowsByVia(Query{Metrics: all})
	r.Metrics = append(r.Metrics, byVia...)
	return r, err
}
