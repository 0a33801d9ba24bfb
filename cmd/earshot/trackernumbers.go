package main

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"earshot"
	"earshot/client"
	"earshot/internal/track/metric"
)

// trackerNumbers are the commands that read metrics of a tracker.
type trackerNumbers struct {
	Metrics trackerMetricsCmd `cmd:"" help:"Print its metrics."`
	Compare trackerCompareCmd `cmd:"" help:"Find out whether a metric changed between two periods."`
	Sources trackerSourcesCmd `cmd:"" help:"List the sources that its answers cite."`
	Report  trackerReportCmd  `cmd:"" help:"Write a report that compares a period with the one before."`
	trackerContents
	trackerExplore
}

// numberFlags are the flags of all commands that read metrics.
type numberFlags struct {
	From         string `help:"Only sweeps due at or after this time or day." placeholder:"DAY"`
	To           string `help:"Only sweeps due before this time, or on or before this day." placeholder:"DAY"`
	Filter       string `help:"Only answers that match, such as target:chatassistant/US,tag:trail. It reduces the denominators." placeholder:"FILTER"`
	Branded      bool   `help:"Include prompts that contain the name of one of the tracker's brands."`
	PoolSurfaces bool   `help:"Combine answers from websites, APIs and the lab."`

	tableFlags
	trackerArg
}

// tableFlags are the output formats of a report.
type tableFlags struct {
	JSON bool `name:"json" help:"Print the whole report as JSON." xor:"format"`
	CSV  bool `name:"csv" help:"Print the rows as CSV." xor:"format"`
}

func (c *numberFlags) filter() earshot.MetricFilter {
	return earshot.MetricFilter{From: c.From, To: c.To, Filter: c.Filter, Branded: c.Branded, PoolSurfaces: c.PoolSurfaces}
}

func (c *numberFlags) print(in *invocation, report any, rows [][]string, madeUp bool) error {
	return c.tableFlags.print(in, report, rows, madeUp, "there are no answers of closed sweeps in this period")
}

// print prints a report as JSON, or its rows as CSV or as a table. none is the message if
// there are no rows besides the header.
func (c *tableFlags) print(in *invocation, report any, rows [][]string, madeUp bool, none string) error {
	switch {
	case c.JSON:
		return in.json(report)
	case c.CSV:
		for _, row := range rows {
			for i := range row {
				row[i] = cellOf(row[i])
			}
		}
		return csv.NewWriter(in.out).WriteAll(rows)
	case len(rows) == 1:
		fmt.Fprintln(in.errOut, none)
		return nil
	}
	if madeUp {
		fmt.Fprintln(in.errOut, "warning: these answers were made up by the lab")
	}
	return printTable(in.out, rows)
}

