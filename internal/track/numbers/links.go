package numbers

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"earshot/internal/store/tracking"
	"earshot/internal/track/aggregate"
	"earshot/internal/track/metric"
)

// answersURL returns the URL that lists the answers of a row, including missing ones.
func answersURL(b *aggregate.Aggregate, q metric.Query, r *metric.Row) string {
	l := r.Labels
	target, surface, _ := strings.Cut(l.Target, "@")
	if rest, several := strings.CutPrefix(target, "*"); several {
		target, surface = "", rest
	}
	sweeps, sweep := b.Sweeps, l.Sweep
	if q.Last > 1 && sweep != "" {
		sweeps, sweep = b.Between(l.Since, sweep), ""
	}
	labels := map[string]string{
		"target": target, "surface": surface, "provider": l.Provider, "country": l.Country,
		"sweep": sweep, "day": l.Day, "week": l.Week, "month": l.Month,
	}
	var chosen []string
	for _, dimension := range dimensions {
		if dimension == "prompt" && l.PromptVersion != 0 {
			continue // replaced by promptId
		}
		values := q.Filter[dimension]
		if label := labels[dimension]; label != "" {
			values = []string{label} // more specific than the filter
		}
		for _, value := range values {
			chosen = append(chosen, dimension+":"+value)
		}
	}
	v := url.Values{}
	if q.Branded || slices.Contains([]string{"coverage", "refusal", "stability.domains", "stability.brands"}, metric.BaseName(r.Metric)) {
		v.Set("branded", "true")
	}
	if l.Tag != "" {
		v.Set("tag", l.Tag) // in addition to a filter by tag: a prompt may have both tags
	}
	if l.PromptVersion != 0 {
		v.Set("promptId", strconv.Itoa(l.PromptVersion))
	}
	return answersLink(b, sweeps, chosen, v)
}

// answersLink returns the URL that lists the answers of neighbouring sweeps that the metrics
// include. chosen is the filter.
func answersLink(b *aggregate.Aggregate, sweeps []*tracking.Sweep, chosen []string, v url.Values) string {
	v.Set("counted", "true")
	if len(chosen) > 0 {
		v.Set("filter", strings.Join(chosen, ","))
	}
	if n := len(sweeps); n > 0 {
		first, last := aggregate.ActiveTime(sweeps)
		moment := func(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) }
		// A range of times makes the query fast. A second more covers the clocks of other nodes.
		v.Set("from", moment(first.Add(-time.Second)))
		v.Set("to", moment(last.Add(time.Second)))
		v.Set("dueFrom", moment(sweeps[0].DueAt))
		v.Set("dueTo", moment(sweeps[n-1].DueAt.Add(time.Millisecond)))
	}
	return "/v1/trackers/" + url.PathEscape(b.Tracker.Name) + "/answers?" + v.Encode()
}

// TargetAnswersURL returns the URL that lists the answers of a target in a list of sweeps.
func TargetAnswersURL(b *aggregate.Aggregate, target string, period []string) string {
	var sweeps []*tracking.Sweep
	if n := len(period); n > 0 {
		sweeps = b.Between(period[0], period[n-1])
	}
	return answersLink(b, sweeps, nil, url.Values{"target": {target}})
}
