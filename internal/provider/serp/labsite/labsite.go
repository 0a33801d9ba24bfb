// Package labsite is the lab's search engine for web search, news search and AI mode. It serves
// result pages for desktop and mobile, news pages, pages of AI mode, and the parts that pages load
// on demand. The markup has the structure of the real engine's pages, with our own words and class
// names.
//
// The page at /search depends on the vertical in the request. To add a vertical, add an entry to
// verticals with a function that writes its page.
//
//	labsite.go       the site, and the query in a request
//	results.go       result pages (page.gohtml, blocks.gohtml) and news pages
//	aimode.go        pages of AI mode, overviews and offers (aimode.gohtml)
//	gate.go          consent pages and pages that need scripts (gate.gohtml)
//	link.go          links as the engine serves them: plain, wrapped or hidden
package labsite

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"

	"earshot/internal/geo"
	"earshot/internal/upstream/lab"
	"earshot/internal/upstream/lab/world"
)

// host is the engine's main host.
const host = "search.lab.test"

// Paths of the engine's documents.
const (
	searchPath   = "/search"
	overviewPath = "/async/overview"
	offersPath   = "/async/offers"
)

// Site returns the engine's site in the lab. Searches are steered by their query, and redirect
// links by a parameter of their own. The parts that pages load on demand cannot be steered.
func Site() lab.Site {
	return lab.Site{Host: host, Routes: map[string]http.Handler{
		"GET " + searchPath:   gated("q", lab.Answer(read, write)),
		"GET " + overviewPath: http.HandlerFunc(serveOverview),
		"GET " + offersPath:   http.HandlerFunc(serveOffers),
		"GET " + pathURL:      gated(paramSteering, http.HandlerFunc(Redirect)),
		"GET " + pathGoto:     gated(paramSteering, http.HandlerFunc(Redirect)),
		"POST " + consentPath: http.HandlerFunc(takeConsent),
	}}
}

// verticals write the engine's pages. The first entry whose parameter has its value applies.
var verticals = []struct {
	parameter, value string
	write            func(*lab.Request) ([]byte, error)
}{
	{"udm", "50", writeAIMode},
	{"tbm", "nws", writeNews},
}

// read reads the query from a request.
func read(r *lab.Request) error {
	r.Question = locate(r.Request)
	return nil
}

// write writes the page of the requested vertical, by default a result page.
func write(r *lab.Request) (lab.Document, error) {
	write := writeResults
	for _, vertical := range verticals {
		if r.URL.Query().Get(vertical.parameter) == vertical.value {
			write = vertical.write
			break
		}
	}
	page, err := write(r)
	return lab.HTML(page), err
}

// locate returns the query of a request and its location, which comes from the parameters or else
// from the headers.
func locate(r *http.Request) world.Question {
	q := lab.Locate(r)
	params := r.URL.Query()
	q.Prompt = strings.TrimSpace(params.Get("q"))
	if country := strings.ToUpper(params.Get("gl")); geo.IsCountry(country) {
		q.Country = country
	}
	if language, _, _ := strings.Cut(strings.ToLower(params.Get("hl")), "-"); language != "" {
		q.Language = language
	}
	// The results depend on the place, as they depend on the state in the US.
	q.State += params.Get("uule")
	return q
}

// search returns the search of a request.
func search(r *lab.Request) world.Search {
	start, _ := strconv.Atoi(r.URL.Query().Get("start")) // an invalid start means 0
	return world.Search{
		Question: r.Question, Start: max(0, start),
		Total: r.Steering.Results, NoOverview: r.Steering.Overview == "none",
	}
}

//go:embed *.gohtml
var sources embed.FS

// pages are the templates of all documents. They escape their data for HTML.
var pages = template.Must(template.New("").Funcs(template.FuncMap{
	"link":       link,
	"aiLink":     aiLink,
	"chip":       newChip,
	"model":      func() string { return world.Model },
	"ved":        ved,
	"put":        func(phrase, value string) string { return strings.Replace(phrase, "#", value, 1) },
	"add":        func(a, b int) int { return a + b },
	"blockAfter": blockAfter,
	"pair":       func(first, second any) map[string]any { return map[string]any{"First": first, "Second": second} },
}).ParseFS(sources, "*.gohtml"))

func fill(name string, data any) ([]byte, error) {
	var out bytes.Buffer
	if err := pages.ExecuteTemplate(&out, name, data); err != nil {
		return nil, fmt.Errorf("write %s: %w", name, err)
	}
	return out.Bytes(), nil
}

// serve serves a filled template.
func serve(w http.ResponseWriter, r *http.Request, name string, data any) {
	part, err := fill(name, data)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	lab.HTML(part).ServeHTTP(w, r)
}
