package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/internal/schema"
)

// of returns the path of the tracker in the arguments, with a rest such as /compare.
func of(tracker, rest string) string { return "/v1/trackers/" + url.PathEscape(tracker) + rest }

// brands returns the brands of a tracker by the rules that metrics use.
func (c *call) brands(tracker string) ([]earshot.Brand, error) {
	var list earshot.RulesList
	err := c.get(of(tracker, "/rules"), nil, &list)
	for _, rules := range list.Rules {
		if rules.Name == list.Current {
			return rules.Brands, err
		}
	}
	return nil, err
}

// own returns the names of the own brands, or of the first brand if there are none.
func own(brands []earshot.Brand) (names []string) {
	for _, brand := range brands {
		if brand.Own {
			names = append(names, brand.Name)
		}
	}
	if len(names) == 0 && len(brands) > 0 {
		names = []string{brands[0].Name}
	}
	return names
}

// having returns the filter for rows of brands.
func having(brands []string) string { return "brand:" + strings.Join(brands, ",brand:") }

// movedRow is one own brand of one tracker.
type movedRow struct {
	Tracker   string             `json:"tracker"`
	Brand     string             `json:"brand"`
	Target    string             `json:"target"`
	Value     *float64           `json:"value"`
	Before    *float64           `json:"before"`
	Change    *float64           `json:"change"`
	Verdict   string             `json:"verdict"`
	Alerts    *int               `json:"openAlerts"`
	Coverage  *float64           `json:"coverage"`
	NextSweep *earshot.Timestamp `json:"nextSweep"`
	MadeUp    bool               `json:"madeUp"`
}

// whatMoved compares the last period of every tracker with the period before.
func whatMoved(c *call) (*view, error) {
	offset, err := c.number("offset", 0, 0)
	if err != nil {
		return nil, err
	}
	limit, err := c.number("limit", 1, 20)
	if err != nil {
		return nil, err
	}
	days, err := c.number("days", 1, 0)
	if err != nil {
		return nil, err
	}
	var list earshot.TrackerList
	if err := c.get("/v1/trackers", nil, &list); err != nil {
		return nil, err
	}
	all := []earshot.Tracker(list.Trackers)
	if one := c.args["tracker"]; one != "" {
		i := slices.IndexFunc(all, func(t earshot.Tracker) bool { return t.Name == one })
		if i < 0 {
			return nil, noTracker(one, all)
		}
		all = all[i : i+1]
	}
	page := all[min(offset, len(all)):min(offset+limit, len(all))]
	query := url.Values{"metric": {or(c.args["metric"], "visibility")}}
	if days > 0 {
		query.Set("from", time.Now().UTC().AddDate(0, 0, 1-days).Format(time.DateOnly))
	}
	var rows []movedRow
	period := ""
	for i := range page {
		more, compared, err := c.moved(&page[i], query)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
		if compared != nil {
			period = fmt.Sprintf("%s from %s to %s, against %s to %s", query.Get("metric"), compared.Period.From, compared.Period.To, compared.Baseline.From, compared.Baseline.To)
		}
	}
	v, t := show(generic(map[string]any{"rows": rows}), "rows", "tracker brand target value before change verdict openAlerts coverage nextSweep madeUp", "")
	if period != "" {
		v.head = append(v.head, period)
	}
	if rest := len(all) - offset - len(page); rest > 0 {
		v.tail = []string{fmt.Sprintf("[%d more trackers: offset=%d]", rest, offset+len(page))}
	}
	v.paged, v.tables = false, []table{t}
	return v, nil
}

func or(text, byDefault string) string {
	if text == "" {
		return byDefault
	}
	return text
}

// noTracker returns the error for a name that no tracker has.
func noTracker(name string, trackers []earshot.Tracker) error {
	var known []string
	for i := range trackers {
		known = append(known, trackers[i].Name)
	}
	return unknown("tracker", "is not the name of a tracker", name, known)
}

