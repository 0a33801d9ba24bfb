package lab

import (
	"net/http"
	"strconv"

	"earshot/internal/lab/aimode"
	"earshot/internal/lab/redirect"
	"earshot/internal/lab/searchsite"
	"earshot/internal/lab/world"
)

// searchHost is the search engine's main host; it answers with "www." before it
// as well.
const searchHost = searchsite.Host

// Product clusters on a page of AI mode: where nobody steers, and at most.
const (
	usualClusters = 4
	maxClusters   = 100
)

// mountSearch lets the search engine answer on both of its hosts. Its redirect
// links are served as they are: nothing in them is a query that could steer.
func mountSearch(mux *http.ServeMux) {
	for _, host := range []string{searchHost, "www." + searchHost} {
		mux.HandleFunc("GET "+host+searchsite.SearchPath, serveSearch)
		mux.HandleFunc("GET "+host+searchsite.OverviewPath, serveOverview)
		mux.HandleFunc("GET "+host+aimode.OffersPath, serveOffers)
		mux.Handle("GET "+host+redirect.PathURL, redirect.Handler())
		mux.Handle("GET "+host+redirect.PathGoto, redirect.Handler())
	}
}

// serveSearch answers with what the vertical shows.
func serveSearch(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("udm") == aimode.Vertical {
		serveAIMode(w, r)
		return
	}
	serveResults(w, r)
}

// serveAIMode answers with the page of AI mode.
func serveAIMode(w http.ResponseWriter, r *http.Request) {
	question := searchsite.ReadQuery(r, locate(r)).Question
	steering, prompt := Steer(question.Prompt)
	if withheld(w, r, steering, attempt(r)) {
		return
	}
	question.Prompt, question.Search = prompt, true
	clusters := usualClusters
	if steering.Clusters != nil {
		clusters = *steering.Clusters
	}
	answer := &world.Answer{Language: question.Language}
	if !steering.Empty {
		answer = world.ComposeClusters(question, clusters)
	}
	page, err := aimode.Page(question, clusters, answer)
	sendPage(w, r, steering, page, err)
}

// serveOffers answers with the offers for a product on a page of AI mode.
func serveOffers(w http.ResponseWriter, r *http.Request) {
	question := searchsite.ReadQuery(r, locate(r)).Question
	question.Search = true
	params := r.URL.Query()
	clusters, err := strconv.Atoi(params.Get(aimode.ParamClusters))
	if err != nil || clusters < 0 || clusters > maxClusters {
		http.NotFound(w, r)
		return
	}
	product, found := world.ComposeClusters(question, clusters).Cluster(params.Get(aimode.ParamCluster))
	if !found {
		http.NotFound(w, r)
		return
	}
	part, err := aimode.Offers(product)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	send(w, r, document{typeHTML, [][]byte{part}}, Steering{})
}
