package alert

import (
	"cmp"
	"errors"
	"net/url"
	"strings"
	"unicode/utf16"
)

// The default addresses of services that have one for all users.
const (
	telegram  = "https://api.telegram.org"
	pagerDuty = "https://events.pagerduty.com/v2/enqueue"
)

// The maximum lengths of messages, in UTF-16 units, because some services count these and
// others characters.
const (
	maxDiscord  = 2000
	maxTelegram = 4096
	// Slack allows 3000 characters in a block of text, and more in a plain message.
	maxSlack = 3000
	// The limit of Teams is 28 KB for the whole request. A unit needs at most 6 bytes in JSON.
	maxTeams     = 4000
	maxPagerDuty = 1024 // of the summary
	maxMail      = 100_000
)

// shortened cuts a text to n UTF-16 units.
func shortened(text string, n int) string {
	end, units := 0, 0 // the longest prefix with room for the ellipsis
	for i, r := range text {
		if units < n {
			end = i
		}
		if units += utf16.RuneLen(r); units > n {
			return text[:end] + "…"
		}
	}
	return text
}

// plain returns the note as plain text of a maximum length in UTF-16 units. A longer text
// is cut before its link.
func (n *Note) plain(units int) string {
	return shortened(n.Tracker+": "+n.Summary+n.details(), units-len(n.Link)-2) + "\n" + n.Link + "\n"
}

// details returns the lines of the note as a list.
func (n *Note) details() string {
	var text strings.Builder
	for _, line := range n.Lines {
		text.WriteString("\n- " + line)
	}
	return text.String()
}

// slack is escaped, so that Slack makes no link or mention of any text.
func (n *Note) slack() any {
	return map[string]any{"text": strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(n.plain(maxSlack))}
}

func (n *Note) discord() any {
	return map[string]any{"content": n.plain(maxDiscord), "allowed_mentions": map[string]any{"parse": []string{}}}
}

// teams returns an Adaptive Card. Its text is in runs, in which Teams interprets no Markdown.
func (n *Note) teams() any {
	run := func(text, weight string) map[string]any {
		return map[string]any{"type": "RichTextBlock", "inlines": []any{map[string]any{"type": "TextRun", "text": text, "weight": weight}}}
	}
	body := []any{run(shortened(n.Tracker+": "+n.Summary, maxTeams/4), "Bolder")}
	if len(n.Lines) > 0 {
		body = append(body, run(shortened(strings.TrimSpace(n.details()), maxTeams*3/4), "Default"))
	}
	return map[string]any{"type": "message", "attachments": []any{map[string]any{
		"contentType": "application/vnd.microsoft.card.adaptive",
		"content": map[string]any{
			"$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard", "version": "1.4",
			"body": body, "actions": []any{map[string]any{"type": "Action.OpenUrl", "title": n.About, "url": n.Link}},
		},
	}}}
}

// telegram sets no parse mode, so that Telegram interprets no markup.
func (n *Note) telegram(chat string) any {
	return map[string]any{"chat_id": chat, "text": n.plain(maxTelegram), "link_preview_options": map[string]any{"is_disabled": true}}
}

func telegramURL(s Settings) (string, error) {
	server, err := url.Parse(cmp.Or(s.URL, telegram))
	if err != nil {
		return "", errors.New("invalid URL of the Bot API server") // err contains the URL
	}
	return server.JoinPath("bot"+s.BotToken, "sendMessage").String(), nil
}

// pagerDuty returns an event of the Events API v2. The events of an alert share their key, so
// that the alert has one incident.
func (n *Note) pagerDuty(routingKey string) any {
	event := map[string]any{"routing_key": routingKey, "dedup_key": "earshot-" + n.ID, "event_action": "trigger"}
	if n.Ended {
		event["event_action"] = "resolve"
		return event
	}
	severity := "info"
	if n.Urgent {
		severity = "warning"
	}
	event["payload"] = map[string]any{
		"summary": shortened(n.Tracker+": "+n.Summary, maxPagerDuty), "source": n.Tracker, "severity": severity, "custom_details": map[string]any{"lines": n.Lines},
	}
	event["client"], event["client_url"] = "Earshot", n.Link
	event["links"] = []any{map[string]any{"href": n.Link, "text": n.About}}
	return event
}
