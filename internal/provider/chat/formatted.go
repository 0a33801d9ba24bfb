package chat

import (
	"bytes"
	"fmt"
	"html/template"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"earshot"
	"earshot/internal/provider/rawdoc"
)

// maxTitle is how many characters of an answer become the page title.
const maxTitle = 80

// formatter converts Markdown to HTML. It drops raw HTML and unsafe links such as javascript:.
var formatter = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough))

// answerPage shows an answer. The page runs no scripts and loads nothing.
var answerPage = template.Must(template.New("answer").Parse(`<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}}</title>
<style>
body { max-width: 44rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere; }
table { border-collapse: collapse; }
th, td { border: 1px solid #999; padding: 0.2rem 0.6rem; }
pre { overflow-x: auto; }
footer { border-top: 1px solid #999; margin-top: 2rem; }
</style>
</head>
<body>
<main dir="auto">
{{.Text}}</main>
{{with .Answer.Sources}}<footer>
<h2>Sources</h2>
<ol>
{{range .}}<li dir="auto"><a href="{{.URL}}" rel="noopener noreferrer nofollow">{{.Label}}</a> ({{.Domain}}){{with .Description}}<br>{{.}}{{end}}</li>
{{end}}</ol>
</footer>
{{end}}{{.Document}}
</body>
</html>
`))

// formatted returns a page that shows an answer which did not come as a page, such as a stream. The
// page also embeds the document that the answer was read from.
func formatted(a *earshot.Answer, document []byte) ([]byte, error) {
	var text, page bytes.Buffer
	if err := formatter.Convert([]byte(a.Markdown), &text); err != nil {
		return nil, fmt.Errorf("format an answer: %w", err)
	}
	title := []rune(a.Text)
	err := answerPage.Execute(&page, map[string]any{
		"Answer": a, "Title": string(title[:min(len(title), maxTitle)]),
		"Text":     template.HTML(text.String()),               //nolint:gosec // the formatter drops unsafe content
		"Document": template.HTML(rawdoc.KeepWithin(document)), //nolint:gosec // a comment of letters and digits only
	})
	if err != nil {
		return nil, fmt.Errorf("format an answer: %w", err)
	}
	return page.Bytes(), nil
}
