package main

import (
	"cmp"
	"fmt"
	"slices"
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
	From         moment    `help:"Only sweeps due at or after this time or day, such as -7d." placeholder:"DAY"`
	To           moment    `help:"Only sweeps due before this time, or on or before this day, such as -1d." placeholder:"DAY"`
	Filter       filterArg `help:"Only answers that match, such as target:chatassistant/US,tag:trail. It reduces the denominators." placeholder:"FILTER"`
	Branded      bool      `help:"Include prompts that contain the name of one of the tracker's brands."`
	PoolSurfaces bool      `help:"Combine answers from websites, APIs and the lab."`

	output
	trackerArg
}

func (c *numberFlags) filter() earshot.MetricFilter {
	return earshot.MetricFilter{From: string(c.From), To: string(c.To), Filter: string(c.Filter), Branded: c.Branded, PoolSurfaces: c.PoolSurfaces}
}

// noAnswers is the message for a report without rows.
const noAnswers = "there are no answers of closed sweeps in this period"

type trackerMetricsCmd struct {
	Metric string    `help:"Comma-separated names of metrics." default:"visibility" placeholder:"NAMES"`
	By     string    `help:"Comma-separated dimensions to group by: target, provider, country, prompt, tag, sweep, day, week, month; brand for none of these." default:"target" placeholder:"DIMENSIONS"`
	Having filterArg `help:"Only rows that match, such as brand:Ollaro. It does not change the values." placeholder:"FILTER"`
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
  earshot tracker metrics shoes --filter target:chatgpt/us,tag:trail --from -14d -o csv > trail.csv`
}

// Run prints the metrics.
func (c *trackerMetricsCmd) Run(in *invocation, service *client.Client) error {
	report, err := service.TrackerMetrics(in, c.Name, earshot.MetricQuery{Metric: c.Metric, By: c.By, Having: string(c.Having), MetricFilter: c.filter()})
	if err != nil {
		return c.explain(err)
	}
	by := strings.Split(c.By, ",")
	head := "METRIC|BRAND"
	withItems := slices.ContainsFunc(report.Rows, func(r earshot.MetricRow) bool { return item(&r) != "" })
	if withItems {
		head += "|ITEM"
	}
	for _, dimension := range by {
		if dimension = strings.TrimSpace(dimension); dimension != "brand" && dimension != "" {
			head += "|" + strings.ToUpper(dimension)
		}
	}
	head += "|VALUE|COUNT=COUNT/OF|IF ASKED AGAIN=AGAIN LOW/AGAIN HIGH|FOR SIMILAR PROMPTS=SIMILAR LOW/SIMILAR HIGH|SWEEPS|MISSING|=NOTE"
	t := tableOf(head, report.Rows, func(r *earshot.MetricRow) []any { return metricCells(r, by, withItems) })
	t.report, t.madeUp, t.none = report, report.MadeUp, noAnswers
	if err := c.print(in, t); err != nil || !c.isTable() || len(t.rows) == 0 {
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

// metricCells returns the cells of a row.
func metricCells(r *earshot.MetricRow, by []string, withItem bool) []any {
	labels := map[string]string{
		"target": r.Target, "surface": strings.TrimSuffix(r.Surface+":"+r.Via, ":"), "provider": r.Provider, "country": r.Country, "prompt": r.Prompt, "tag": r.Tag,
		"sweep": r.Sweep, "day": r.Day, "week": r.Week, "month": r.Month,
	}
	row := []any{r.Metric, r.Brand}
	if withItem {
		row = append(row, item(r))
	}
	for _, dimension := range by {
		if label, known := labels[strings.TrimSpace(dimension)]; known {
			row = append(row, label)
		}
	}
	isPlain := r.Places != nil || r.Top != nil || r.Lowest != nil || metric.IsMean(r.Metric)
	var rerun, market any
	if r.Interval != nil {
		rerun, market = interval(r.Interval.Rerun, isPlain), interval(r.Interval.Market, isPlain)
	}
	note := cmp.Or(r.Reason, r.Note)
	if r.Provisional {
		note = strings.TrimSuffix("provisional, "+note, ", ")
	}
	return append(row, amount(r.Value, isPlain), ratio(r.Numerator, r.Denominator), rerun, market, optional(r.Sweeps), r.Missing, cell{note, []any{note}})
}

type trackerCompareCmd struct {
	Metric       string    `help:"Comma-separated names of metrics." default:"visibility" placeholder:"NAMES"`
	BaselineFrom moment    `help:"First day of the earlier period; by default, it is as long as the later period and ends right before it." placeholder:"DAY"`
	BaselineTo   moment    `help:"Last day of the earlier period." placeholder:"DAY"`
	Having       filterArg `help:"Only rows that match, such as brand:Ollaro." placeholder:"FILTER"`
	By           string    `help:"prompt compares each prompt instead of each target." enum:",prompt" default:"" placeholder:"prompt"`
	Top          int       `help:"Only so many rows: those that moved, then the largest changes." placeholder:"N"`
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
  earshot tracker compare shoes --having brand:Ollaro --from -14d --to -1d
  earshot tracker compare shoes --having brand:Ollaro --by prompt --top 20
  earshot tracker compare shoes --jq '.rows[].summary'`
}

