package track

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/internal/store"
	"earshot/internal/track/metric"
)

// counted is how answers are picked in the way that numbers count them: it tells whether a
// client asks for that, and whether an answer is among them.
func (s *Service) counted(ctx context.Context, t *store.Tracker, q *earshot.AnswerFilter) (match func(*store.Answer) bool, err error) {
	chosen, err := selection("filter", q.Filter)
	if err != nil {
		return nil, err
	}
	if len(chosen) == 0 && !q.Counted && q.DueFrom == "" && q.DueTo == "" {
		return func(*store.Answer) bool { return true }, nil
	}
	d, err := s.stored(t)
	if err != nil {
		return nil, err
	}
	zone := zoneOf(d)
	due, err := spanOf(zone, "dueFrom", q.DueFrom, "dueTo", q.DueTo)
	if err != nil {
		return nil, err
	}
	rules, err := s.currentRules(ctx, t)
	if err != nil {
		return nil, err
	}
	panel, err := s.panelOf(rules)
	if err != nil {
		return nil, err
	}
	closed, err := s.Store.ClosedSweeps(ctx, t)
	if err != nil {
		return nil, err
	}
	sweeps := map[string]map[string]string{} // what each is called, by dimension
	for _, sweep := range closed {
		if due.has(sweep.DueAt) && (!q.Counted || !sweep.Pruned) {
			sweeps[sweep.ID] = timesOf(sweep.ID, zone.Civil(sweep.DueAt).String())
		}
	}
	parts, err := s.selectable(ctx, t, panel.Branded)
	if err != nil {
		return nil, err
	}
	return func(a *store.Answer) bool {
		times, known := sweeps[a.Sweep]
		if !known || a.Outcome == earshot.OutcomePending || q.Counted && !q.Branded && parts.branded[a.Prompt] {
			return false
		}
		for dimension, wanted := range chosen {
			has := []string{times[dimension], parts.targets[a.Target][dimension], parts.prompts[a.Prompt]}
			switch dimension {
			case "brand":
				continue // it picks no answers
			case "surface":
				has = []string{a.Surface}
			case "target":
				has = []string{has[1], has[1] + "@" + a.Surface}
			case "tag":
				has = parts.tags[a.Prompt]
			case "prompt":
				has = has[2:]
			default:
				has = has[:2]
			}
			if !slices.ContainsFunc(wanted, func(value string) bool { return slices.Contains(has, value) }) {
				return false
			}
		}
		return true
	}, nil
}

// timesOf is a sweep by the dimensions of time.
func timesOf(id, slot string) map[string]string {
	day, _, _ := strings.Cut(slot, "T")
	times := map[string]string{"sweep": id, "day": day}
	if date, err := time.Parse(time.DateOnly, day); err == nil {
		year, week := date.ISOWeek()
		times["week"], times["month"] = fmt.Sprintf("%d-W%02d", year, week), date.Format("2006-01")
	}
	return times
}

// selectable are the parts of a tracker, by what selections call them.
type selectable struct {
	prompts map[int]string
	tags    map[int][]string
	branded map[int]bool
	targets map[int]map[string]string
}

func (s *Service) selectable(ctx context.Context, t *store.Tracker, branded func(string) bool) (*selectable, error) {
	known, err := s.names(ctx, t)
	if err != nil {
		return nil, err
	}
	targets, err := s.Store.TrackerTargets(ctx, t)
	if err != nil {
		return nil, err
	}
	found := &selectable{prompts: known.prompts, tags: known.tags, branded: map[int]bool{}, targets: map[int]map[string]string{}}
	for number, text := range known.prompts {
		found.branded[number] = branded(text)
	}
	for _, part := range targets {
		var target earshot.Target
		_ = json.Unmarshal(part.Definition, &target) // as it was stored
		found.targets[part.ID] = map[string]string{"target": part.Name, "provider": target.Provider, "country": target.Country}
	}
	return found, nil
}

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
