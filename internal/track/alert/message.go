package alert

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strings"

	"earshot"
)

// Settings is the stored destination of a channel.
type Settings struct {
	URL        string   `json:"url,omitempty"`
	To         []string `json:"to,omitempty"`
	BotToken   string   `json:"botToken,omitempty"`
	ChatID     string   `json:"chatId,omitempty"`
	RoutingKey string   `json:"routingKey,omitempty"`
}

// Receiver returns the part of the destination that is not secret. The path of a webhook
// URL is secret, so only its host is returned.
func (s Settings) Receiver() string {
	switch {
	case len(s.To) > 0:
		return strings.Join(s.To, ", ")
	case s.ChatID != "":
		return s.ChatID
	}
	parsed, err := url.Parse(cmp.Or(s.URL, pagerDuty))
	if err != nil {
		return ""
	}
	return parsed.Host
}

// secrets returns the parts of the destination that nobody may see.
func (s Settings) secrets() []string {
	secrets := []string{s.BotToken, s.RoutingKey}
	if parsed, err := url.Parse(s.URL); err == nil {
		secrets = append(secrets, strings.FieldsFunc(parsed.RequestURI()+"/"+parsed.Path, func(r rune) bool { return strings.ContainsRune("/?&=", r) })...)
	}
	return slices.DeleteFunc(secrets, func(text string) bool { return len(text) < shortestSecret })
}

// shortestSecret is the length from which a part of a URL counts as a secret.
const shortestSecret = 6

// Message is a message to a channel: an email, or a body to POST to a URL.
type Message struct {
	URL    string
	Body   []byte
	Signed bool // with the organization's secret
	Mail   *Mail
	// Secrets are removed from the receiver's answer, which may repeat the request.
	Secrets []string
}

// Mail is an email.
type Mail struct {
	To       []string
	Subject  string
	Text     string
	HTML     string
	FileName string // name of the attachment; "" if there is none
	File     []byte // a self-contained HTML page
}

// Note is the content of a message for people.
type Note struct {
	ID      string // of the alert or report
	Urgent  bool   // an alert, not a report or a test
	Ended   bool   // the alert is acknowledged
	Tracker string
	Summary string
	Lines   []string
	Link    string
	About   string // text of the link
	// Only for email: text that follows the lines, and an attachment.
	Text     string
	FileName string
	File     []byte
}

// NoteOfAlert returns the note for an alert. base is the URL of the service.
func NoteOfAlert(event *earshot.AlertEvent, base string) *Note {
	a := &event.Alert
	n := &Note{
		ID: a.ID, Urgent: event.Type == earshot.AlertRaised, Ended: a.AcknowledgedAt != nil,
		Tracker: cmp.Or(event.Title, event.Tracker), Summary: a.Summary, Lines: lines(a), Link: link(event.Tracker, base) + "/alerts", About: "View this tracker's alerts",
	}
	if event.Tracker == "" { // a test of a channel by itself
		n.Tracker, n.Link, n.About = "Earshot", base+"/#/notifications", "View the notification channels"
	}
	return n
}

// NoteOfReport returns the note for a report, with the report itself in both formats.
func NoteOfReport(event *earshot.ReportEvent, base, markdown, html string) *Note {
	r := &event.Report
	n := &Note{
		ID: r.ID, Tracker: cmp.Or(event.Title, event.Tracker), Summary: fmt.Sprintf("Report for %s to %s", Day(r.From), Day(r.To)), Lines: r.Summary,
		Link: link(event.Tracker, base), About: "View this tracker", Text: markdown,
	}
	if html != "" {
		n.FileName, n.File = fmt.Sprintf("%s-%s.html", event.Tracker, r.To), []byte(html)
	}
	return n
}

// NewMessage returns the message for a kind of channel. Channels for people receive the
// note, webhooks the event as JSON.
func NewMessage(kind earshot.ChannelKind, s Settings, event any, n *Note) (m *Message, err error) {
	m = &Message{URL: s.URL, Secrets: s.secrets()}
	switch kind {
	case earshot.ChannelMail:
		m.Mail = &Mail{To: s.To, Subject: fmt.Sprintf("[%s] %s", n.Tracker, shortened(n.Summary, 150)), Text: n.plain(maxMail), FileName: n.FileName, File: n.File}
		if n.Text != "" {
			m.Mail.Text += "\n" + n.Text
		}
		m.Mail.HTML, err = n.html()
		return m, err
	case earshot.ChannelSlack:
		event = n.slack()
	case earshot.ChannelDiscord:
		event = n.discord()
	case earshot.ChannelTeams:
		event = n.teams()
	case earshot.ChannelTelegram:
		m.URL, err = telegramURL(s)
		event = n.telegram(s.ChatID)
	case earshot.ChannelPagerDuty:
		m.URL = cmp.Or(s.URL, pagerDuty)
		event = n.pagerDuty(s.RoutingKey)
	default:
		m.Signed = true
	}
	if err == nil {
		m.Body, err = json.Marshal(event)
	}
	if err != nil {
		return nil, fmt.Errorf("encode a message: %w", err)
	}
	return m, nil
}

// link returns the URL of a tracker in the dashboard.
func link(tracker, base string) string { return base + "/#/trackers/" + url.PathEscape(tracker) }

// lines returns the details of an alert that follow its summary.
func lines(a *earshot.Alert) (all []string) {
	if a.MadeUp {
		all = append(all, "The built-in lab made up these answers.")
	}
	if s := a.Shift; s != nil {
		for _, p := range s.Prompts {
			all = append(all, fmt.Sprintf("%s: %s to %s", p.Name, percent(p.From), percent(p.To)))
		}
	}
	return all
}

// page is the HTML template of an email.
const page = `<!doctype html>
<html lang="en"><body style="font:16px/1.5 sans-serif;color:#222">
<p style="color:#666">{{.Tracker}}</p>
<p><strong>{{.Summary}}</strong></p>
{{if .Lines}}<ul>{{range .Lines}}<li>{{.}}</li>{{end}}</ul>
{{end}}{{if .FileName}}<p>The full report is attached as {{.FileName}}. Open it in a browser to read or print it.</p>
{{end}}<p><a href="{{.Link}}">{{.About}}</a></p>
</body></html>
`

func (n *Note) html() (string, error) {
	parsed, err := template.New("mail").Parse(page)
	if err != nil {
		return "", fmt.Errorf("parse the template of an email: %w", err)
	}
	var text strings.Builder
	if err := parsed.Execute(&text, n); err != nil {
		return "", fmt.Errorf("render an email: %w", err)
	}
	return text.String(), nil
}
