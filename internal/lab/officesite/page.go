package officesite

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"net/url"

	"earshot/internal/lab/world"
)

// Host is the site's name, Path its page.
const (
	Host = "office.lab.test"
	Path = "/chat"
)

// App is what is particular to the site's app page.
//
//go:embed app.html
var App string

//go:embed page.gohtml
var source string

// page escapes whatever is put into it for the place where it stands.
var page = template.Must(template.New("").Funcs(template.FuncMap{"in": in, "tracked": tracked}).Parse(source))

// within is a part of an answer, with the answer, which knows the numbers of
// its sources.
type within struct {
	Answer *world.Answer
	Part   any
}

func in(answer *world.Answer, part any) within { return within{answer, part} }

// Page writes the answer to prompt.
func Page(prompt string, answer *world.Answer) ([]byte, error) {
	var out bytes.Buffer
	err := page.ExecuteTemplate(&out, "page", map[string]any{
		"Answer": answer,
		"Prompt": prompt,
		"Model":  world.Model,
		"Base":   "http://" + Host + Path,
	})
	if err != nil {
		return nil, fmt.Errorf("write page: %w", err)
	}
	return out.Bytes(), nil
}

// tracked is the link as the site shows it, with its own name added.
func tracked(link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return link
	}
	query := u.Query()
	query.Set("utm_source", Host)
	u.RawQuery = query.Encode()
	return u.String()
}
