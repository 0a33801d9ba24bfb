// Package channel manages the notification channels of organizations and writes the messages
// to them.
package channel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/schema"
	"earshot/internal/store"
	"earshot/internal/store/alerting"
	"earshot/internal/store/tracking"
	"earshot/internal/track/alert"
	"earshot/internal/track/definition"
	"earshot/internal/track/report"
	"earshot/internal/track/watch"
)

// Directory manages channels.
type Directory struct{ Config }

// Config holds the dependencies of a Directory.
type Config struct {
	Store       *alerting.Store
	Trackers    *tracking.Store
	Definitions *definition.Reader
	// CheckWebhook returns an error if a URL cannot receive webhooks.
	CheckWebhook func(url string) error
	// CheckAddress returns an error if a text is not an email address.
	CheckAddress func(address string) error
	// Mail says whether the service can send email.
	Mail bool
	// TestChannel sends a message once and returns the result.
	TestChannel func(ctx context.Context, organization string, m *alert.Message) (*earshot.WebhookTest, error)
	BaseURL     string
}

// NewDirectory returns a Directory.
func NewDirectory(cfg Config) *Directory { return &Directory{cfg} }

// Channels lists the channels of an organization.
func (s *Directory) Channels(ctx context.Context, organization string) (*earshot.ChannelList, error) {
	channels, err := s.Store.Channels(ctx, organization)
	if err != nil {
		return nil, err
	}
	list := &earshot.ChannelList{}
	for _, c := range channels {
		view, err := channelView(c)
		if err != nil {
			return nil, err
		}
		list.Channels = append(list.Channels, view)
	}
	return list, nil
}

// Channel returns a channel. Returns store.ErrNotFound.
func (s *Directory) Channel(ctx context.Context, organization, name string) (earshot.Channel, error) {
	c, err := s.Store.Channel(ctx, organization, name)
	if err != nil {
		return earshot.Channel{}, err
	}
	return channelView(c)
}

func channelView(c *alerting.Channel) (earshot.Channel, error) {
	settings, err := settingsOf(c)
	return earshot.Channel{
		Name: c.Name, Kind: c.Kind, Receiver: settings.Receiver(), CreatedAt: earshot.Timestamp{Time: c.CreatedAt}, UpdatedAt: earshot.Timestamp{Time: c.UpdatedAt},
		ETag: c.Tag(),
	}, err
}

// settingsOf decodes the settings of a channel. The error does not contain the settings,
// which are secret.
func settingsOf(c *alerting.Channel) (settings alert.Settings, err error) {
	if json.Unmarshal(c.Settings, &settings) != nil {
		err = fmt.Errorf("the settings of channel %s cannot be decoded", c.Name)
	}
	return settings, err
}

// SaveChannel creates or changes a channel. The caller has checked it with CheckChannel.
func (s *Directory) SaveChannel(ctx context.Context, organization, name string, c *earshot.ChannelRequest, by account.Actor, now time.Time) (*earshot.ChannelSaved, error) {
	text, err := json.Marshal(alert.Settings{URL: c.URL, To: c.To, BotToken: c.BotToken, ChatID: c.ChatID, RoutingKey: c.RoutingKey})
	if err != nil {
		return nil, fmt.Errorf("encode channel %s: %w", name, err)
	}
	created, err := s.Store.SaveChannel(&alerting.Channel{Organization: organization, Name: name, Kind: c.Kind, Settings: text, CreatedAt: now, UpdatedAt: now}, by)
	if err != nil {
		return nil, err
	}
	stored, err := s.Store.Channel(ctx, organization, name)
	if err != nil {
		return nil, err
	}
	view, err := channelView(stored)
	return &earshot.ChannelSaved{Created: created, Channel: view}, err
}

// DeleteChannel deletes a channel that no tracker uses. Returns store.ErrNotFound.
func (s *Directory) DeleteChannel(ctx context.Context, organization, name string, by account.Actor, now time.Time) error {
	trackers, err := s.Trackers.Trackers(ctx, organization)
	if err != nil {
		return err
	}
	var users []string
	for _, t := range trackers {
		d, err := s.Definitions.Of(t)
		if err != nil {
			return err
		}
		if slices.Contains(d.AlertChannels(), name) || slices.Contains(d.ReportChannels(), name) {
			users = append(users, t.Name)
		}
	}
	if len(users) > 0 {
		return &earshot.Error{
			Code: earshot.CodeConflict, Message: fmt.Sprintf("the channel %s is used by the trackers %s; remove it from their definitions first", name, strings.Join(users, ", ")),
			Details: earshot.ConflictDetails{ID: name},
		}
	}
	return s.Store.DeleteChannel(organization, name, by, now)
}

