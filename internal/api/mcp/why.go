package mcp

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"earshot"
	"earshot/internal/schema"
)

// change is the change that why explains.
type change struct {
	tracker, brand, metric string
	query                  url.Values // its periods and its filter
	split                  string     // why the periods are split there
}

// The longest period on each side of the day of a change.
const sideDays = 28

// why explains one change, as the page Why of the dashboard does: where it happened, and what answers said
// before and after.
func why(c *call) (*view, error) {
	ch, err := c.changed()
	if err != nil {
		return nil, err
	}
	whole, err := c.compare(ch, nil)
	if err != nil {
		return nil, err
	}
	v := &view{}
	if whole.MadeUp {
		v.head = append(v.head, madeUp)
	}
	v.head = append(v.head, fmt.Sprintf("%s of %s, %s to %s against %s to %s%s.", ch.metric, ch.brand, whole.Period.From, whole.Period.To, whole.Baseline.From, whole.Baseline.To, ch.split))
	all := wholeRows(whole.Rows)
	for _, row := range all {
		v.head = append(v.head, oneLine(row.Summary))
	}
	for _, b := range whole.Breaks {
		if b.Open {
			v.head = append(v.head, fmt.Sprintf("Break at %s (%s): %s", cell(generic(b.At)), b.Kind, oneLine(b.Reason)))
		}
	}
	if len(all) == 0 {
		v.head = append(v.head, "There are no answers to compare.")
	}
	const values = "verdict before after change answersBefore answersAfter"
	targets := slices.DeleteFunc(slices.Clone(whole.Rows), func(row earshot.ComparedRow) bool { return strings.HasPrefix(row.Target, "*") })
	v.tables = []table{{title: "Targets:", rows: listOf(targets), columns: "target " + values}}
	// Results of different surfaces are never mixed: prompts and answers are of the first one.
	if len(all) > 1 && strings.HasPrefix(all[0].Target, "*") {
		ch.filter("surface:" + strings.TrimPrefix(all[0].Target, "*"))
	}
	prompts, err := c.compare(ch, url.Values{"by": {"prompt"}, "sort": {"change"}, "limit": {"10"}})
	if err != nil {
		return nil, err
	}
	v.tables = append(v.tables, table{title: "Most affected prompts (about 1 in 20 that moved has not changed):", rows: listOf(prompts.Rows), columns: "promptId prompt " + values, total: prompts.Total})
	data := map[string]any{"compare": whole, "prompts": prompts}
	if len(prompts.Rows) > 0 {
		pair, err := c.pair(ch, &prompts.Rows[0], whole)
		if err != nil {
			return nil, err
		}
		v.tail, data["answers"] = pair, pair
	}
	v.data = data
	v.tail = append(v.tail, "\nThe sources that came and went: sources with since=true and from="+whole.Period.From+".")
	return v, nil
}

// changed returns the change that the arguments name.
func (c *call) changed() (*change, error) {
	ch := &change{tracker: c.args["tracker"], brand: c.args["brand"], metric: c.args["metric"], query: url.Values{}}
	if c.args["filter"] != "" {
		ch.query.Set("filter", c.args["filter"])
	}
	brands, err := c.brands(ch.tracker)
	if err != nil {
		return nil, err
	}
	var known []string
	for _, brand := range brands {
		known = append(known, brand.Name)
	}
	if len(known) == 0 {
		return nil, schema.Invalid("tracker", "has no brands")
	}
	if ch.brand != "" && !slices.Contains(known, ch.brand) {
		return nil, unknown("brand", "is not a brand of the tracker", ch.brand, known)
	}
	day := c.args["day"]
	if day == "" {
		alert, err := c.shift(ch, own(brands)[0])
		if err != nil {
			return nil, err
		}
		if alert != nil {
			ch.brand, ch.metric = alert.Shift.Brand, alert.Shift.Metric
			day = alert.Shift.Since.UTC().Format(time.DateOnly)
			ch.split = fmt.Sprintf(", split at the day of alert %s (%s)", alert.ID, oneLine(alert.Summary))
		}
	}
	ch.brand, ch.metric = cmp.Or(ch.brand, own(brands)[0]), cmp.Or(ch.metric, "visibility")
	if day == "" {
		return ch, nil // the API's periods
	}
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return nil, schema.Invalid("day", "must be a day such as 2026-09-08")
	}
	for name, days := range map[string]int{"baselineFrom": -sideDays, "baselineTo": -1, "from": 0} {
		ch.query.Set(name, at.AddDate(0, 0, days).Format(time.DateOnly))
	}
	if end := at.AddDate(0, 0, sideDays-1); end.Before(time.Now()) {
		ch.query.Set("to", end.Format(time.DateOnly))
	}
	return ch, nil
}

