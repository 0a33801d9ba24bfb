package api

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"earshot/internal/account"
)

// route is one operation of the API.
type route struct {
	method  string
	path    string
	public  bool          // needs no key and counts against no limit of an account
	scope   account.Scope // what the key must be allowed to do
	submits bool          // takes tasks in: an invalid body is answered with 422
	serve   func(*call) error
}

// list is the whole API.
func (s *Server) list() []route {
	routes := []route{
		{method: "GET", path: "/v1/countries", scope: account.ScopeRead, serve: s.countries},
		{method: "GET", path: "/v1/states", scope: account.ScopeRead, serve: states},
		{method: "GET", path: "/v1/credits", scope: account.ScopeRead, serve: s.credits},
		{method: "GET", path: "/v1/health/extraction", scope: account.ScopeRead, serve: s.extraction},
		{method: "POST", path: "/v1/monitor/websearch/goto", scope: account.ScopeMonitor, serve: s.resolve},

		{method: "POST", path: "/v1/async/task", scope: account.ScopeTasks, submits: true, serve: s.submit},
		{method: "POST", path: "/v1/async/task/batch", scope: account.ScopeTasks, submits: true, serve: s.submitBatch},
		{method: "GET", path: "/v1/async/task/{taskId}", scope: account.ScopeRead, serve: s.poll},
		{method: "DELETE", path: "/v1/async/task/{taskId}", scope: account.ScopeTasks, serve: s.cancel},
		{method: "GET", path: "/v1/async/tasks", scope: account.ScopeRead, serve: s.tasks},
		{method: "GET", path: "/v1/async/status", scope: account.ScopeRead, serve: s.queueStatus},
		{method: "DELETE", path: "/v1/async/queue", scope: account.ScopeTasks, serve: s.clear},
		{method: "POST", path: "/v1/quote", scope: account.ScopeRead, serve: s.quote},
		{method: "GET", path: "/v1/usage", scope: account.ScopeRead, serve: s.usage},
		{method: "GET", path: "/v1/stats", scope: account.ScopeRead, serve: s.stats},
		{method: "GET", path: "/v1/live", scope: account.ScopeRead, serve: s.live},
		{method: "GET", path: "/v1/events", scope: account.ScopeRead, serve: s.events},
		{method: "GET", path: "/v1/webhooks/deliveries", scope: account.ScopeRead, serve: s.deliveries},
		{method: "GET", path: "/v1/webhooks/deliveries/{id}", scope: account.ScopeRead, serve: s.delivery},
		{method: "POST", path: "/v1/webhooks/deliveries/{id}/resend", scope: account.ScopeTasks, serve: s.resend},

		{method: "GET", path: "/v1/keys", scope: account.ScopeAdmin, serve: s.keyList},
		{method: "POST", path: "/v1/keys", scope: account.ScopeAdmin, serve: s.createKey},
		{method: "DELETE", path: "/v1/keys/{id}", scope: account.ScopeAdmin, serve: s.revokeKey},
		{method: "GET", path: "/v1/ledger", scope: account.ScopeAdmin, serve: s.ledger},
		{method: "POST", path: "/v1/webhooks/secret/rotate", scope: account.ScopeAdmin, serve: s.rotateSecret},
		{method: "POST", path: "/v1/webhooks/test", scope: account.ScopeAdmin, serve: s.testWebhook},

		{method: "POST", path: "/mcp", serve: s.mcp},
		{method: "GET", path: "/mcp", serve: s.mcp},
		{method: "DELETE", path: "/mcp", serve: s.mcp},

		{method: "POST", path: "/v1/session", public: true, serve: s.session},
		{method: "GET", path: "/healthz", public: true, serve: alive},
		{method: "GET", path: "/readyz", public: true, serve: s.ready},
		{method: "GET", path: "/metrics", public: true, serve: handled(promhttp.HandlerFor(s.Metrics, promhttp.HandlerOpts{}))},
		{method: "GET", path: "/openapi.json", public: true, serve: s.openAPI},
		{method: "GET", path: "/captures/{id}/{page}", public: true, serve: s.capture},
		{method: "GET", path: "/{$}", public: true, serve: handled(s.Dashboard)},
		{method: "GET", path: "/docs", public: true, serve: handled(s.Dashboard)},
		{method: "GET", path: "/assets/{file}", public: true, serve: handled(s.Dashboard)},
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