// CheckNamed returns an error if a definition names a channel twice or a channel that does
// not exist.
func (s *Directory) CheckNamed(ctx context.Context, organization string, d *definition.Definition) error {
	named := map[string][]string{"alerts": d.AlertChannels()}
	if d.Reports != nil {
		named["reports"] = d.Reports.Channels
	}
	known, err := s.Store.Channels(ctx, organization)
	if err != nil {
		return err
	}
	for _, part := range []string{"alerts", "reports"} {
		for i, name := range named[part] {
			if !slices.ContainsFunc(known, func(c *alerting.Channel) bool { return c.Name == name }) {
				return schema.Invalid(fmt.Sprintf("%s.channels[%d]", part, i), "there is no channel %q; create it with PUT /v1/channels/%s", name, name)
			}
			if slices.Index(named[part], name) < i {
				return schema.Invalid(fmt.Sprintf("%s.channels[%d]", part, i), "%q is listed twice", name)
			}
		}
	}
	return nil
}

// ChannelMessage returns the message of a delivery: an alert or a report. Returns
// store.ErrNotFound.
func (s *Directory) ChannelMessage(ctx context.Context, organization, delivery string) (*alert.Message, error) {
	to, a, r, err := s.Store.DeliveryContent(ctx, organization, delivery)
	if err != nil {
		return nil, err
	}
	t, err := s.Trackers.TrackerByID(ctx, organization, to.Tracker)
	if err != nil {
		return nil, err
	}
	d, err := s.Definitions.Of(t)
	if err != nil {
		return nil, err
	}
	c, err := s.Store.Channel(ctx, organization, to.Channel)
	if err != nil {
		return nil, err
	}
	if r != nil {
		event, document, err := report.Event(t.Name, d.Title, r)
		if err != nil {
			return nil, err
		}
		return message(c, event, alert.NoteOfReport(event, s.BaseURL, document.Markdown, document.HTML))
	}
	view, err := watch.View(a)
	if err != nil {
		return nil, err
	}
	return s.alertMessage(c, &earshot.AlertEvent{Type: earshot.AlertRaised, Tracker: t.Name, Title: d.Title, Alert: view})
}

func (s *Directory) alertMessage(c *alerting.Channel, event *earshot.AlertEvent) (*alert.Message, error) {
	return message(c, event, alert.NoteOfAlert(event, s.BaseURL))
}

func message(c *alerting.Channel, event any, note *alert.Note) (*alert.Message, error) {
	settings, err := settingsOf(c)
	if err != nil {
		return nil, err
	}
	return alert.NewMessage(c.Kind, settings, event, note)
}

// TestAlerts sends a test message to the given channel or, if channel is "", to the alert
// channels of the tracker. It returns the result of each. Returns store.ErrNotFound.
func (s *Directory) TestAlerts(ctx context.Context, organization, name, channel string, now time.Time) (*earshot.AlertTestResult, error) {
	_, d, err := s.Definitions.Load(ctx, organization, name)
	if err != nil {
		return nil, err
	}
	names := []string{channel}
	if channel == "" {
		names = d.AlertChannels()
	}
	if len(names) == 0 {
		return nil, schema.Invalid("channel", "is required because the tracker's alerts have no channels")
	}
	result := &earshot.AlertTestResult{}
	for _, channel := range names {
		test, err := s.test(ctx, organization, channel, earshot.AlertEvent{Tracker: name, Title: d.Title}, "alerts of this tracker will arrive here", now)
		if errors.Is(err, store.ErrNotFound) {
			return nil, schema.Invalid("channel", "there is no channel %q", channel)
		}
		if err != nil {
			return nil, err
		}
		result.Tests = append(result.Tests, test)
	}
	return result, nil
}

// TestReceiver sends a test message to a channel and returns the result. Returns
// store.ErrNotFound.
func (s *Directory) TestReceiver(ctx context.Context, organization, channel string, now time.Time) (test earshot.ChannelTest, err error) {
	return s.test(ctx, organization, channel, earshot.AlertEvent{}, "the channel "+channel+" works. Trackers that use it send their alerts and reports here", now)
}

// test sends a test message that promises something to a channel.
func (s *Directory) test(ctx context.Context, organization, channel string, event earshot.AlertEvent, promise string, now time.Time) (test earshot.ChannelTest, err error) {
	c, err := s.Store.Channel(ctx, organization, channel)
	if err != nil {
		return test, err
	}
	event.Type, event.Alert = earshot.AlertTested, earshot.Alert{
		ID: definition.NewID(now), Kind: earshot.AlertShift, Subject: "test", Summary: "This is a test: " + promise + ".",
		RaisedAt: earshot.Timestamp{Time: now}, Sweep: definition.NewID(now),
	}
	m, err := s.alertMessage(c, &event)
	if err != nil {
		return test, err
	}
	result, err := s.TestChannel(ctx, organization, m)
	if err != nil {
		return test, err
	}
	return earshot.ChannelTest{Channel: channel, Kind: c.Kind, WebhookTest: *result}, nil
}
