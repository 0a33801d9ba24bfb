package client

import (
	"context"
	"io"
	"net/http"
	"net/url"

	"earshot"
)

func numbersPath(name, part string) string { return "/v1/trackers/" + url.PathEscape(name) + part }

// TrackerMetrics reads what the answers of a tracker say of brands.
func (c *Client) TrackerMetrics(ctx context.Context, tracker string, q earshot.MetricQuery) (*earshot.MetricReport, error) {
	return get[earshot.MetricReport](ctx, c, query(numbersPath(tracker, "/metrics"), q))
}

// CompareTracker tells what changed between two periods, and whether that is noise.
func (c *Client) CompareTracker(ctx context.Context, tracker string, q earshot.CompareQuery) (*earshot.CompareReport, error) {
	return get[earshot.CompareReport](ctx, c, query(numbersPath(tracker, "/compare"), q))
}

// TrackerSources lists what the answers of a tracker cite.
func (c *Client) TrackerSources(ctx context.Context, tracker string, q earshot.SourceQuery) (*earshot.SourceReport, error) {
	return get[earshot.SourceReport](ctx, c, query(numbersPath(tracker, "/sources"), q))
}

// Report opens a document about a tracker, as HTML or Markdown: one period against the one
// before. The caller closes it.
func (c *Client) Report(ctx context.Context, tracker string, q earshot.ReportQuery) (io.ReadCloser, error) {
	resp, err := c.open(ctx, query(numbersPath(tracker, "/report"), q))
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

// SendReport sends a report of a tracker now, to where its reports go or to the named
// channel.
func (c *Client) SendReport(ctx context.Context, tracker, channel string) (*earshot.SentReport, error) {
	sent, err := exchange[earshot.ReportSent](ctx, c, call{method: http.MethodPost, path: numbersPath(tracker, "/report"), body: earshot.ReportSendRequest{Channel: channel}})
	if err != nil {
		return nil, err
	}
	return &sent.Report, nil
}

// DiffAnswers tells how two answers of a tracker differ, and how much answers to that
// question differ anyway.
func (c *Client) DiffAnswers(ctx context.Context, tracker, a, b string) (*earshot.AnswerDiff, error) {
	return get[earshot.AnswerDiff](ctx, c, query(numbersPath(tracker, "/diff"), earshot.DiffQuery{A: a, B: b}))
}

// TryNames tells what names would find in kept answers, and changes nothing.
func (c *Client) TryNames(ctx context.Context, tracker string, trial earshot.NameTrial) (*earshot.NameTried, error) {
	return exchange[earshot.NameTried](ctx, c, call{method: http.MethodPost, path: numbersPath(tracker, "/names/try"), body: trial, repeat: idempotent})
}

// DiscoverNames guesses names that the panel of a tracker lacks.
func (c *Client) DiscoverNames(ctx context.Context, tracker string, q earshot.DiscoverQuery) (*earshot.DiscoverReport, error) {
	return get[earshot.DiscoverReport](ctx, c, query(numbersPath(tracker, "/discover"), q))
}

// TrackerRules tells by which versions of its names the answers of a tracker are analysed.
func (c *Client) TrackerRules(ctx context.Context, tracker string) (*earshot.RulesList, error) {
	return get[earshot.RulesList](ctx, c, numbersPath(tracker, "/rules"))
}

// Reanalyse has all kept answers of a tracker analysed again, in the background.
func (c *Client) Reanalyse(ctx context.Context, tracker string) (*earshot.Reanalysis, error) {
	return exchange[earshot.Reanalysis](ctx, c, call{method: http.MethodPost, path: numbersPath(tracker, "/reanalysis")})
}
