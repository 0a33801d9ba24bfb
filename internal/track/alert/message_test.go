package alert_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf16"

	"earshot"
	"earshot/internal/track/alert"
)

// raised is an alert with hostile and overlong texts.
func raised(text string) *earshot.AlertEvent {
	return &earshot.AlertEvent{Type: earshot.AlertRaised, Tracker: "hats", Alert: earshot.Alert{
		ID: "7", Summary: text, Shift: &earshot.SeriesShift{Prompts: []earshot.ShiftPart{{Name: text, From: 0.5, To: 0.25}}},
	}}
}

func message(t *testing.T, kind earshot.ChannelKind, event *earshot.AlertEvent) *alert.Message {
	t.Helper()
	s := alert.Settings{URL: "https://receiver.example/x"}
	switch kind {
	case earshot.ChannelTelegram:
		s = alert.Settings{BotToken: "1:token", ChatID: "-5"}
	case earshot.ChannelPagerDuty:
		s = alert.Settings{RoutingKey: "key"}
	default:
	}
	m, err := alert.NewMessage(kind, s, event, alert.NoteOfAlert(event, "https://earshot.example"))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const hatsLink = "https://earshot.example/#/trackers/hats/alerts"

func TestFormatsOfServices(t *testing.T) {
	t.Parallel()
	const text = "hats: <b> [x](http://y) & z\n- <b> [x](http://y) & z: 50 % to 25 %\n" + hatsLink + "\n"
	title, lines, _ := strings.Cut(text, "\n")
	lines, _, _ = strings.Cut(lines, "\n")
	for kind, want := range map[earshot.ChannelKind]struct {
		url  string
		body any
	}{
		earshot.ChannelSlack: {"https://receiver.example/x", map[string]any{
			"text": strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;").Replace(text),
		}},
		earshot.ChannelDiscord:  {"https://receiver.example/x", map[string]any{"content": text, "allowed_mentions": map[string]any{"parse": []any{}}}},
		earshot.ChannelTelegram: {"https://api.telegram.org/bot1:token/sendMessage", map[string]any{"chat_id": "-5", "text": text, "link_preview_options": map[string]any{"is_disabled": true}}},
		earshot.ChannelTeams: {"https://receiver.example/x", map[string]any{"type": "message", "attachments": []any{map[string]any{
			"contentType": "application/vnd.microsoft.card.adaptive", "content": map[string]any{
				"$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard", "version": "1.4",
				"body": []any{
					map[string]any{"type": "RichTextBlock", "inlines": []any{map[string]any{"type": "TextRun", "text": title, "weight": "Bolder"}}},
					map[string]any{"type": "RichTextBlock", "inlines": []any{map[string]any{"type": "TextRun", "text": lines, "weight": "Default"}}},
				},
				"actions": []any{map[string]any{"type": "Action.OpenUrl", "title": "View this tracker's alerts", "url": hatsLink}},
			},
		}}}},
		earshot.ChannelPagerDuty: {"https://events.pagerduty.com/v2/enqueue", map[string]any{
			"routing_key": "key", "event_action": "trigger", "dedup_key": "earshot-7", "client": "Earshot", "client_url": hatsLink,
			"payload": map[string]any{"summary": title, "source": "hats", "severity": "warning", "custom_details": map[string]any{"lines": []any{strings.TrimPrefix(lines, "- ")}}},
			"links":   []any{map[string]any{"href": hatsLink, "text": "View this tracker's alerts"}},
		}},
	} {
		m := message(t, kind, raised("<b> [x](http://y) & z"))
		body, err := json.Marshal(want.body)
		if err != nil {
			t.Fatal(err)
		}
		if m.URL != want.url || string(m.Body) != string(body) || m.Signed {
			t.Errorf("%s: POST %s %s\nwant %s", kind, m.URL, m.Body, body)
		}
	}
}

// TestLongMessagesAreCut sends a text that needs two UTF-16 units for each character.
func TestLongMessagesAreCut(t *testing.T) {
	t.Parallel()
	for kind, limit := range map[earshot.ChannelKind]int{earshot.ChannelSlack: 3000, earshot.ChannelDiscord: 2000, earshot.ChannelTelegram: 4096} {
		var body map[string]any
		if err := json.Unmarshal(message(t, kind, raised(strings.Repeat("🎩", 9000))).Body, &body); err != nil {
			t.Fatal(err)
		}
		text, ok := body["text"].(string)
		if !ok {
			text, ok = body["content"].(string)
		}
		if units := len(utf16.Encode([]rune(text))); !ok || units > limit || units < limit-2 || !strings.HasSuffix(text, "🎩…\n"+hatsLink+"\n") {
			t.Errorf("%s: %d units end with %s", kind, units, text[max(0, len(text)-100):])
		}
	}
	if n := len(message(t, earshot.ChannelTeams, raised(strings.Repeat("<", 9000))).Body); n > 28<<10 || n < 20<<10 {
		t.Errorf("the message to Teams has %d bytes", n)
	}
	var event struct {
		Payload struct{ Summary string }
	}
	err := json.Unmarshal(message(t, earshot.ChannelPagerDuty, raised(strings.Repeat("x", 9000))).Body, &event)
	if n := len([]rune(event.Payload.Summary)); err != nil || n != 1024 {
		t.Errorf("the summary for PagerDuty has %d characters, %v", n, err)
	}
}

func TestAnAcknowledgedAlertResolvesItsIncident(t *testing.T) {
	t.Parallel()
	event := raised("gone")
	event.Alert.AcknowledgedAt = &earshot.Timestamp{}
	if got := string(message(t, earshot.ChannelPagerDuty, event).Body); got != `{"dedup_key":"earshot-7","event_action":"resolve","routing_key":"key"}` {
		t.Errorf("PagerDuty got %s", got)
	}
}

func TestOnlyWhatIsNotSecretIsShown(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]alert.Settings{
		"hooks.slack.com":                  {URL: "https://hooks.slack.com/services/secret"},
		"-5":                               {BotToken: "1:token", ChatID: "-5", URL: "https://bots.example/x"},
		"events.pagerduty.com":             {RoutingKey: "key"},
		"events.eu.pagerduty.com":          {RoutingKey: "key", URL: "https://events.eu.pagerduty.com/v2/enqueue"},
		"ada@example.com, bob@example.com": {To: []string{"ada@example.com", "bob@example.com"}},
	} {
		if got := s.Receiver(); got != want {
			t.Errorf("the receiver is %s, want %s", got, want)
		}
	}
}
