// Package lab is the built-in upstream: an HTTP server on loopback that imitates the
// sites of the providers. Its answers are invented (package world). The same question
// always gets the same answer, unless it is sampled. Steering words in a prompt change
// the behaviour for demonstrations and tests.
//
// Each provider has its own site in a package called labsite, made of the parts here, so
// that all sites support the same steering words.
//
//	lab.go        sites, and routing by host
//	server.go     listening, and dialling the lab's names
//	answer.go     answering a question: Page, Stream, or Answer for other sites
//	page.go       pages from templates, and the page that a browser gets (app.js)
//	steering.go   the steering words in a prompt
//	sample.go     sampled answers for trackers; answering without a network
//	delivery.go   sending a document: at once, slowly, cut off, or not at all
//	world/        the content of the answers
package lab

import (
	"net/http"
	"strings"
)

// domain is the parent domain of all sites of the lab.
const domain = "lab.test"

// Site is a web site that the lab imitates.
type Site struct {
	Host string // below lab.test; the site also answers for "www." + Host
	// Routes are the site's handlers, by patterns of http.ServeMux without a host, such
	// as "GET /chat".
	Routes map[string]http.Handler
}

// URL returns the base URL of the site.
func (s Site) URL() string { return "http://" + s.Host }

// Handler returns the handler of the lab, which routes requests by their Host.
func Handler(sites ...Site) http.Handler {
	mux := http.NewServeMux()
	for _, site := range sites {
		for pattern, handler := range site.Routes {
			method, path, _ := strings.Cut(pattern, " ")
			for _, host := range []string{site.Host, "www." + site.Host} {
				mux.Handle(method+" "+host+path, handler)
			}
		}
	}
	return mux
}
