package lab

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"net/http"

	"earshot/internal/upstream/lab/world"
)

//go:embed blocks.gohtml
var blocks string

// Template parses the templates of a site and returns a function that writes its answer
// pages. The template "page" is the page, and "line" is a line of an answer. They are
// html/template templates, which escape the values.
func Template(host, source string) func(prompt string, answer *world.Answer) ([]byte, error) {
	pages := template.Must(template.Must(template.New("").Funcs(template.FuncMap{
		"in":      func(answer *world.Answer, part any) within { return within{answer, part} },
		"tracked": func(link string) string { return world.Tracked(link, host) },
	}).Parse(blocks)).Parse(source))
	return func(prompt string, answer *world.Answer) ([]byte, error) {
		var out bytes.Buffer
		err := pages.ExecuteTemplate(&out, "page", map[string]any{"Answer": answer, "Prompt": prompt, "Model": world.Model})
		if err != nil {
			return nil, fmt.Errorf("write page: %w", err)
		}
		return out.Bytes(), nil
	}
}

// within is a part of an answer together with the answer, which has the numbers of the
// sources.
type within struct {
	Answer *world.Answer
	Part   any
}

//go:embed app.js
var appScript string

// App returns a handler for requests of a browser. A request without a prompt gets the
// site's app: a page that needs scripts and sends the prompt itself. html is the part of
// the page that differs between sites. User input never gets into this page, so there is
// nothing to escape.
func App(html string, answer http.Handler) http.Handler {
	page := Document{TypeHTML, [][]byte{[]byte("<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n<title>Lab</title>\n</head>\n<body>\n" +
		html + "<script>\n" + appScript + "</script>\n</body>\n</html>\n")}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("q") {
			answer.ServeHTTP(w, r)
			return
		}
		page.ServeHTTP(w, r)
	})
}