// moved returns a row for each own brand of a tracker, or one without values.
func (c *call) moved(tracker *earshot.Tracker, query url.Values) ([]movedRow, *earshot.CompareReport, error) {
	row := movedRow{Tracker: tracker.Name, Alerts: tracker.OpenAlerts, Coverage: tracker.Coverage, NextSweep: tracker.NextSweepAt, Verdict: "no brands"}
	brands, err := c.brands(tracker.Name)
	if err != nil || len(brands) == 0 {
		return []movedRow{row}, nil, err
	}
	query.Set("having", having(own(brands)))
	var compared earshot.CompareReport
	if err := c.get(of(tracker.Name, "/compare"), query, &compared); err != nil {
		return nil, nil, err
	}
	var rows []movedRow
	for _, found := range wholeRows(compared.Rows) {
		one := row
		one.Brand, one.Target, one.Verdict, one.MadeUp = found.Brand, found.Target, string(found.Verdict), compared.MadeUp
		one.Value, one.Before, one.Change = found.After, found.Before, found.Change
		rows = append(rows, one)
	}
	if len(rows) == 0 {
		row.Verdict = "no sweeps"
		rows = []movedRow{row}
	}
	return rows, &compared, nil
}

// wholeRows returns the rows for all targets together, or all rows if there is only one target. Each
// surface has such rows of its own.
func wholeRows(rows []earshot.ComparedRow) []earshot.ComparedRow {
	whole := slices.DeleteFunc(slices.Clone(rows), func(row earshot.ComparedRow) bool { return !strings.HasPrefix(row.Target, "*") })
	if len(whole) == 0 {
		return rows
	}
	return whole
}

// trackers lists the trackers, or shows one.
func trackers(c *call) (*view, error) {
	name := c.args["tracker"]
	if name == "" {
		return plain(c)
	}
	var t earshot.Tracker
	var sweeps any
	if err := c.get(of(name, ""), nil, &t); err != nil {
		return nil, err
	}
	if err := c.get(of(name, "/sweeps"), url.Values{"limit": {"5"}}, &sweeps); err != nil {
		return nil, err
	}
	definition, err := json.Marshal(t.Definition)
	if err != nil {
		return nil, err
	}
	v := &view{data: t, head: []string{
		fmt.Sprintf("%s (%s): %d prompts on %d targets, %d brands, version %d. A sweep costs at most %d credits, the schedule %d a month; %d committed this month.",
			t.Name, t.State, t.Prompts, t.Targets, t.Brands, t.Version, t.Cost.Sweep, t.Cost.Month, t.Cost.Committed),
	}}
	if t.NextSweepAt != nil {
		v.head = append(v.head, "Next sweep: "+cell(generic(t.NextSweepAt)))
	}
	_, last := show(sweeps, "sweeps", sweepColumns, "")
	last.title, last.cursor = "Last sweeps:", ""
	v.tables = []table{last}
	kb, err := c.number("maxKB", 1, defaultKB)
	v.tail = []string{cut("\nDefinition: "+string(definition), max(1, kb-3)<<10)}
	return v, err
}

const sweepColumns = "id slot state reason planned=progress.planned answered=progress.answered missing=progress.missing credits=credits.creditsCharged"

// answer shows an answer, or the differences between two.
func answer(c *call) (*view, error) {
	path, err := c.path(c.operation("GET " + inTracker + "/answers/{id}"))
	if err != nil {
		return nil, err
	}
	if c.args["other"] != "" {
		return c.diff()
	}
	var a earshot.TrackedAnswer
	if err := c.get(path, nil, &a); err != nil {
		return nil, err
	}
	v := &view{data: a, head: []string{fmt.Sprintf("%s on %s at %s: %s %s", oneLine(a.Prompt), a.Target, cell(generic(a.AskedAt)), a.Outcome, a.Reason)}}
	if a.Found != nil {
		var names []string
		for _, m := range a.Found.Mentions {
			if m.Kind != "absent" && !slices.Contains(names, m.Brand) {
				names = append(names, m.Brand)
			}
		}
		v.head = append(v.head, "It names "+or(strings.Join(names, ", "), "no brand")+".")
	}
	if a.Result == nil {
		return v, nil
	}
	text, err := resultText(a.Result)
	v.head = append(v.head, "", text)
	return v, err
}

