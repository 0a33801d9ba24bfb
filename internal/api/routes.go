package api

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"earshot/internal/account"
)

// route is one operation of the API.
type route struct {
	method string
	path   string
	public bool          // needs no key and counts against no limit
	scope  account.Scope // what the key must be allowed to do
	serve  func(*call) error
}

// list is the whole API.
func (s *Server) list() []route {
	routes := []route{
		{method: "GET", path: "/v1/countries", scope: account.ScopeRead, serve: s.countries},
		{method: "GET", path: "/v1/states", scope: account.ScopeRead, serve: states},
		{method: "GET", path: "/v1/credits", scope: account.ScopeRead, serve: s.credits},
		{method: "POST", path: "/v1/monitor/websearch/goto", scope: account.ScopeMonitor, serve: s.resolve},

		{method: "GET", path: "/healthz", public: true, serve: alive},
		{method: "GET", path: "/readyz", public: true, serve: s.ready},
		{method: "GET", path: "/metrics", public: true, serve: handled(promhttp.HandlerFor(s.Metrics, promhttp.HandlerOpts{}))},
		{method: "GET", path: "/openapi.json", public: true, serve: s.openAPI},
		{method: "GET", path: "/captures/{id}/{page}", public: true, serve: s.capture},
		{method: "GET", path: "/{$}", public: true, serve: handled(s.Dashboard)},
	}
	for _, p := range s.Catalogue.Providers() {
		routes = append(routes, route{
			method: "POST", path: "/v1/monitor/" + p.Definition().Name, scope: account.ScopeMonitor, serve: s.monitor(p),
		})
	}
	return routes
}

// handled serves a route by a plain handler, which fails on its own terms.
func handled(h http.Handler) func(*call) error {
	return func(c *call) error {
		h.ServeHTTP(statusRecorder{c.w, c}, c.r)
		return nil
	}
}
