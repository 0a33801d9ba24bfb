package metric

import "slices"

// Report is everything that is computed of a definition and its answers by default.
type Report struct {
	Metrics   []Row        `json:"metrics"`
	Compare   []Comparison `json:"compare"`
	Series    []Series     `json:"series"`
	Stability []Stability  `json:"stability"`
}

// Definition is what the answers of the dataset are of.
func (b *Dataset) Definition() Definition { return b.def }

// Report computes all metrics for every target and, where a surface has several, for all
// of its targets together; the comparison of the definition's periods; every series.
func (b *Dataset) Report() (*Report, error) {
	stability, err := b.Stability()
	if err != nil {
		return nil, err
	}
	r := &Report{Metrics: []Row{}, Compare: []Comparison{}, Series: b.Series(), Stability: stability}
	for _, q := range []Query{{By: []string{"target"}}, {}} {
		// The surfaces with one target are there already.
		together := func(l Labels) bool { return len(q.By) > 0 || l.Target[0] == '*' }
		rows, err := b.Rows(q)
		if err != nil {
			return nil, err
		}
		r.Metrics = append(r.Metrics, slices.DeleteFunc(rows, func(row Row) bool { return !together(row.Labels) })...)
		if b.def.Periods == nil {
			continue
		}
		compared, err := b.Compare(q, *b.def.Periods)
		if err != nil {
			return nil, err
		}
		r.Compare = append(r.Compare, slices.DeleteFunc(compared, func(c Comparison) bool { return !together(c.Labels) })...)
	}
	return r, nil
}
