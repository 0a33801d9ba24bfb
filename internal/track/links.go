package track

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"earshot/internal/store"
	"earshot/internal/track/metric"
)

// answersURL lists the answers behind a number, and those that are missing.
func (b *book) answersURL(q metric.Query, r *metric.Row) string {
	l := r.Labels
	target, surface, _ := strings.Cut(l.Target, "@")
	if rest, several := strings.CutPrefix(target, "*"); several {
		target, surface = "", rest
	}
	sweeps, sweep := b.sweeps, l.Sweep
	if q.Last > 1 && sweep != "" {
		sweeps, sweep = b.between(l.Since, sweep), ""
	}
	labels := map[string]string{
		"target": target, "surface": surface, "provider": l.Provider, "country": l.Country,
		"sweep": sweep, "day": l.Day, "week": l.Week, "month": l.Month,
	}
	var chosen []string
	for _, dimension := range dimensions {
		if dimension == "prompt" && l.PromptVersion != 0 {
			continue // promptId says which
		}
		values := q.Filter[dimension]
		if label := labels[dimension]; label != "" {
			values = []string{label} // one of those that the filter leaves
		}
		for _, value := range values {
			chosen = append(chosen, dimension+":"+value)
		}
	}
	v := url.Values{}
	if q.Branded || slices.Contains([]string{"coverage", "refusal", "stability.domains", "stability.brands"}, strings.TrimSuffix(r.Metric, metric.Version)) {
		v.Set("branded", "true")
	}
	if l.Tag != "" {
		v.Set("tag", l.Tag) // a question may have it beside one that the filter leaves
	}
	if l.PromptVersion != 0 {
		v.Set("promptId", strconv.Itoa(l.PromptVersion))
	}
	return b.answersOf(sweeps, chosen, v)
}

// between are the sweeps from one to another, both included.
func (b *book) between(first, last string) []*store.Sweep {
	place := func(id string) int {
		return slices.IndexFunc(b.sweeps, func(s *store.Sweep) bool { return s.ID == id })
	}
	from, to := place(first), place(last)
	return b.sweeps[min(from, to) : max(from, to)+1] // by their slots they may stand in another order
}

// answersOf lists the answers of neighbouring sweeps that numbers count, as far as they are
// chosen.
func (b *book) answersOf(sweeps []*store.Sweep, chosen []string, v url.Values) string {
	v.Set("counted", "true")
	if len(chosen) > 0 {
		v.Set("filter", strings.Join(chosen, ","))
	}
	if n := len(sweeps); n > 0 {
		first, last := sweeps[0].StartedAt, sweeps[0].ClosedAt
		for _, sweep := range sweeps {
			first, last = minTime(first, sweep.StartedAt), maxTime(last, sweep.ClosedAt)
		}
		moment := func(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) }
		// By when they were asked it is quick; the clock of another node may be a little behind.
		v.Set("from", moment(first.Add(-time.Second)))
		v.Set("to", moment(last.Add(time.Second)))
		v.Set("dueFrom", moment(sweeps[0].DueAt))
		v.Set("dueTo", moment(sweeps[n-1].DueAt.Add(time.Millisecond)))
	}
	return "/v1/trackers/" + url.PathEscape(b.tracker.Name) + "/answers?" + v.Encode()
}

// answersIn lists the answers on a target of the sweeps of a period.
func (b *book) answersIn(target string, period []string) string {
	var sweeps []*store.Sweep
	if n := len(period); n > 0 {
		sweeps = b.between(period[0], period[n-1])
	}
	return b.answersOf(sweeps, nil, url.Values{"target": {target}})
}
