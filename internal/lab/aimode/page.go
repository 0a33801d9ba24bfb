package aimode

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"

	"earshot/internal/lab/world"
)

// Vertical is the value of the parameter udm by which a search is one in AI mode.
const Vertical = "50"

//go:embed page.gohtml
var source string

// templates escape whatever is put into them for the place where it stands.
var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"link": link,
	"chip": newChip,
}).Parse(source))

// Page writes the answer to a question as the page of AI mode. clusters is how
// many products the answer was composed with.
func Page(q world.Question, clusters int, answer *world.Answer) ([]byte, error) {
	var out bytes.Buffer
	err := templates.ExecuteTemplate(&out, "page", map[string]any{
		"Answer": answer,
		"Prompt": q.Prompt,
		"Model":  world.Model,
		"Offers": offersLink(q, clusters),
	})
	if err != nil {
		return nil, fmt.Errorf("write page: %w", err)
	}
	return out.Bytes(), nil
}
