package socialsite

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"

	"earshot/internal/lab/world"
)

// App is what is particular to the site's app page.
//
//go:embed app.html
var App string

//go:embed page.gohtml
var source string

// page escapes whatever is put into it for the place where it stands.
var page = template.Must(template.New("").Parse(source))

// Page writes the answer to prompt as the app shows it in the end: the text with
// the web pages that it cites, and nothing of what else the lines tell.
func Page(prompt string, answer *world.Answer) ([]byte, error) {
	var out bytes.Buffer
	if err := page.ExecuteTemplate(&out, "page", map[string]any{"Answer": answer, "Prompt": prompt}); err != nil {
		return nil, fmt.Errorf("write page: %w", err)
	}
	return out.Bytes(), nil
}
