package main

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"earshot"
	"earshot/client"
)

// trackerContents are the commands that list what the answers of a tracker contain.
type trackerContents struct {
	Searches trackerSearchesCmd `cmd:"" help:"List the searches that assistants ran."`
	Products trackerProductsCmd `cmd:"" help:"List the products that its answers show."`
	Ads      trackerAdsCmd      `cmd:"" help:"List the ads that its answers show."`
}

// contentFlags are the flags of all commands that list contents.
type contentFlags struct {
	From    string `help:"Only sweeps due at or after this time or day." placeholder:"DAY"`
	To      string `help:"Only sweeps due before this time, or on or before this day." placeholder:"DAY"`
	Filter  string `help:"Only answers that match, such as target:chatassistant/US,tag:trail. It reduces the denominators." placeholder:"FILTER"`
	Branded bool   `help:"Include prompts that contain the name of one of the tracker's brands."`
	Brand   string `help:"Only rows of this brand." placeholder:"BRAND"`
	Text    string `name:"q" help:"Only rows that contain this text." placeholder:"TEXT"`
	Limit   int    `help:"The maximum number of rows." default:"20" placeholder:"N"`

	tableFlags
	trackerArg
}

func (c *contentFlags) query() earshot.ContentQuery {
	return earshot.ContentQuery{From: c.From, To: c.To, Filter: c.Filter, Branded: c.Branded, Brand: c.Brand, Text: c.Text, Limit: c.Limit}
}

// print prints rows, and how many answers were left out.
func (c *contentFlags) print(in *invocation, report any, rows [][]string, head *earshot.ContentHead, none string) error {
	if left := head.NotRequested + head.NotOffered; left > 0 && !c.JSON && !c.CSV {
		fmt.Fprintf(in.errOut, "%d of %d answers are left out: for %d this was not requested, for %d the provider does not offer it\n",
			left, left+head.Answers, head.NotRequested, head.NotOffered)
	}
	return c.tableFlags.print(in, report, rows, head.MadeUp, none)
}

// day returns the date of a time.
func day(at earshot.Timestamp) string { return at.Format("2006-01-02") }

// words joins names for a table cell.
func words(list []string) string { return dashed(strings.Join(list, ", ")) }

type trackerSearchesCmd struct{ contentFlags }

// Help returns the command's long help.
func (c *trackerSearchesCmd) Help() string {
	return `Lists the searches that assistants ran before they answered. MISSED is the number of answers that read a page of a rival and none of
your own brands; these searches come first. ADDED are the words that the prompt does not have. The last column has the share of answers
that retrieved or cited a page of each brand.

Exit status: 0 they were listed, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker searches shoes
  earshot tracker searches shoes --brand Ollaro --from 2026-11-01 --csv > searches.csv`
}

// Run lists the searches.
func (c *trackerSearchesCmd) Run(in *invocation, service *client.Client) error {
	report, err := service.TrackerSearches(in, c.Name, c.query())
	if err != nil {
		return c.explain(err)
	}
	rows := [][]string{{"SEARCH", "MISSED", "ANSWERS", "PROMPTS", "LAST SEEN", "ADDED", "NAMES", "RETRIEVED"}}
	for _, r := range report.Rows {
		var shares []string
		for _, b := range r.Brands {
			shares = append(shares, b.Brand+" "+c.value(b.Share, false))
		}
		rows = append(rows, []string{
			oneLine(r.Search), strconv.Itoa(r.Missed), strconv.Itoa(r.Answers), strconv.Itoa(r.Prompts), day(r.LastSeen), words(r.Added), words(r.Names), words(shares),
		})
	}
	return c.print(in, report, rows, &report.ContentHead, "no searches are reported in this period")
}

type trackerProductsCmd struct{ contentFlags }

// Help returns the command's long help.
func (c *trackerProductsCmd) Help() string {
	return `Lists the products that answers show, with their brands, their median rank, the number of merchants, and the lowest and the median price
in each currency. --json has all merchants, and the prices of each sweep.

Exit status: 0 they were listed, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker products shoes
  earshot tracker products shoes --brand Ollaro --json | jq '.rows[].prices'`
}

// Run lists the products.
func (c *trackerProductsCmd) Run(in *invocation, service *client.Client) error {
	report, err := service.TrackerProducts(in, c.Name, c.query())
	if err != nil {
		return c.explain(err)
	}
	rows := [][]string{{"PRODUCT", "BRANDS", "SHARE", "ANSWERS", "RANK", "MERCHANTS", "LOWEST", "MEDIAN", "LAST SEEN"}}
	for _, r := range report.Rows {
		var lowest, median []string
		for _, p := range r.Prices {
			lowest, median = append(lowest, plainNumber(p.Lowest)+" "+p.Currency), append(median, plainNumber(p.Median)+" "+p.Currency)
		}
		rows = append(rows, []string{
			oneLine(r.Title), words(r.Brands), c.value(&r.Share, false), fmt.Sprintf("%d/%d", r.Answers, report.Answers), plainNumber(r.MedianRank),
			strconv.Itoa(len(r.Merchants)), words(lowest), words(median), day(r.LastSeen),
		})
	}
	return c.print(in, report, rows, &report.ContentHead, "no products are reported in this period")
}

type trackerAdsCmd struct{ contentFlags }

// Help returns the command's long help.
func (c *trackerAdsCmd) Help() string {
	return `Lists the ads that answers show: the advertiser, the brand of the tracker, the text, where it was shown, and since when.

Exit status: 0 they were listed, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker ads shoes
  earshot tracker ads shoes --brand Kestrin --csv > ads.csv`
}

// Run lists the ads.
func (c *trackerAdsCmd) Run(in *invocation, service *client.Client) error {
	report, err := service.TrackerAds(in, c.Name, c.query())
	if err != nil {
		return c.explain(err)
	}
	rows := [][]string{{"ADVERTISER", "BRANDS", "TITLE", "TEXT", "PLACES", "SHARE", "ANSWERS", "FIRST SEEN", "LAST SEEN"}}
	for _, r := range report.Rows {
		rows = append(rows, []string{
			dashed(cmp.Or(r.Domain, r.Advertiser)), words(r.Brands), oneLine(r.Title), dashed(r.Text), words(r.Blocks), c.value(&r.Share, false),
			fmt.Sprintf("%d/%d", r.Answers, report.Answers), day(r.FirstSeen), day(r.LastSeen),
		})
	}
	return c.print(in, report, rows, &report.ContentHead, "no ads are reported in this period")
}
