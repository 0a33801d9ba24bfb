// Package lab is the built-in upstream world: a real HTTP server on loopback
// that plays the sites of the providers, so that every request travels the whole
// way. What it answers is made up (package world) and the same for the same
// question, unless the question is sampled; words in a prompt steer it for
// demonstrations and tests.
//
// The sites themselves are with their providers, in packages called labsite. They
// are made of the parts here, so that all of them can be steered alike.
//
//	lab.go        sites, and which of them gets a request
//	server.go     listening, and dialling the lab's names
//	answer.go     answering a question: Page, Stream, or Answer for other sites
//	page.go       pages from templates, and what a browser gets that opens a site (app.js)
//	steering.go   the words in a prompt
//	sample.go     answers that differ, for trackers; answering without a network
//	delivery.go   how a document is sent: at once, slowly, cut off, or not at all
//	world/        what there is to say
package lab

import (
	"net/http"
	"strings"
)

// domain is what all names of the lab end in.
const domain = "lab.test"

// Site is a web site that the lab plays.
type Site struct {
	Host string // below lab.test; the site answers with "www." before it as well
	// Routes are what it answers, by patterns of http.ServeMux without a host, such
	// as "GET /chat".
	Routes map[string]http.Handler
}

// URL is the site's base.
func (s Site) URL() string { return "http://" + s.Host }

// Handler is the lab without its listener. It tells sites apart by the Host of
// a request.
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
