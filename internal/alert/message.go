package alert

import (
	"encoding/json"
	"fmt"
	"html/template"
	"net/url"
	"strings"

	"earshot"
)

// Settings are where a channel leads, as they are stored.
type Settings struct {
	URL string   `json:"url,omitempty"`
	To  []string `json:"to,omitempty"`
}

// Receiver is all that is shown of where a channel leads: paths of webhooks are secrets.
func (s Settings) Receiver() string {
	if s.URL == "" {
		return strings.Join(s.To, ", ")
	}
	parsed, err := url.Parse(s.URL)
	if err != nil {
		return ""
	}
	return parsed.Host
}

// Message is an alert as a channel takes it: a mail, or a body that is posted to a URL.
type Message struct {
	URL    string
	Body   []byte
	Signed bool // with the organization's secret
	Mail   *Mail
}

// Mail is an alert as a mail.
type Mail struct {
	To      []string
	Subject string
	Text    string
	HTML    string
}

// maxDiscord is how many characters Discord takes.
const maxDiscord = 2000

// NewMessage writes an alert for a channel. base is the address of the service.
func NewMessage(kind earshot.ChannelKind, s Settings, event *earshot.AlertEvent, base string) (m *Message, err error) {
	m = &Message{URL: s.URL}
	switch text := plain(event, base); kind {
	case earshot.ChannelMail:
		m.Mail = &Mail{To: s.To, Subject: fmt.Sprintf("[%s] %s", event.Tracker, shortened(event.Alert.Summary, 150)), Text: text}
		m.Mail.HTML, err = asHTML(event, base)
		return m, err
	case earshot.ChannelSlack:
		// What Slack would take for a link or a mention is text.
		m.Body, err = json.Marshal(map[string]any{"text": strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)})
	case earshot.ChannelDiscord:
		m.Body, err = json.Marshal(map[string]any{"content": shortened(text, maxDiscord), "allowed_mentions": map[string]any{"parse": []string{}}})
	default:
		m.Signed = true
		m.Body, err = json.Marshal(event)
	}
	if err != nil {
		return nil, fmt.Errorf("write an alert: %w", err)
	}
	return m, nil
}

// shortened cuts a text to so many characters.
func shortened(text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	return string(runes[:n-1]) + "…"
}

// link leads to the alerts of a tracker in the dashboard.
func link(event *earshot.AlertEvent, base string) string {
	return base + "/#/trackers/" + url.PathEscape(event.Tracker) + "/alerts"
}

// lines are what an alert tells beside its summary.
func lines(a *earshot.Alert) (all []string) {
	if a.MadeUp {
		all = append(all, "The answers behind it were made up by the built-in lab.")
	}
	if s := a.Shift; s != nil {
		for _, p := range s.Prompts {
			all = append(all, fmt.Sprintf("%s: %s to %s", p.Name, percent(p.From), percent(p.To)))
		}
	}
	return all
}

// plain is an alert as text.
func plain(event *earshot.AlertEvent, base string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %s\n", event.Tracker, event.Alert.Summary)
	for _, line := range lines(&event.Alert) {
		fmt.Fprintf(&text, "- %s\n", line)
	}
	fmt.Fprintf(&text, "%s\n", link(event, base))
	return text.String()
}

// page is the HTML of a mail.
const page = `<!doctype html>
<html lang="en"><body style="font:16px/1.5 sans-serif;color:#222">
<p style="color:#666">{{.Tracker}}</p>
<p><strong>{{.Summary}}</strong></p>
{{if .Lines}}<ul>{{range .Lines}}<li>{{.}}</li>{{end}}</ul>
{{end}}<p><a href="{{.Link}}">Look at the alerts of this tracker</a></p>
</body></html>
`

func asHTML(event *earshot.AlertEvent, base string) (string, error) {
	parsed, err := template.New("mail").Parse(page)
	if err != nil {
		return "", fmt.Errorf("read the page of a mail: %w", err)
	}
	var text strings.Builder
	err = parsed.Execute(&text, map[string]any{"Tracker": event.Tracker, "Summary": event.Alert.Summary, "Lines": lines(&event.Alert), "Link": link(event, base)})
	if err != nil {
		return "", fmt.Errorf("write a mail: %w", err)
	}
	return text.String(), nil
}
