package report

import (
	_ "embed"
	"strings"
	"text/template"
)

//go:embed report.md
var markdownText string

// Markdown renders a report as GitHub-flavoured Markdown. Tables replace the charts.
func Markdown(in *Input) ([]byte, error) {
	t, err := template.New("report").Funcs(template.FuncMap{
		"t": plainMarkdown, "glossary": func() []sentence { return glossary },
		"figure": figureMarkdown, "change": changeMarkdown,
	}).Parse(markdownText)
	return render(t, err, pageOf(in))
}

// special are the characters that are Markdown syntax within a line.
const special = "\\`*_{}[]#!|~$@^="

// plainMarkdown escapes a text for one line or table cell. The result contains no markup,
// no HTML, and no address that a reader turns into a link.
func plainMarkdown(text string) string {
	var out strings.Builder
	for _, r := range strings.Join(strings.Fields(text), " ") {
		switch {
		case r == '<':
			out.WriteString("&lt;")
		case r == '>':
			out.WriteString("&gt;")
		case r == '&':
			out.WriteString("&amp;")
		case r < ' ' || r == 0x7f: // drop control characters
		case strings.ContainsRune(special, r):
			out.WriteByte('\\')
			out.WriteRune(r)
		default:
			out.WriteRune(r)
		}
	}
	return unlinked.Replace(out.String())
}

// unlinked escapes the texts that Markdown readers turn into links.
var unlinked = strings.NewReplacer("://", "\\://", "www.", "www\\.", "WWW.", "WWW\\.", "Www.", "Www\\.", "mailto:", "mailto\\:", "xmpp:", "xmpp\\:")

// figureMarkdown renders a number for a table cell.
func figureMarkdown(f figure) string {
	text := "**" + f.Value + "**"
	var notes []string
	if f.Rerun != "" {
		notes = append(notes, f.Rerun)
	}
	if f.Of != "" {
		notes = append(notes, f.Of)
	}
	if f.Early {
		notes = append(notes, "provisional")
	}
	if notes != nil {
		text += " (" + strings.Join(notes, "; ") + ")"
	}
	return text
}

// changeMarkdown renders a change for a table cell.
func changeMarkdown(c change) string {
	if c.Points == "" {
		return c.Verdict
	}
	text := strings.TrimSpace(c.Mark+" "+c.Points) + ", " + c.Verdict
	if c.Class == "up" || c.Class == "down" {
		text = "**" + text + "**"
	}
	if c.Range != "" {
		text += " (" + c.Range + ")"
	}
	return text + ": " + c.From + " → " + c.To
}