// shift returns the alert in the arguments, or the newest alert about the change, or nil.
func (c *call) shift(ch *change, lead string) (*earshot.Alert, error) {
	var page earshot.AlertPage
	if err := c.get(of(ch.tracker, "/alerts"), url.Values{"kind": {"shift"}, "limit": {"100"}}, &page); err != nil {
		return nil, err
	}
	id := c.args["alert"]
	for i := range page.Alerts {
		a := &page.Alerts[i]
		if a.Shift == nil {
			continue
		}
		if id == "" && a.Shift.Brand == cmp.Or(ch.brand, lead) && a.Shift.Metric == cmp.Or(ch.metric, "visibility") || a.ID == id {
			return a, nil
		}
	}
	if id != "" {
		return nil, schema.Invalid("alert", "is not the id of one of the newest 100 alerts of the kind shift; see alerts")
	}
	return nil, nil
}

// filter adds a condition to the filter.
func (ch *change) filter(more string) {
	ch.query.Set("filter", strings.TrimPrefix(ch.query.Get("filter")+","+more, ","))
}

// compare compares the periods of the change.
func (c *call) compare(ch *change, more url.Values) (*earshot.CompareReport, error) {
	query := url.Values{"metric": {ch.metric}, "having": {having([]string{ch.brand})}}
	for _, from := range []url.Values{ch.query, more} {
		for name, value := range from {
			query[name] = value
		}
	}
	report := &earshot.CompareReport{}
	return report, c.get(of(ch.tracker, "/compare"), query, report)
}

// pair returns an answer from before and one from after a change to the most affected prompt, as lines.
// If there are such answers, one names the brand and the other does not.
func (c *call) pair(ch *change, prompt *earshot.ComparedRow, whole *earshot.CompareReport) ([]string, error) {
	cells := *ch
	cells.query = url.Values{}
	for name, value := range ch.query {
		cells.query[name] = value
	}
	cells.filter("prompt:" + strconv.Itoa(prompt.PromptID))
	found, err := c.compare(&cells, url.Values{"branded": {"true"}, "sort": {"change"}})
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(found.Rows, func(row earshot.ComparedRow) bool { return !strings.HasPrefix(row.Target, "*") })
	if i < 0 {
		return nil, nil
	}
	target, _, _ := strings.Cut(found.Rows[i].Target, "@")
	fell := found.Rows[i].Change != nil && *found.Rows[i].Change < 0
	lines := []string{fmt.Sprintf("\nExamples for prompt %d on %s, %q:", prompt.PromptID, target, oneLine(prompt.Prompt))}
	for side, period := range []earshot.Period{whole.Baseline, whole.Period} {
		said, err := c.example(ch, prompt.PromptID, target, period, fell == (side == 0))
		if err != nil {
			return nil, err
		}
		lines = append(lines, []string{"Before", "After"}[side]+said)
	}
	return lines, nil
}

// example describes the newest answer in a period that names the brand or does not.
func (c *call) example(ch *change, prompt int, target string, period earshot.Period, names bool) (string, error) {
	query := url.Values{
		"promptId": {strconv.Itoa(prompt)}, "target": {target}, "outcome": {"answered"}, "counted": {"true"}, "branded": {"true"},
		"dueFrom": {period.From}, "dueTo": {period.To}, "limit": {"50"},
	}
	var all, naming earshot.AnswerPage
	if err := c.get(of(ch.tracker, "/answers"), query, &all); err != nil || len(all.Answers) == 0 {
		return ": no answers", err
	}
	query.Set("brand", ch.brand)
	if err := c.get(of(ch.tracker, "/answers"), query, &naming); err != nil {
		return "", err
	}
	has := func(a earshot.TrackedAnswer) bool {
		return slices.ContainsFunc(naming.Answers, func(n earshot.TrackedAnswer) bool { return n.ID == a.ID })
	}
	i := max(0, slices.IndexFunc(all.Answers, func(a earshot.TrackedAnswer) bool { return has(a) == names }))
	var a earshot.TrackedAnswer
	if err := c.get(of(ch.tracker, "/answers/"+all.Answers[i].ID), nil, &a); err != nil {
		return "", err
	}
	verb := " does not name "
	if has(all.Answers[i]) {
		verb = " names "
	}
	return fmt.Sprintf(", %s, answer %s%s%s: %s", cell(generic(a.AskedAt)), a.ID, verb, ch.brand, excerpt(a.Found, ch.brand)), nil
}

// excerpt returns the part of an answer from the first mention of a brand on, or the beginning of its longest text.
func excerpt(found *earshot.AnswerFindings, brand string) string {
	const most = 600
	if found == nil || len(found.Texts) == 0 {
		return ""
	}
	text, start := "", 0
	for _, one := range found.Texts {
		if len(one.Text) > len(text) {
			text = one.Text
		}
	}
	for _, m := range found.Mentions {
		if m.Brand == brand && m.Kind != "absent" && m.Text < len(found.Texts) && m.SentenceStart <= len(found.Texts[m.Text].Text) {
			text, start = found.Texts[m.Text].Text, m.SentenceStart
			break
		}
	}
	text = text[start:]
	if len(text) > most {
		text = text[:most]
		for !utf8.ValidString(text) && len(text) > most-utf8.UTFMax {
			text = text[:len(text)-1]
		}
		text += "…"
	}
	return oneLine(text)
}