// cellOf escapes a text that a spreadsheet would read as a formula. It does not change numbers.
func cellOf(text string) string {
	if text == "" || text == "-" || !strings.ContainsRune("=+-@", rune(text[0])) {
		return text
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return "'" + text
}

type trackerMetricsCmd struct {
	Metric string `help:"Comma-separated names of metrics." default:"visibility" placeholder:"NAMES"`
	By     string `help:"Comma-separated dimensions to group by: target, provider, country, prompt, tag, sweep, day, week, month; brand for none of these." default:"target" placeholder:"DIMENSIONS"`
	Having string `help:"Only rows that match, such as brand:Ollaro. It does not change the values." placeholder:"FILTER"`
	numberFlags
}

// Help returns the command's long help.
func (c *trackerMetricsCmd) Help() string {
	return `Prints metrics of a tracker, computed from its closed sweeps. IF ASKED AGAIN is the 95 % confidence interval for the same prompts
asked again, FOR SIMILAR PROMPTS the one for other prompts of the same kind; "provisional" means fewer than 5 sweeps. Missing answers
do not count in any rate. Without --from, the last 28 days count.
docs/statistics.md describes all metrics. To find out whether a metric changed, use 'earshot tracker compare'.

Exit status: 0 they were printed, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker metrics shoes
  earshot tracker metrics shoes --metric visibility,shareOfVoice --by target,week --having brand:Ollaro
  earshot tracker metrics shoes --filter tag:trail --csv > trail.csv`
}

// Run prints the metrics.
func (c *trackerMetricsCmd) Run(in *invocation, service *client.Client) error {
	report, err := service.TrackerMetrics(in, c.Name, earshot.MetricQuery{Metric: c.Metric, By: c.By, Having: c.Having, MetricFilter: c.filter()})
	if err != nil {
		return c.explain(err)
	}
	by := strings.Split(c.By, ",")
	head := []string{"METRIC", "BRAND"}
	withItems := slices.ContainsFunc(report.Rows, func(r earshot.MetricRow) bool { return item(&r) != "" })
	if withItems {
		head = append(head, "ITEM")
	}
	for _, dimension := range by {
		if dimension = strings.TrimSpace(dimension); dimension != "brand" && dimension != "" {
			head = append(head, strings.ToUpper(dimension))
		}
	}
	rows := [][]string{append(head, "VALUE", "COUNT", "IF ASKED AGAIN", "FOR SIMILAR PROMPTS", "SWEEPS", "MISSING", "")}
	for _, r := range report.Rows {
		rows = append(rows, c.row(&r, by, withItems))
	}
	if err := c.print(in, report, rows, report.MadeUp); err != nil || c.JSON || c.CSV || len(rows) == 1 {
		return err
	}
	fmt.Fprintln(in.out, `
COUNT: answers that count in the value, of all answers. The value gives each prompt on a target its weight, so it may differ from their ratio.
IF ASKED AGAIN, FOR SIMILAR PROMPTS: 95 % confidence intervals. MISSING: planned answers that did not come and count nowhere.`)
	return nil
}

// item returns the merchant, product or block of a row.
func item(r *earshot.MetricRow) string {
	return strings.TrimSpace(r.Merchant + r.Block + r.Product + " " + r.Currency)
}

func (c *trackerMetricsCmd) row(r *earshot.MetricRow, by []string, withItem bool) []string {
	labels := map[string]string{
		"target": r.Target, "surface": strings.TrimSuffix(r.Surface+":"+r.Via, ":"), "provider": r.Provider, "country": r.Country, "prompt": r.Prompt, "tag": r.Tag,
		"sweep": r.Sweep, "day": r.Day, "week": r.Week, "month": r.Month,
	}
	row := []string{r.Metric, dashed(r.Brand)}
	if withItem {
		row = append(row, dashed(item(r)))
	}
	for _, dimension := range by {
		if label, known := labels[strings.TrimSpace(dimension)]; known {
			row = append(row, dashed(oneLine(label)))
		}
	}
	isPlain := r.Places != nil || r.Top != nil || r.Lowest != nil || metric.IsMean(r.Metric)
	rerun, market, sweeps, note := "-", "-", "-", cmp.Or(r.Reason, r.Note)
	if r.Interval != nil {
		rerun, market = c.endsAs(r.Interval.Rerun, isPlain), c.endsAs(r.Interval.Market, isPlain)
	}
	if r.Sweeps != nil {
		sweeps = strconv.Itoa(*r.Sweeps)
	}
	if r.Provisional {
		note = strings.TrimSuffix("provisional, "+note, ", ")
	}
	of := plainNumber(r.Numerator) + "/" + plainNumber(r.Denominator)
	return append(row, c.value(r.Value, isPlain), of, rerun, market, sweeps, strconv.Itoa(r.Missing), note)
}

// value formats a share as a percentage, or as a plain number in CSV and for values that are
// not shares.
func (c *tableFlags) value(v *float64, isPlain bool) string {
	switch {
	case v == nil:
		return "-"
	case c.CSV || isPlain:
		return plainNumber(*v)
	default:
		return fmt.Sprintf("%.1f%%", 100**v)
	}
}

func (c *tableFlags) ends(interval []float64) string { return c.endsAs(interval, false) }

func (c *tableFlags) endsAs(interval []float64, isPlain bool) string {
	if len(interval) != 2 {
		return "-"
	}
	return c.value(&interval[0], isPlain) + ".." + c.value(&interval[1], isPlain)
}

func plainNumber(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func dashed(text string) string {
	if text == "" {
		return "-"
	}
	return oneLine(text)
}

type trackerCompareCmd struct {
	Metric       string `help:"Comma-separated names of metrics." default:"visibility" placeholder:"NAMES"`
	BaselineFrom string `help:"First day of the earlier period; by default, it is as long as the later period and ends right before it." placeholder:"DAY"`
	BaselineTo   string `help:"Last day of the earlier period." placeholder:"DAY"`
	Having       string `help:"Only rows that match, such as brand:Ollaro." placeholder:"FILTER"`
	By           string `help:"prompt compares each prompt instead of each target." enum:",prompt" default:"" placeholder:"prompt"`
	Top          int    `help:"Only so many rows: those that moved, then the largest changes." placeholder:"N"`
	numberFlags
}

// Help returns the command's long help.
func (c *trackerCompareCmd) Help() string {
	return `Compares two periods; by default, the last 28 days with the 28 days before. "moved" is a change larger than normal variation;
"steady" may be normal variation; "tooEarly" means fewer than 5 sweeps in a period. VISIBLE FROM is the smallest change that would
have been detected in 80 of 100 cases. NOISE FLOOR is the difference in visibility between a sweep and its repetition by
'earshot tracker run --repeat'. The grade rates the reliability of the metrics and lists what is missing for a decision.

Exit status: 0 they were compared, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker compare shoes
  earshot tracker compare shoes --having brand:Ollaro --from 2026-11-01 --to 2026-11-14
  earshot tracker compare shoes --having brand:Ollaro --by prompt --top 20
  earshot tracker compare shoes --json | jq -r '.rows[].summary'`
}

// Run compares the periods.
func (c *trackerCompareCmd) Run(in *invocation, service *client.Client) error {
	query := earshot.CompareQuery{
		Metric: c.Metric, MetricFilter: c.filter(), BaselineFrom: c.BaselineFrom, BaselineTo: c.BaselineTo, Having: c.Having, By: c.By, Limit: c.Top,
	}
	if c.Top > 0 {
		query.Sort = "change"
	}
	report, err := service.CompareTracker(in, c.Name, query)
	if err != nil {
		return c.explain(err)
	}
	rows := [][]string{{"METRIC", "BRAND", "TARGET", "PROMPT", "VERDICT", "BEFORE", "AFTER", "CHANGE", "INTERVAL", "VISIBLE FROM", "NOISE FLOOR", "CELLS", "LEFT OUT", "SWEEPS"}}
	for _, r := range report.Rows {
		isPlain := metric.IsMean(r.Metric)
		rows = append(rows, []string{
			r.Metric, dashed(r.Brand), oneLine(r.Target), dashed(r.Prompt), string(r.Verdict), c.value(r.Before, isPlain), c.value(r.After, isPlain), c.value(r.Change, isPlain),
			c.endsAs(r.Interval, isPlain), c.value(r.SmallestChange, isPlain), c.value(r.NoiseFloor, false), strconv.Itoa(r.Cells), strconv.Itoa(r.CellsLeftOut),
			fmt.Sprintf("%d/%d", r.SweepsBefore, r.SweepsAfter),
		})
	}
	if !c.JSON && !c.CSV {
		fmt.Fprintf(in.out, "%s to %s compared with %s to %s\n\n", report.Period.From, report.Period.To, report.Baseline.From, report.Baseline.To)
	}
	if err := c.print(in, report, rows, report.MadeUp); err != nil || c.JSON || c.CSV {
		return err
	}
	for _, g := range report.Grades {
		if _, err := fmt.Fprintf(in.out, "\n%s: %s%s\n", oneLine(g.Target), g.Grade, lacks(g.Criteria)); err != nil {
			return err
		}
	}
	return nil
}

// lacks returns the criteria that are not met.
func lacks(criteria []earshot.GradedCriterion) string {
	var missed []string
	for _, criterion := range criteria {
		if criterion.Met {
			continue
		}
		value := "unknown"
		if criterion.Value != nil {
			value = fmt.Sprintf("%.3g", *criterion.Value)
		}
		missed = append(missed, fmt.Sprintf("%s %s (a decision needs %s)", criterion.Name, value, plainNumber(criterion.Decision)))
	}
	if missed == nil {
		return ""
	}
	return "; " + strings.Join(missed, ", ")
}

type trackerSourcesCmd struct {
	By    string `help:"Count citations by domain, url or type." enum:"domain,url,type" default:"domain"`
	Limit int    `help:"The maximum number of sources; the most cited come first." default:"20" placeholder:"N"`
	Brand string `help:"Only sources of this brand, and sources cited in sentences that name it." placeholder:"BRAND"`
	Since bool   `help:"Compare with the period before, which is as long; needs --from."`
	numberFlags
}

// Help returns the command's long help.
func (c *trackerSourcesCmd) Help() string {
	return `Lists the sites or pages that answers cite, with their share of all citations. A page counts once per answer. RETRIEVED and CITED
count answers. With --since, CHANGE has the number of answers before and now, and lost sources are listed at the end.

Exit status: 0 they were listed, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker sources shoes
  earshot tracker sources shoes --from 2026-11-01 --since
  earshot tracker sources shoes --by url --limit 100 --csv > pages.csv`
}

// Run lists the sources.
func (c *trackerSourcesCmd) Run(in *invocation, service *client.Client) error {
	report, err := service.TrackerSources(in, c.Name, earshot.SourceQuery{By: c.By, Limit: c.Limit, MetricFilter: c.filter(), Brand: c.Brand, Since: c.Since})
	if err != nil {
		return c.explain(err)
	}
	rows := [][]string{{strings.ToUpper(c.By), "TYPE", "BRAND", "TARGET", "SHARE", "CITATIONS", "IF ASKED AGAIN", "RETRIEVED", "CITED", "CHANGE"}}
	for _, r := range report.Rows {
		change := "-"
		if r.Since != nil {
			change = fmt.Sprintf("%s %d..%d", r.Since.State, r.Since.Before, r.Since.After)
		}
		what := map[string]string{"domain": r.Domain, "url": r.URL, "type": r.Type}[c.By]
		rerun := "-"
		if r.Interval != nil {
			rerun = c.ends(r.Interval.Rerun)
		}
		rows = append(rows, []string{
			oneLine(what), r.Type, dashed(r.Brand), oneLine(r.Target), c.value(r.Share, false), fmt.Sprintf("%d/%d", r.Citations, r.AllCitations), rerun,
			fmt.Sprintf("%d/%d", r.Retrieved.Answers, r.Retrieved.Of), fmt.Sprintf("%d/%d", r.Cited.Answers, r.Cited.Of), change,
		})
	}
	for _, r := range report.Lost {
		what := map[string]string{"domain": r.Domain, "url": r.URL, "type": r.Type}[c.By]
		rows = append(rows, []string{oneLine(what), r.Type, dashed(r.Brand), oneLine(r.Target), "-", "-", "-", "-", "-", fmt.Sprintf("lost %d..0", r.Before)})
	}
	return c.print(in, report, rows, report.MadeUp)
}