func (c *call) diff() (*view, error) {
	var diff earshot.AnswerDiff
	if err := c.get(of(c.args["tracker"], "/diff"), url.Values{"a": {c.args["id"]}, "b": {c.args["other"]}}, &diff); err != nil {
		return nil, err
	}
	v := &view{data: diff, head: []string{
		fmt.Sprintf("a at %s names %s; b at %s names %s.", cell(generic(diff.A.Answer.AskedAt)), or(strings.Join(diff.A.Brands, ", "), "no brand"), cell(generic(diff.B.Answer.AskedAt)), or(strings.Join(diff.B.Brands, ", "), "no brand")),
		fmt.Sprintf("Distance of brands %s, of domains %s; normal between consecutive answers are %s and %s.",
			cell(generic(diff.Distance.Brands)), cell(generic(diff.Distance.Domains)), cell(generic(diff.Noise.Brands)), cell(generic(diff.Noise.Domains))),
	}}
	if !diff.SameCell {
		v.head = append(v.head, "The answers are to different prompts or from different targets.")
	}
	v.tables = []table{
		{title: "Only b cites:", rows: listOf(diff.Gained), columns: "url"}, {title: "Only a cites:", rows: listOf(diff.Lost), columns: "url"},
	}
	v.head = append(v.head, "", "Words, [-only in a-] and {+only in b+}:", diffText(&diff))
	return v, nil
}

// contents lists searches, products, ads or names.
func contents(c *call) (*view, error) {
	const seen = " answers prompts targets newest"
	kinds := map[string][3]string{
		"searches": {"searches", "rows", "search prompt added names missed" + seen},
		"products": {"products", "rows", "title brands share medianRank lowest=prices.lowest currency=prices.currency" + seen},
		"ads":      {"ads", "rows", "advertiser domain title brands share shown" + seen},
		"names":    {"discover", "names", "name named share as targets examples.0"},
	}
	kind, ok := kinds[c.args["kind"]]
	if !ok {
		return nil, unknown("kind", "is not known", c.args["kind"], slices.Sorted(maps.Keys(kinds)))
	}
	o := c.operation("GET " + inTracker + "/" + kind[0])
	for _, name := range strings.Fields("from to filter brand q offset") {
		if c.args[name] != "" && !o.takes(name) && name != "offset" {
			return nil, schema.Invalid(name, "is not an argument for %s", c.args["kind"])
		}
	}
	return c.plainly(o, kind[1], kind[2], "answers")
}

// apply creates or changes a tracker, or says what that would do.
func apply(c *call) (*view, error) {
	path, err := c.path(c.operation("PUT " + inTracker))
	if err != nil {
		return nil, err
	}
	confirm, err := c.flag("confirm")
	if err != nil {
		return nil, err
	}
	definition, header, err := c.definition(path)
	if err != nil {
		return nil, err
	}
	v := &view{}
	if definition != nil {
		var applied earshot.TrackerApplied
		if err := c.change(c.operation("PUT "+inTracker), path+"?dryRun="+strconv.FormatBool(!confirm), header, definition, &applied); err != nil {
			return nil, err
		}
		v = appliedView(&applied)
	}
	if state := c.args["state"]; state != "" && confirm {
		var t earshot.Tracker
		if err := c.change(c.operation("PATCH "+inTracker), path, nil, map[string]any{"state": state}, &t); err != nil {
			return nil, err
		}
		v.head = append(v.head, fmt.Sprintf("%s is %s.", t.Name, t.State))
		if v.data == nil {
			v.data = t
		}
	} else if state != "" {
		v.head = append(v.head, "The schedule would be "+state+".")
	}
	if !confirm {
		v.head = append([]string{"Dry run: nothing was stored. To apply it, call again with confirm=true."}, v.head...)
	}
	return v, nil
}

