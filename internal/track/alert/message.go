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

// Message is what a channel is told, as it takes it: a mail, or a body that is posted to a
// URL.
type Message struct {
	URL    string
	Body   []byte
	Signed bool // with the organization's secret
	Mail   *Mail
}

// Mail is a message as a mail.
type Mail struct {
	To       []string
	Subject  string
	Text     string
	HTML     string
	FileName string // of what is attached; "" for nothing
	File     []byte // a page that stands alone
}

// Note is what a message says, in words.
type Note struct {
	Tracker string
	Summary string
	Lines   []string
	Link    string // to more of it
	About   string // what the link leads to
	// Only for mail: what follows as text, and a page that is attached under a name.
	Text     string
	FileName string
	File     []byte
}

// NoteOfAlert is what is said of an alert. base is the address of the service.
func NoteOfAlert(event *earshot.AlertEvent, base string) *Note {
	return &Note{
		Tracker: event.Tracker, Summary: event.Alert.Summary, Lines: lines(&event.Alert),
		Link: link(event.Tracker, base) + "/alerts", About: "Look at the alerts of this tracker",
	}
}

// NoteOfReport is what is said of a report, which brings itself as Markdown and as HTML.
func NoteOfReport(event *earshot.ReportEvent, base, markdown, html string) *Note {
	r := &event.Report
	n := &Note{
		Tracker: event.Tracker, Summary: fmt.Sprintf("Report of %s to %s", r.From, r.To), Lines: r.Summary,
		Link: link(event.Tracker, base), About: "Look at this tracker", Text: markdown,
	}
	if html != "" {
		n.FileName, n.File = fmt.Sprintf("%s-%s.html", event.Tracker, r.To), []byte(html)
	}
	return n
}

// maxDiscord is how many characters Discord takes.
const maxDiscord = 2000

// NewMessage writes a note for a channel. event is the same for programs.
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
		// What Slack would take for a link or a mention is text.
		m.Body, err = json.Marshal(map[string]any{"text": strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)})
	case earshot.ChannelDiscord:
		m.Body, err = json.Marshal(map[string]any{"content": shortened(text, maxDiscord), "allowed_mentions": map[string]any{"parse": []string{}}})
	default:
		m.Signed = true
		m.Body, err = json.Marshal(event)
	}
	if err != nil {
		return nil, fmt.Errorf("write a message: %w", err)
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

// link leads to a tracker in the dashboard.
func link(tracker, base string) string { return base + "/#/trackers/" + url.PathEscape(tracker) }

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

// plain is a note as text.
func (n *Note) plain() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %s\n", n.Tracker, n.Summary)
	for _, line := range n.Lines {
		fmt.Fprintf(&text, "- %s\n", line)
	}
	fmt.Fprintf(&text, "%s\n", n.Link)
	return text.String()
}

// page is the HTML of a mail.
const page = `<!doctype html>
<html lang="en"><body style="font:16px/1.5 sans-serif;color:#222">
<p style="color:#666">{{.Tracker}}</p>
<p><strong>{{.Summary}}</strong></p>
{{if .Lines}}<ul>{{range .Lines}}<li>{{.}}</li>{{end}}</ul>
{{end}}{{if .FileName}}<p>The whole report is attached as {{.FileName}}; a browser shows and prints it.</p>
{{end}}<p><a href="{{.Link}}">{{.About}}</a></p>
</body></html>
`

func (n *Note) html() (string, error) {
	parsed, err := template.New("mail").Parse(page)
	if err != nil {
		return "", fmt.Errorf("read the page of a mail: %w", err)
	}
	var text strings.Builder
	if err := parsed.Execute(&text, n); err != nil {
		return "", fmt.Errorf("write a mail: %w", err)
	}
	return text.String(), nil
}
