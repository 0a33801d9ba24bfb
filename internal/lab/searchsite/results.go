package searchsite

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"strings"

	"earshot/internal/lab/aimode"
	"earshot/internal/lab/world"
)

//go:embed *.gohtml
var sources embed.FS

// pages are the templates of all documents. They escape whatever is put into
// them for the place where it stands.
var pages = template.Must(template.New("").Funcs(template.FuncMap{
	"link":       link,
	"ved":        ved,
	"put":        func(phrase, value string) string { return strings.Replace(phrase, "#", value, 1) },
	"add":        func(a, b int) int { return a + b },
	"blockAfter": blockAfter,
	"overview":   aimode.Overview,
	"pair":       func(first, second any) map[string]any { return map[string]any{"First": first, "Second": second} },
}).ParseFS(sources, "*.gohtml"))

// Results writes a result page.
func Results(q Query) ([]byte, error) {
	found := world.Find(q.Search)
	return write("results", q, map[string]any{"Found": found, "Labels": found.Labels, "Language": found.Language})
}

// Empty writes a page with nothing on it.
func Empty(q Query) ([]byte, error) { return write("empty", q, map[string]any{"Language": q.Language}) }

// Overview writes the overview that answers a question, as it is loaded on
// demand.
func Overview(q Query) ([]byte, error) {
	return write("part", q, map[string]any{"Answer": world.Overview(q.Question)})
}

// write fills a template with what all of them need and data.
func write(name string, q Query, data map[string]any) ([]byte, error) {
	data["Query"] = q
	data["Q"] = q.Prompt
	data["Start"] = q.Start
	data["Mobile"] = q.Mobile
	data["SearchLink"] = func(text string) string { return searchLink(text, q) }
	data["OverviewLink"] = func(question string) string { return overviewLink(question, q) }
	data["NextLink"] = fmt.Sprintf("%s&start=%d", searchLink(q.Prompt, q), q.Start+world.PageSize)
	var out bytes.Buffer
	if err := pages.ExecuteTemplate(&out, name, data); err != nil {
		return nil, fmt.Errorf("write %s: %w", name, err)
	}
	return out.Bytes(), nil
}

// blockAfter names the block that stands below the result at an index of the
// first page.
func blockAfter(index int) string {
	return map[int]string{0: "places", 1: "asked", 3: "videos", 5: "threads", 7: "products"}[index]
}