func appliedView(a *earshot.TrackerApplied) *view {
	said := "It changes nothing."
	switch {
	case a.Created:
		said = "It creates the tracker."
	case a.Changed:
		said = "It changes the tracker."
	}
	v := &view{data: a, head: []string{
		fmt.Sprintf("%s %d prompts on %d targets, %d brands. A sweep costs at most %d credits, the schedule %d a month.",
			said, a.Tracker.Prompts, a.Tracker.Targets, a.Tracker.Brands, a.Tracker.Cost.Sweep, a.Tracker.Cost.Month),
	}}
	if len(a.Warnings) > 0 {
		v.head = append(v.head, "Warnings: "+strings.Join(a.Warnings, "; "))
	}
	for _, t := range []table{
		{title: "Changes:", rows: listOf(a.Changes), columns: "kind part what"},
		{title: "Series that break:", rows: listOf(a.Breaks), columns: "series reason"},
		{title: "Next sweeps:", rows: listOf(a.Tracker.NextSlots), columns: "slot"},
	} {
		if len(t.rows) > 0 {
			v.tables = append(v.tables, t)
		}
	}
	return v
}

// definition returns the definition to apply, nil for none: the stored one, if there is one, with the
// changes. The header makes sure that nobody else changes the stored one meanwhile.
func (c *call) definition(path string) (definition map[string]any, header http.Header, err error) {
	var fields map[string]any
	var add, remove map[string][]any
	for name, into := range map[string]any{"definition": &fields, "add": &add, "remove": &remove} {
		if c.raw[name] != nil && read(c.raw[name], into) != nil {
			return nil, nil, schema.Invalid(name, "must have the form in the description of the tool")
		}
	}
	if fields == nil && add == nil && remove == nil {
		if c.args["state"] == "" {
			err = schema.Invalid("definition", "is required, or one of add, remove and state")
		}
		return nil, nil, err
	}
	var stored any
	answer, received, err := c.send(http.MethodGet, path, nil, nil)
	if reason, ok := errors.AsType[*refused](err); ok && reason.Code == earshot.CodeNotFound {
		answer, err = []byte("{}"), nil // a new tracker
	}
	if err == nil {
		err = read(answer, &stored)
	}
	if err != nil {
		return nil, nil, err
	}
	if tag := received.Get("ETag"); tag != "" {
		header = http.Header{"If-Match": {tag}}
	}
	definition = map[string]any{}
	had, _ := at(stored, "definition").(map[string]any)
	maps.Copy(definition, had)
	maps.Copy(definition, fields)
	maps.DeleteFunc(definition, func(_ string, value any) bool { return value == nil })
	for part, names := range remove {
		if definition[part], err = without(part, definition[part], names); err != nil {
			return nil, nil, err
		}
	}
	for part, more := range add {
		had, _ := definition[part].([]any)
		definition[part] = append(had, more...)
	}
	return definition, header, nil
}

// without removes the items with the names from a part of a definition.
func without(part string, from any, names []any) (any, error) {
	items, _ := from.([]any)
	for _, name := range names {
		wanted, _ := name.(string)
		var known []string
		i := slices.IndexFunc(items, func(item any) bool {
			known = append(known, itemName(item))
			return itemName(item) == wanted
		})
		if i < 0 {
			return nil, unknown("remove."+part, fmt.Sprintf("has no %q to remove", wanted), wanted, known[:min(len(known), 20)])
		}
		items = slices.Delete(items, i, i+1)
	}
	return items, nil
}

// itemName returns the name of a brand, the text of a prompt, or a target as provider/country.
func itemName(item any) string {
	if text, ok := item.(string); ok {
		return text
	}
	for _, field := range []string{"name", "text", "domain"} {
		if text, ok := at(item, field).(string); ok {
			return text
		}
	}
	return fmt.Sprintf("%v/%v", at(item, "provider"), at(item, "country"))
}
