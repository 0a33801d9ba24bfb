package report

import (
	"context"
	_ "embed"
	"html/template"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/track/definition"
	"earshot/internal/track/numbers"
)

//go:embed share.html
var noticeText string

// Shared is what the page of a share link shows.
type Shared struct {
	Title    string // the heading; empty for the usual one
	From, To string // days of a fixed period
	Days     int    // the last days, if the period is not fixed
	Choices  []Choice
}

// Choice is a link to another number of days.
type Choice struct {
	Days   int
	Chosen bool
}

// periods are the numbers of days that readers of a share link may choose.
var periods = []int{7, 28, 90}

// Offer sets the choices of a page that shows the last days: own is the number of days of the
// link, and wanted is the number that the reader chose. An unknown number is ignored.
func (s *Shared) Offer(own, wanted int) {
	all := slices.Compact(slices.Sorted(slices.Values(append([]int{own}, periods...))))
	s.Days = own
	if slices.Contains(all, wanted) {
		s.Days = wanted
	}
	for _, days := range all {
		s.Choices = append(s.Choices, Choice{days, days == s.Days})
	}
}

// SharedPage returns the page of a share link. It returns store.ErrNotFound.
func (s *Reporter) SharedPage(ctx context.Context, organization, name string, shared *Shared, now time.Time) ([]byte, error) {
	q := &earshot.ReportQuery{From: shared.From, To: shared.To}
	if shared.Days > 0 {
		_, d, err := s.definitions.Load(ctx, organization, name)
		if err != nil {
			return nil, err
		}
		_, today, err := numbers.Periods(d.Zone(), &earshot.CompareQuery{}, now)
		if err != nil {
			return nil, err
		}
		from, err := definition.DaysBefore(d.Zone(), today.Until, shared.Days)
		if err != nil {
			return nil, err
		}
		q.From = from.Format(time.RFC3339)
	}
	in, err := s.Report(ctx, organization, name, q, now)
	if err != nil {
		return nil, err
	}
	in.Shared = shared
	return HTML(in)
}

// Notice is a page of a share link without a report.
type Notice struct {
	Heading, Text string
	Form          bool // asks for the password
}

// HTML renders the page.
func (n Notice) HTML() ([]byte, error) {
	t, err := template.New("notice").Parse(strings.Replace(noticeText, "{{style}}", styleText, 1))
	return render(t, err, n)
}
