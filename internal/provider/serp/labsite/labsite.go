// Package labsite is the lab's search engine, which web search, news search and
// AI mode share: result pages for desktop and mobile, news pages, pages of AI
// mode, and what a page loads on demand. They are the same kind of markup as the
// real engine's, in words and classes of our own.
//
// What the engine shows at /search depends on the vertical that is asked for; a
// further one is an entry of verticals and what writes its page.
//
//	labsite.go       the site, and what a request searches for
//	results.go       result pages (page.gohtml, blocks.gohtml) and news pages
//	aimode.go        pages of AI mode, overviews and offers (aimode.gohtml)
//	gate.go          what keeps plain clients from both (gate.gohtml)
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

// Site is the engine's site in the lab. Only searches can be steered, and redirect links
// by a parameter of their own: what pages load on demand is served as it is.
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

// verticals write the engine's pages; the first whose parameter has its value is
// the one that is asked for.
var verticals = []struct {
	parameter, value string
	write            func(*lab.Request) ([]byte, error)
}{
	{"udm", "50", writeAIMode},
	{"tbm", "nws", writeNews},
}

// read takes the query out of a request.
func read(r *lab.Request) error {
	r.Question = locate(r.Request)
	return nil
}

// write writes the page of the vertical that is asked for, or else a result page.
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

// locate is what a request asks, and where from: its parameters say that, or else
// its headers.
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
	// A place has results of its own, as a state of the US has.
	q.State += params.Get("uule")
	return q
}

// search is the page of a search that a request asks for.
func search(r *lab.Request) world.Search {
	start, _ := strconv.Atoi(r.URL.Query().Get("start")) // junk counts as 0
	return world.Search{
		Question: r.Question, Start: max(0, start),
		Total: r.Steering.Results, NoOverview: r.Steering.Overview == "none",
	}
}

//go:embed *.gohtml
var sources embed.FS

// pages are the templates of all documents. They escape whatever is put into
// them for the place where it is.
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

// fill fills a template.
func fill(name string, data any) ([]byte, error) {
	var out bytes.Buffer
	if err := pages.ExecuteTemplate(&out, name, data); err != nil {
		return nil, fmt.Errorf("write %s: %w", name, err)
	}
	return out.Bytes(), nil
}

// serve serves a part of a page as it is.
func serve(w http.ResponseWriter, r *http.Request, name string, data any) {
	part, err := fill(name, data)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	lab.HTML(part).ServeHTTP(w, r)
}
