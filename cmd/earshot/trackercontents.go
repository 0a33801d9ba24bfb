package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"

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
	From    moment    `help:"Only sweeps due at or after this time or day, such as -7d." placeholder:"DAY"`
	To      moment    `help:"Only sweeps due before this time, or on or before this day, such as -1d." placeholder:"DAY"`
	Filter  filterArg `help:"Only answers that match, such as target:chatassistant/US,tag:trail. It reduces the denominators." placeholder:"FILTER"`
	Branded bool      `help:"Include prompts that contain the name of one of the tracker's brands."`
	Brand   string    `help:"Only rows of this brand." placeholder:"BRAND"`
	Text    string    `name:"q" help:"Only rows that contain this text." placeholder:"TEXT"`
	Limit   int       `help:"The maximum number of rows." default:"20" placeholder:"N"`

	output
	trackerArg
}

func (c *contentFlags) query() earshot.ContentQuery {
	return earshot.ContentQuery{From: string(c.From), To: string(c.To), Filter: string(c.Filter), Branded: c.Branded, Brand: c.Brand, Text: c.Text, Limit: c.Limit}
}

// printContents prints a report, and how many answers were left out.
func (c *contentFlags) printContents(in *invocation, t *table, report any, head *earshot.ContentHead, none string) error {
	if left := head.NotRequested + head.NotOffered; left > 0 && c.isTable() {
		fmt.Fprintf(in.errOut, "%d of %d answers are left out: for %d this was not requested, for %d the provider does not offer it\n",
			left, left+head.Answers, head.NotRequested, head.NotOffered)
	}
	t.report, t.madeUp, t.none = report, head.MadeUp, none
	return c.print(in, t)
}

// date returns the date of a time.
func date(at earshot.Timestamp) string { return at.Format(time.DateOnly) }

type trackerSearchesCmd struct{ contentFlags }

// Help returns the command's long help.
func (c *trackerSearchesCmd) Help() string {
	return `Lists the searches that assistants ran before they answered. MISSED is the number of answers that read a page of a rival and none of
your own brands; these searches come first. ADDED are the words that the prompt does not have. The last columns have the share of answers
that retrieved or cited a page of each brand.

Exit status: 0 they were listed, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker searches shoes
  earshot tracker searches shoes --brand Ollaro --from -14d -o csv > searches.csv`
}

// Run lists the searches.
func (c *trackerSearchesCmd) Run(in *invocation, service *client.Client) error {
	report, err := service.TrackerSearches(in, c.Name, c.query())
	if err != nil {
		return c.explain(err)
	}
	head := "SEARCH|MISSED|ANSWERS|PROMPTS|LAST SEEN|ADDED|NAMES"
	if len(report.Rows) > 0 { // every row has all brands
		for _, b := range report.Rows[0].Brands {
			head += "|" + oneLine(strings.NewReplacer("|", " ", "=", " ", "/", " ").Replace(b.Brand))
		}
	}
	t := tableOf(head, report.Rows, func(r *earshot.SearchRow) []any {
		row := []any{r.Search, r.Missed, r.Answers, r.Prompts, date(r.LastSeen), r.Added, r.Names}
		for _, b := range r.Brands {
			row = append(row, percent(b.Share))
		}
		return row
	})
	return c.printContents(in, t, report, &report.ContentHead, "no searches are reported in this period")
}

type trackerProductsCmd struct{ contentFlags }

// Help returns the command's long help.
func (c *trackerProductsCmd) Help() string {
	return `Lists the products that answers show, with their brands, their median rank, the number of merchants, and the lowest and the median price;
a product with prices in several currencies has several rows. -o json has all merchants, and the prices of each sweep.

Exit status: 0 they were listed, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker products shoes
  earshot tracker products shoes --brand Ollaro --jq '.rows[].prices'`
}

// Run lists the products.
func (c *trackerProductsCmd) Run(in *invocation, service *client.Client) error {
	report, err := service.TrackerProducts(in, c.Name, c.query())
	if err != nil {
		return c.explain(err)
	}
	type offer struct {
		*earshot.ProductRow
		lowest, median, currency any
	}
	var offers []offer
	for i := range report.Rows {
		r := &report.Rows[i]
		for _, p := range r.Prices {
			offers = append(offers, offer{r, p.Lowest, p.Median, p.Currency})
		}
		if len(r.Prices) == 0 {
			offers = append(offers, offer{ProductRow: r})
		}
	}
	t := tableOf("PRODUCT|BRANDS|SHARE|ANSWERS=ANSWERS/OF|RANK|MERCHANTS|LOWEST|MEDIAN|CURRENCY|LAST SEEN", offers, func(r *offer) []any {
		return []any{
			r.Title, r.Brands, percent(&r.Share), ratio(r.Answers, report.Answers), r.MedianRank, len(r.Merchants), r.lowest, r.median, r.currency, date(r.LastSeen),
		}
	})
	t.items = nil
	for _, r := range report.Rows {
		t.items = append(t.items, r)
	}
	return c.printContents(in, t, report, &report.ContentHead, "no products are reported in this period")
}

type trackerAdsCmd struct{ contentFlags }

// Help returns the command's long help.
func (c *trackerAdsCmd) Help() string {
	return `Lists the ads that answers show: the advertiser, the brand of the tracker, the text, where it was shown, and since when.

Exit status: 0 they were listed, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker ads shoes
  earshot tracker ads shoes --brand Kestrin -o csv > ads.csv`
}

// Run lists the ads.
func (c *trackerAdsCmd) Run(in *invocation, service *client.Client) error {
	report, err := service.TrackerAds(in, c.Name, c.query())
	if err != nil {
		return c.explain(err)
	}
	t := tableOf("ADVERTISER|BRANDS|TITLE|TEXT|PLACES|SHARE|ANSWERS=ANSWERS/OF|FIRST SEEN|LAST SEEN", report.Rows, func(r *earshot.AdRow) []any {
		return []any{
			cmp.Or(r.Domain, r.Advertiser), r.Brands, r.Title, r.Text, r.Blocks, percent(&r.Share), ratio(r.Answers, report.Answers), date(r.FirstSeen), date(r.LastSeen),
		}
	})
	return c.printContents(in, t, report, &report.ContentHead, "no ads are reported in this period")
}
