package alert

import (
	"encoding/json"
	"fmt"
	"html/template"
	"net/url"
	"strings"

	"earshot"
)

// Settings is the stored destination of a channel.
type Settings struct {
	URL string   `json:"url,omitempty"`
	To  []string `json:"to,omitempty"`
}

// Receiver returns the part of the destination that is not secret. The path of a webhook
// URL is secret, so only its host is returned.
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

// Message is a message to a channel: an email, or a body to POST to a URL.
type Message struct {
	URL    string
	Body   []byte
	Signed bool // with the organization's secret
	Mail   *Mail
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
	return &Note{
		Tracker: event.Tracker, Summary: event.Alert.Summary, Lines: lines(&event.Alert),
		Link: link(event.Tracker, base) + "/alerts", About: "View this tracker's alerts",
	}
}

// NoteOfReport returns the note for a report, with the report itself in both formats.
func NoteOfReport(event *earshot.ReportEvent, base, markdown, html string) *Note {
	r := &event.Report
	n := &Note{
		Tracker: event.Tracker, Summary: fmt.Sprintf("Report for %s to %s", Day(r.From), Day(r.To)), Lines: r.Summary,
		Link: link(event.Tracker, base), About: "View this tracker", Text: markdown,
	}
	if html != "" {
		n.FileName, n.File = fmt.Sprintf("%s-%s.html", event.Tracker, r.To), []byte(html)
	}
	return n
}

// maxDiscord is the maximum number of characters in a Discord message.
const maxDiscord = 2000

// NewMessage returns the message for a kind of channel. Channels for people receive the
// note, webhooks the event as JSON.
func NewMessage(kind earshot.ChannelKind, s Settings, event any, n *Note) (m *Message, err error) {
	m = &Message{URL: s.URL}
	switch text := n.plain(); kind {
	case earshot.ChannelMail:
		m.Mail = &Mail{To: s.To, Subject: fmt.Sprintf("[%s] %s", n.Tracker, shortened(n.Summary, 150)), Text: text, FileName: n.FileName, File: n.File}
		if n.Text != "" {
			m.Mail.Text += "\n" + n.Text
		}
		m.Mail.HTML, err = n.html()
		return m, err
	case earshot.ChannelSlack:
		// Escaped, so that Slack makes no link or mention of any text.
		m.Body, err = json.Marshal(map[string]any{"text": strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)})
	case earshot.ChannelDiscord:
		m.Body, err = json.Marshal(map[string]any{"content": shortened(text, maxDiscord), "allowed_mentions": map[string]any{"parse": []string{}}})
	default:
		m.Signed = true
		m.Body, err = json.Marshal(event)
	}
	if err != nil {
		return nil, fmt.Errorf("encode a message: %w", err)
	}
	return m, nil
}

// shortened cuts a text to n characters.
func shortened(text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	return string(runes[:n-1]) + "…"
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

// plain returns the note as plain text.
func (n *Note) plain() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %s\n", n.Tracker, n.Summary)
	for _, line := range n.Lines {
		fmt.Fprintf(&text, "- %s\n", line)
	}
	fmt.Fprintf(&text, "%s\n", n.Link)
	return text.String()
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
