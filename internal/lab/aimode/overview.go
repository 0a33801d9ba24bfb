package aimode

import (
	_ "embed"
	"fmt"
	"html/template"
	"strings"

	"earshot/internal/lab/world"
)

//go:embed overview.gohtml
var overviewSource string

// overviews are the templates with that of an overview.
var overviews = template.Must(template.Must(templates.Clone()).Parse(overviewSource))

// Overview writes an answer as the AI overview of a result page, which is made as
// an answer in AI mode is: its text, and the sources beside it.
func Overview(answer *world.Answer) (template.HTML, error) {
	var out strings.Builder
	err := overviews.ExecuteTemplate(&out, "overview", map[string]any{"Answer": answer, "Model": world.Model})
	if err != nil {
		return "", fmt.Errorf("write overview: %w", err)
	}
	return template.HTML(out.String()), nil //nolint:gosec // the template has escaped what is in it
}
