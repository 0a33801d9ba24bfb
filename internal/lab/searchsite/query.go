package searchsite

import (
	"net/http"
	"strconv"
	"strings"

	"earshot/internal/geo"
	"earshot/internal/lab/world"
)

// Host is the engine's main host; it answers with "www." before it as well.
const Host = "search.lab.test"

// Paths of the engine's documents.
const (
	SearchPath   = "/search"
	OverviewPath = "/async/overview"
)

// Query is what a request asks of the engine. Its prompt may have steering
// words in it.
type Query struct {
	world.Search

	News   bool
	Mobile bool
}

// ReadQuery takes the request apart. Where it does not say which country and
// language it is from, q has them already.
func ReadQuery(r *http.Request, q world.Question) Query {
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
	start, _ := strconv.Atoi(params.Get("start")) // junk counts as 0
	return Query{
		Search: world.Search{Question: q, Start: max(0, start)},
		News:   params.Get("tbm") == "nws",
		Mobile: strings.Contains(r.UserAgent(), "Mobile"),
	}
}
