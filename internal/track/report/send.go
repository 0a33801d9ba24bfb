package report

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/schema"
	"earshot/internal/store"
	"earshot/internal/store/alerting"
	"earshot/internal/store/tracking"
	"earshot/internal/track/aggregate"
	"earshot/internal/track/definition"
	"earshot/internal/track/schedule"
)

const (
	// reportBatch is the maximum number of reports that one call of SendDue sends.
	reportBatch = 100
	// reportDays is the default length of a report's period. Fewer daily sweeps are not
	// enough for a verdict.
	reportDays = 7
)

// SendDue sends the scheduled reports that are due.
func (s *Reporter) SendDue(ctx context.Context, now time.Time) error {
	due, err := s.alerts.TrackersToReport(ctx, now, reportBatch)
	if err != nil {
		return err
	}
	var errs []error
	for _, t := range due {
		// On ErrChanged another node has already sent the report.
		if err := s.sendDue(ctx, t, now); err != nil && !errors.Is(err, store.ErrChanged) {
			errs = append(errs, fmt.Errorf("report of tracker %s: %w", t.Name, err))
		}
	}
	return errors.Join(errs...)
}

// sendDue sends the due report of a tracker. If several slots passed while no node was
// running, only the last one is sent.
func (s *Reporter) sendDue(ctx context.Context, t *tracking.Tracker, now time.Time) error {
	d, err := s.definitions.Of(t)
	if err != nil {
		return err
	}
	if d.ReportRule == nil {
		t.ReportSlot, t.ReportDueAt = "", time.Time{}
		return s.store.SetTrackerState(t, account.System(), now)
	}
	slot, err := schedule.ParseSlot(t.ReportSlot)
	if err != nil {
		return err
	}
	following, ok := d.ReportRule.Next(slot)
	for ok && !d.ReportRule.At(following).After(now) {
		slot = following
		following, ok = d.ReportRule.Next(slot)
	}
	r, err := s.newReport(ctx, t, slot.String()+" "+d.ReportRule.Zone(), periodBefore(d.Reports, slot.String()), now)
	if err != nil {
		return err
	}
	next, due := d.ReportRule.Due(following, ok)
	if err := s.alerts.TakeReport(t, r, d.ReportChannels(), next, due, now); err != nil {
		return err
	}
	s.log.Info("report", "tracker", t.Name, "report", r.ID, "slot", r.Slot)
	s.planned()
	return nil
}

// periodBefore returns the period of a report and the previous period, in whole days. The
// report's period ends on the day before its slot.
func periodBefore(p *earshot.ReportPlan, slot string) *earshot.ReportQuery {
	day, err := time.Parse(time.DateOnly, slot[:len(time.DateOnly)])
	if err != nil {
		return &earshot.ReportQuery{} // never happens: a slot begins with its day
	}
	before := func(day time.Time) time.Time { return day.AddDate(0, 0, -cmp.Or(p.Days, reportDays)) }
	if p.Every == "month" && p.Days == 0 {
		before = func(day time.Time) time.Time {
			last := day.AddDate(0, 0, -day.Day()) // last day of the previous month
			return last.AddDate(0, 0, min(max(1, p.MonthDay), last.Day())-last.Day())
		}
	}
	from := before(day)
	return &earshot.ReportQuery{
		From: from.Format(time.DateOnly), To: day.AddDate(0, 0, -1).Format(time.DateOnly),
		BaselineFrom: before(from).Format(time.DateOnly), BaselineTo: from.AddDate(0, 0, -1).Format(time.DateOnly),
	}
}

// Document is a rendered report, as stored.
type Document struct {
	Markdown string `json:"markdown"`
	HTML     string `json:"html"`
}

// newReport renders a report. If the given period has too many answers, the report's
// summary says so.
func (s *Reporter) newReport(ctx context.Context, t *tracking.Tracker, slot string, q *earshot.ReportQuery, now time.Time) (*alerting.Report, error) {
	sent := earshot.SentReport{From: q.From, To: q.To}
	var whole Document
	in, err := s.Report(ctx, t.Organization, t.Name, q, now)
	switch {
	case aggregate.IsTooMany(err) && q.From != "":
		sent.Summary = []string{"The report could not be created: " + err.Error()}
	case err != nil:
		return nil, err
	default:
		markdown, err := Markdown(in)
		if err != nil {
			return nil, err
		}
		html, err := HTML(in)
		if err != nil {
			return nil, err
		}
		whole = Document{string(markdown), string(html)}
		sent.From, sent.To, sent.Summary, sent.MadeUp = in.Compare.Period.From, in.Compare.Period.To, Summary(in), in.Compare.MadeUp
	}
	address := url.Values{"from": {sent.From}, "to": {sent.To}}
	if q.BaselineFrom != "" {
		address["baselineFrom"], address["baselineTo"] = []string{q.BaselineFrom}, []string{q.BaselineTo}
	}
	sent.URL = "/v1/trackers/" + url.PathEscape(t.Name) + "/report?" + address.Encode()
	r := &alerting.Report{ID: definition.NewID(now), Slot: slot, MadeAt: now}
	if r.Content, err = json.Marshal(sent); err == nil {
		r.Document, err = json.Marshal(whole)
	}
	if err != nil {
		return nil, fmt.Errorf("encode a report: %w", err)
	}
	return r, nil
}

