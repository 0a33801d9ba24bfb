package chat

import (
	"bytes"
	_ "embed"
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

//go:embed answer.gohtml
var answerSource string

// answerPage shows an answer. The page runs no scripts and loads nothing.
var answerPage = template.Must(template.New("answer").Parse(answerSource))

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
		"Text":     template.HTML(text.String()),                  // the formatter drops unsafe content
		"Document": template.HTML(rawdoc.EmbedDocument(document)), // a comment of letters and digits only
	})
	if err != nil {
		return nil, fmt.Errorf("format an answer: %w", err)
	}
	return page.Bytes(), nil
}
