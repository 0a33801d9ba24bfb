package api

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/upstream/capture"
)

// publicOperations returns the operations without a key: health, metrics, the OpenAPI
// document, the texts for agents and crawlers, captures and the dashboard.
func publicOperations() []Operation {
	return []Operation{
		operation(Operation{Method: "GET", Path: "/healthz", Public: true, Vital: true, AnyQuery: true},
			func(*Server, *call, none, none) (earshot.NodeStatus, error) {
				return earshot.NodeStatus{Status: "ok"}, nil
			}),
		operation(Operation{Method: "GET", Path: "/readyz", Public: true, Vital: true, AnyQuery: true}, (*Server).ready),
		{Method: "GET", Path: "/metrics", Public: true, Vital: true, AnyQuery: true, serve: (*Server).serveMetrics},
		{Method: "GET", Path: "/openapi.json", Public: true, serve: (*Server).openAPI},
		{Method: "GET", Path: "/llms.txt", Public: true, serve: (*Server).llms},
		{Method: "GET", Path: "/robots.txt", Public: true, serve: (*Server).robots},
		{Method: "GET", Path: "/captures/{id}/{page}", Public: true, serve: (*Server).capture},
		{Method: "GET", Path: "/{$}", Public: true, AnyQuery: true, serve: (*Server).dashboard},
		{Method: "GET", Path: "/docs", Public: true, AnyQuery: true, serve: (*Server).dashboard},
		{Method: "GET", Path: "/assets/{file}", Public: true, AnyQuery: true, serve: (*Server).dashboard},
	}
}

// ready reports whether a load balancer should send requests to this node.
func (s *Server) ready(c *call, _, _ none) (status earshot.NodeStatus, err error) {
	if s.Jobs.Draining() {
		return status, errStopping()
	}
	if err := s.Jobs.Ready(); err != nil {
		return status, err
	}
	ctx, cancel := context.WithTimeout(c.r.Context(), 2*time.Second)
	defer cancel()
	if err := s.Store.Ping(ctx); err != nil {
		return status, &earshot.Error{Code: earshot.CodeServerUnavailable, Message: "the database does not answer", Err: err}
	}
	return earshot.NodeStatus{Status: "ready"}, nil
}

func (s *Server) dashboard(c *call) error {
	if _, pattern := s.Dashboard.Handler(c.r); pattern == "" {
		return s.notFound(c)
	}
	return c.handled(s.Dashboard)
}

func (s *Server) openAPI(c *call) error {
	description, err := s.OpenAPI()
	if err != nil {
		return err
	}
	c.write(http.StatusOK, "application/json", description)
	return nil
}

// llms introduces the API to AI agents.
func (s *Server) llms(c *call) error {
	introduction, err := s.LLMs()
	if err != nil {
		return err
	}
	c.write(http.StatusOK, "text/plain; charset=utf-8", []byte(introduction))
	return nil
}

// robots keeps crawlers away from the API. It does not mention share links: a crawler that may not
// read their pages would not see that they must not be indexed, and could list their addresses.
func (*Server) robots(c *call) error {
	c.write(http.StatusOK, "text/plain; charset=utf-8", []byte("User-agent: *\nDisallow: /v1/\nDisallow: /captures/\n"))
	return nil
}

// capture serves a stored page. The page is untrusted: the sandbox prevents its scripts
// from running and its requests from being sent.
func (s *Server) capture(c *call) error {
	id, name := c.r.PathValue("id"), c.r.PathValue("page")
	missing := errNotFound("capture", c.r.URL.Path)
	number, ok := capture.PageNumber(name)
	if !ok || !account.IsCaptureID(id) {
		return missing
	}
	if v := s.keys.guests.Peek(c.address(), guestLimit); v.Remaining == 0 {
		return errRateLimit(v)
	}
	record, err := s.Store.Capture(c.r.Context(), id, s.Store.Now())
	if errors.Is(err, store.ErrNotFound) || (err == nil && number > record.Pages) {
		return cmp.Or(s.countGuest(c, c.address(), guestLimit), missing) // it may be a guess
	}
	if err != nil {
		return err
	}
	page, err := s.Captures.Page(c.r.Context(), id, number)
	if errors.Is(err, fs.ErrNotExist) {
		return missing // just deleted, or in the data folder of another node
	}
	if err != nil {
		return err
	}
	c.w.Header().Set("Content-Security-Policy", "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:")
	c.write(http.StatusOK, "text/html; charset=utf-8", page)
	return nil
}

type metrics struct {
	requests *prometheus.HistogramVec
}

func newMetrics(reg prometheus.Registerer) *metrics {
	return &metrics{requests: promauto.With(reg).NewHistogramVec(prometheus.HistogramOpts{
		Name:    "earshot_http_request_duration_seconds",
		Help:    "Time from a request's arrival to the end of its response.",
		Buckets: []float64{.001, .005, .01, .05, .1, .5, 1, 5, 10, 30, 60, 120, 300},
	}, []string{"route", "status"})}
}

// serveMetrics serves the node's metrics.
func (s *Server) serveMetrics(c *call) error {
	return c.handled(promhttp.HandlerFor(s.Metrics, promhttp.HandlerOpts{DisableCompression: true}))
}

func (m *metrics) observe(c *call) {
	m.requests.WithLabelValues(c.route.Path, strconv.Itoa(c.status)).Observe(time.Since(c.started).Seconds())
}