// SendReport sends a report now, to the given channel or, if channel is "", to the channels
// of the tracker's reports. A second call within the same minute sends nothing. Returns
// store.ErrNotFound.
func (s *Reporter) SendReport(ctx context.Context, organization, name, channel string, now time.Time) (*earshot.ReportSent, error) {
	t, d, err := s.definitions.Load(ctx, organization, name)
	if err != nil {
		return nil, err
	}
	channels := d.ReportChannels()
	if channel != "" {
		channels = []string{channel}
		if _, err := s.alerts.Channel(ctx, organization, channel); errors.Is(err, store.ErrNotFound) {
			return nil, schema.Invalid("channel", "there is no channel %q", channel)
		} else if err != nil {
			return nil, err
		}
	}
	if len(channels) == 0 {
		return nil, schema.Invalid("channel", "is required because the tracker's reports have no channels")
	}
	q := &earshot.ReportQuery{}
	if d.ReportRule != nil {
		q = periodBefore(d.Reports, d.ReportRule.Civil(now).String())
	}
	slot := tracking.ManualSlot + now.UTC().Format("2006-01-02T15:04Z ") + cmp.Or(channel, "all")
	r, err := s.newReport(ctx, t, slot, q, now)
	if err != nil {
		return nil, err
	}
	if err := s.alerts.SendReport(t, r, channels, now); err != nil {
		return nil, err
	}
	s.planned()
	stored, deliveries, err := s.alerts.SentReport(ctx, t, slot)
	if err != nil {
		return nil, err
	}
	view, err := sentView(stored, deliveries)
	return &earshot.ReportSent{Report: view}, err
}

// sentView returns the API view of a report with the state of its deliveries.
func sentView(r *alerting.Report, deliveries map[string]*store.Delivery) (view earshot.SentReport, err error) {
	if err := json.Unmarshal(r.Content, &view); err != nil {
		return view, fmt.Errorf("decode report %s: %w", r.ID, err)
	}
	view.ID, view.Slot, view.MadeAt = r.ID, r.Slot, earshot.Timestamp{Time: r.MadeAt}
	for _, channel := range slices.Sorted(maps.Keys(deliveries)) {
		d := deliveries[channel]
		delivery := earshot.ReportDelivery{Channel: channel, State: "failed"}
		switch {
		case d == nil: // the delivery is no longer stored
		case !d.DeliveredAt.IsZero():
			delivery.State = "delivered"
		case !d.DueAt.IsZero():
			delivery.State = "pending"
		}
		if d != nil && len(d.Tries) > 0 && delivery.State != "delivered" {
			last := d.Tries[len(d.Tries)-1]
			delivery.Error = cmp.Or(last.Error, fmt.Sprintf("the receiver answered with status %d", last.Status))
		}
		view.Deliveries = append(view.Deliveries, delivery)
	}
	return view, nil
}

// Event returns the event that a channel receives for a report, and the rendered report.
func Event(tracker, title string, r *alerting.Report) (*earshot.ReportEvent, *Document, error) {
	view, err := sentView(r, nil)
	if err != nil {
		return nil, nil, err
	}
	var whole Document
	if err := json.Unmarshal(r.Document, &whole); err != nil {
		return nil, nil, fmt.Errorf("decode report %s: %w", r.ID, err)
	}
	return &earshot.ReportEvent{Type: earshot.ReportMade, Tracker: tracker, Title: title, Report: view}, &whole, nil
}

// Status returns the due time of a tracker's next report, and the last report that was sent.
func (s *Reporter) Status(ctx context.Context, t *tracking.Tracker) (*earshot.ReportStatus, error) {
	status := &earshot.ReportStatus{NextAt: earshot.When(t.ReportDueAt)}
	r, deliveries, err := s.alerts.SentReport(ctx, t, "")
	if errors.Is(err, store.ErrNotFound) { // no report was sent yet
		return status, nil
	}
	if err != nil {
		return nil, err
	}
	last, err := sentView(r, deliveries)
	status.Last = &last
	return status, err
}