// Run compares the periods.
func (c *trackerCompareCmd) Run(in *invocation, service *client.Client) error {
	query := earshot.CompareQuery{
		Metric: c.Metric, MetricFilter: c.filter(), BaselineFrom: string(c.BaselineFrom), BaselineTo: string(c.BaselineTo), Having: string(c.Having), By: c.By, Limit: c.Top,
	}
	if c.Top > 0 {
		query.Sort = "change"
	}
	report, err := service.CompareTracker(in, c.Name, query)
	if err != nil {
		return c.explain(err)
	}
	const head = "METRIC|BRAND|TARGET|PROMPT|VERDICT|BEFORE|AFTER|CHANGE|INTERVAL=CHANGE LOW/CHANGE HIGH|VISIBLE FROM|NOISE FLOOR|CELLS|LEFT OUT|SWEEPS=SWEEPS BEFORE/SWEEPS AFTER"
	t := tableOf(head, report.Rows, func(r *earshot.ComparedRow) []any {
		isPlain := metric.IsMean(r.Metric)
		return []any{
			r.Metric, r.Brand, r.Target, r.Prompt, r.Verdict, amount(r.Before, isPlain), amount(r.After, isPlain), amount(r.Change, isPlain),
			interval(r.Interval, isPlain), amount(r.SmallestChange, isPlain), percent(r.NoiseFloor), r.Cells, r.CellsLeftOut, ratio(r.SweepsBefore, r.SweepsAfter),
		}
	})
	t.report, t.madeUp, t.none = report, report.MadeUp, noAnswers
	if c.isTable() {
		fmt.Fprintf(in.out, "%s to %s compared with %s to %s\n\n", report.Period.From, report.Period.To, report.Baseline.From, report.Baseline.To)
	}
	if err := c.print(in, t); err != nil || !c.isTable() {
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
		missed = append(missed, fmt.Sprintf("%s %s (a decision needs %s)", criterion.Name, value, plain(criterion.Decision)))
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
count answers. With --since, CHANGE says whether a source was gained, kept or lost, and BEFORE and AFTER count its answers; lost sources are listed
at the end.

Exit status: 0 they were listed, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker sources shoes
  earshot tracker sources shoes --from -14d --since
  earshot tracker sources shoes --by url --limit 100 -o csv > pages.csv`
}

// Run lists the sources.
func (c *trackerSourcesCmd) Run(in *invocation, service *client.Client) error {
	report, err := service.TrackerSources(in, c.Name, earshot.SourceQuery{By: c.By, Limit: c.Limit, MetricFilter: c.filter(), Brand: c.Brand, Since: c.Since})
	if err != nil {
		return c.explain(err)
	}
	what := func(domain, url, kind string) string {
		return map[string]string{"domain": domain, "url": url, "type": kind}[c.By]
	}
	head := strings.ToUpper(c.By) + "|TYPE|BRAND|TARGET|SHARE|CITATIONS=CITATIONS/ALL CITATIONS|IF ASKED AGAIN=AGAIN LOW/AGAIN HIGH|RETRIEVED=RETRIEVED/RETRIEVED OF|CITED=CITED/CITED OF|CHANGE|BEFORE|AFTER"
	t := tableOf(head, report.Rows, func(r *earshot.SourceRow) []any {
		row := []any{what(r.Domain, r.URL, r.Type), r.Type, r.Brand, r.Target, percent(r.Share), ratio(r.Citations, r.AllCitations), nil}
		if r.Interval != nil {
			row[len(row)-1] = interval(r.Interval.Rerun, false)
		}
		row = append(row, ratio(r.Retrieved.Answers, r.Retrieved.Of), ratio(r.Cited.Answers, r.Cited.Of))
		if r.Since == nil {
			return append(row, nil, nil, nil)
		}
		return append(row, r.Since.State, r.Since.Before, r.Since.After)
	})
	for _, r := range report.Lost {
		t.rows = append(t.rows, []any{what(r.Domain, r.URL, r.Type), r.Type, r.Brand, r.Target, nil, nil, nil, nil, nil, "lost", r.Before, 0})
		t.items = append(t.items, r)
	}
	t.report, t.madeUp, t.none = report, report.MadeUp, noAnswers
	return c.print(in, t)
}
