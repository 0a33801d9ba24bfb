package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"
	"text/template"
)

//go:embed report.md
var markdownText string

// Markdown is a report as text, with tables as GitHub reads them. Charts are left out;
// their values are not.
func Markdown(in *Input) ([]byte, error) {
	t, err := template.New("report").Funcs(template.FuncMap{
		"t": plainMarkdown, "glossary": func() []sentence { return glossary },
		"figure": figureMarkdown, "change": changeMarkdown,
	}).Parse(markdownText)
	if err != nil {
		return nil, fmt.Errorf("read the report's template: %w", err)
	}
	var out bytes.Buffer
	if err := t.Execute(&out, pageOf(in)); err != nil {
		return nil, fmt.Errorf("write the report: %w", err)
	}
	return out.Bytes(), nil
}

// special are the letters that mean something in Markdown, within a line.
const special = "\\`*_{}[]#!|~$@^="

// plainMarkdown is a text that means nothing but itself, on one line and in a cell of a
// table: no markup, no HTML, and no address that becomes a link by itself.
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
		case r < ' ' || r == 0x7f: // what is left of control characters
		case strings.ContainsRune(special, r):
			out.WriteByte('\\')
			out.WriteRune(r)
		default:
			out.WriteRune(r)
		}
	}
	return unlinked.Replace(out.String())
}

// unlinked breaks what readers make links of.
var unlinked = strings.NewReplacer("://", "\\://", "www.", "www\\.", "WWW.", "WWW\\.", "Www.", "Www\\.", "mailto:", "mailto\\:", "xmpp:", "xmpp\\:")

// figureMarkdown is a number in a cell.
func figureMarkdown(f figure) string {
	text := "**" + f.Value + "**"
	var notes []string
	if f.Again != "" {
		notes = append(notes, f.Again)
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

// changeMarkdown is a change in a cell.
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
