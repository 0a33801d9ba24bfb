// Package api is the HTTP API: it turns requests into calls of the packages below it, and
// their results into responses.
//
//	routes.go      the type Operation, and the list of all operations
//	operation.go   decoding of requests and encoding of responses by type
//	server.go      the checks that every request passes, in order
//	call.go        the state of one request
//	auth.go        API keys
//	errors.go      error codes and HTTP statuses
//	once.go        idempotency keys
//	version.go     ETag and If-Match
//	monitor.go …   one file per resource: its operations and their handlers
package api

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/singleflight"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/job"
	"earshot/internal/limits/ratelimit"
	"earshot/internal/limits/share"
	"earshot/internal/provider"
	"earshot/internal/purchase"
	"earshot/internal/signin"
	"earshot/internal/store/history"
	"earshot/internal/store/orgs"
	"earshot/internal/store/people"
	"earshot/internal/store/sharing"
	"earshot/internal/telemetry/trace"
	"earshot/internal/track"
	"earshot/internal/upstream/capture"
)

// guestLimit is how many requests per second an address may make without a valid key. It
// slows down the guessing of keys, and is high enough for an office behind one address
// whose key has just been revoked.
const guestLimit = 100

// Limiter counts requests against a limit per second.
type Limiter interface {
	Take(ctx context.Context, key string, limit int) (ratelimit.Verdict, error)
}

// Config is the configuration and the dependencies of the API.
type Config struct {
	Store     *history.Store
	Orgs      *orgs.Store
	People    *people.Store
	SignIn    *signin.Service
	Links     *sharing.Store
	Jobs      *job.Runner
	Trackers  *track.Service
	Reports   *track.Service // reads answers and metrics, possibly from a read replica
	Catalogue *provider.Catalogue
	Captures  capture.Store
	Kept      capture.Store // pages that could not be parsed
	Limiter   Limiter
	// Goto returns the destination of a redirect link of the search engine.
	Goto func(ctx context.Context, link string) (string, error)
	// CheckWebhook returns an error if the URL of a webhook is not allowed.
	CheckWebhook func(url string) error
	// TestWebhook sends a test to a URL that CheckWebhook has accepted.
	TestWebhook func(ctx context.Context, organization, url string) (*earshot.WebhookTest, error)
	// Exchange creates a key for the one-time token that the server printed at its start. It
	// returns CodeInvalidKey for any other token.
	Exchange func(ctx context.Context, token string) (key string, whose *account.Principal, err error)
	// BaseURL is the public URL of the service.
	BaseURL string
	// TrustedProxies are the addresses of reverse proxies that set X-Forwarded-For.
	TrustedProxies []netip.Prefix
	// Plans are the plans that the operator offers.
	Plans account.Plans
	// Planned is called when a webhook was scheduled to be sent again.
	Planned   func()
	OpenAPI   func() ([]byte, error) // the OpenAPI document as JSON
	LLMs      func() (string, error) // the introduction for AI agents
	Dashboard *http.ServeMux         // serves /, /docs and /assets/
	MCP       http.Handler           // serves AI agents with a valid key
	Metrics   *prometheus.Registry
	Tracer    *trace.Tracer // may be nil
	Log       *slog.Logger

	// WorkerOnly disables all operations that need a key, except on the operator's socket: the node
	// only runs tasks and serves health checks.
	WorkerOnly bool

	// CallsInFlight is the maximum number of concurrent monitor calls on this node, and
	// RequestsInFlight of all other requests. 0 means 20,480 and 2,048; one account gets at
	// most half. A waiting call costs about 60 KiB, including the lab's part of it. The
	// other requests end within milliseconds, unless the node is overloaded.
	CallsInFlight    int
	RequestsInFlight int
	// Streams is the maximum number of open live streams on this node. 0 means 2,000: each
	// costs a connection and about 50 KiB.
	Streams int
	// Turns limits the concurrent CPU work for clients. Nil means that the API has its own.
	Turns *share.Turns
	// BodyBytes is the maximum number of bytes of request bodies and large responses in memory.
	// 0 means 256 MiB.
	BodyBytes int
}

// Server is the HTTP handler of the whole service.
type Server struct {
	Config
	mux     *http.ServeMux
	keys    *keyring
	metrics *metrics
	watch   *watch
	// Limits that are shared fairly among accounts (package share): monitor calls and other
	// requests in flight, open streams, bytes of bodies.
	calls, others, streams, bodies *share.Pool
	// Public operations have their own limits: a pool of places for each operation, and turns
	// for all. They are shared among addresses.
	places     map[string]*share.Pool
	guestTurns *share.Turns

	unknown, unknownKeyed http.Handler // for paths that the API does not have

	cookie   sessionCookie
	overload overload
	shares   *sharePages
	gets     map[string]Operation // the operations with the method GET, by path
	socket   string               // stands for a key in requests on the operator's socket; a new one after each start

	statistics singleflight.Group // concurrent reads of the statistics
}

// New returns the handler.
func New(cfg Config) *Server {
	if cfg.CallsInFlight == 0 {
		cfg.CallsInFlight = 20480
	}
	if cfg.RequestsInFlight == 0 {
		cfg.RequestsInFlight = 2048
	}
	if cfg.Streams == 0 {
		cfg.Streams = 2000
	}
	if cfg.BodyBytes == 0 {
		cfg.BodyBytes = 256 << 20
	}
	if cfg.Turns == nil {
		cfg.Turns = share.NewTurns(share.Patience)
	}
	s := &Server{
		Config:  cfg,
		mux:     http.NewServeMux(),
		keys:    newKeyring(cfg.Orgs, cfg.People),
		metrics: newMetrics(cfg.Metrics),
		calls:   share.NewPool(int64(cfg.CallsInFlight)),
		others:  share.NewPool(int64(cfg.RequestsInFlight)),
		streams: share.NewPool(int64(cfg.Streams)),
		bodies:  share.NewPool(int64(cfg.BodyBytes)),
		cookie:  newSessionCookie(cfg.BaseURL),
		shares:  newSharePages(cfg.Links),

		socket: rand.Text(),
		gets:   map[string]Operation{},
	}
	s.watch, s.places, s.guestTurns = newWatch(cfg, s.keys, s.streams), map[string]*share.Pool{}, cfg.Turns.ForGuests()
	for _, operation := range Operations(cfg.Catalogue.Providers()) {
		if operation.Method == http.MethodGet {
			s.gets[operation.Path] = operation
		}
		s.mux.Handle(operation.Method+" "+operation.Path, s.handler(operation))
	}
	s.unknown = s.handler(Operation{Path: "unknown", Public: true, AnyQuery: true, serve: (*Server).notFound})
	s.unknownKeyed = s.handler(Operation{Path: "unknown", AnyQuery: true, serve: (*Server).notFound})
	s.mux.Handle("/", s.unknown)
	s.mux.Handle("/mcp", s.unknownKeyed) // with another method
	s.mux.Handle("/v1", s.unknownKeyed)  // otherwise the mux would redirect it
	s.mux.Handle("/v1/", s.unknownKeyed)
	return s
}

// ServeHTTP serves a request. A path that is not clean is not found; the mux would redirect
// it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.RemoteAddr = s.clientAddress(r)
	clean := path.Clean(r.URL.Path)
	slash := clean != "/" && clean+"/" == r.URL.Path
	if (clean != r.URL.Path && !slash) || r.RequestURI == "*" {
		unknown := s.unknown
		if clean == "/v1" || strings.HasPrefix(clean, "/v1/") {
			unknown = s.unknownKeyed
		}
		unknown.ServeHTTP(w, r)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// handler returns the handler of an operation. It also logs and measures its requests.
func (s *Server) handler(operation Operation) http.Handler {
	if name := operation.name(); operation.Public && !operation.Vital && s.places[name] == nil {
		s.places[name] = share.NewCrowd(int64(2*s.RequestsInFlight), share.GuestPart)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &call{
			server:  s,
			w:       w,
			r:       r,
			id:      uuid.Must(uuid.NewV7()).String(),
			started: time.Now(),
			route:   &operation,
		}
		s.trace(c)
		w.Header().Set("X-Request-Id", c.id)
		if r.ContentLength != 0 {
			// Without this, the server would wait for an unread body before it responds.
			w.Header().Set("Connection", "close")
		}
		err := s.serve(c)
		if err != nil {
			if c.principal == nil && earshot.ErrorCode(err) == earshot.CodeRateLimit {
				s.keys.holdBack(r.Context(), c.address())
			}
			c.fail(s.withCurrent(c, err))
			c.drain()
		}
		s.log(c, err)
		s.metrics.observe(c)
		c.endSpan(err)
	})
}

// trace starts the span of a request, unless it is a health check.
func (s *Server) trace(c *call) {
	if c.route.Vital {
		return
	}
	c.r, c.span = s.Tracer.Serve(c.r, c.route.name())
	c.span.String(trace.Route, c.route.Path)
	c.span.String(trace.Request, c.id)
}

// Pools returns the shared limits by name.
func (s *Server) Pools() map[string]*share.Pool {
	pools := map[string]*share.Pool{
		"calls": s.calls, "requests": s.others, "turns": s.Turns.Pool, "guest turns": s.guestTurns.Pool, "streams": s.streams, "bodies": s.bodies,
		"lookups": s.keys.lookups, "strangers": s.keys.strangers,
	}
	maps.Copy(pools, s.places)
	return pools
}

// serve checks a request in the documented order: key, rate limit, scope, body. Then it
// takes a place among the requests in flight and a turn, and calls the handler.
func (s *Server) serve(c *call) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.Log.Error("handler panicked", "request", c.id, "panic", p, "stack", string(debug.Stack()))
			err = errors.New("panic")
		}
	}()
	c.limits(s.keys.guests.Peek(c.address(), guestLimit))
	if !c.route.Public {
		if err := s.allow(c); err != nil {
			return err
		}
	}
	if c.route.Query == nil {
		if err := c.query(&none{}); err != nil {
			return err
		}
	}
	free, err := s.receive(c)
	defer free()
	if err != nil {
		return err
	}
	if err := s.enter(c); err != nil {
		return err
	}
	defer c.leave()
	return s.perform(c)
}

// allow checks the key of a request, its rate limit and its scope.
func (s *Server) allow(c *call) error {
	if s.WorkerOnly && !isOnSocket(c.r) {
		return errWorkerOnly()
	}
	if err := s.identify(c); err != nil {
		return err
	}
	if c.route.Scope != "" && !slices.Contains(c.principal.Scopes, c.route.Scope) {
		return errScopeMissing(c.lacks(c.route.Scope), c.route.Scope)
	}
	return nil
}

// receive reads the body, if the operation has one, before the request takes a place, so
// that slow clients do not block others. The bytes count against the account's share until
// free is called. The bodies of public operations are too small to count.
func (s *Server) receive(c *call) (free func(), err error) {
	free = func() {}
	limit := c.route.maxBody()
	if limit == 0 {
		return free, nil
	}
	if !c.route.Public {
		account, bytes := c.principal.OrganizationID, limit
		if length := c.r.ContentLength; length >= 0 && length < limit {
			bytes = length
		}
		if !s.bodies.Take(account, bytes) {
			return free, errPastShare("this account is sending too many bytes at once, try again")
		}
		free = func() { s.bodies.Release(account, bytes) }
	}
	_, err = c.body(limit)
	return free, err
}

// enter takes a place among the requests in flight, and a turn, for the account or, in a public
// operation, for the address. Health checks need neither, so they are served under any load.
func (s *Server) enter(c *call) error {
	c.leave = func() {}
	if c.route.Vital {
		return nil
	}
	whose, places, turns := c.address(), s.places[c.route.name()], s.guestTurns
	if !c.route.Public {
		whose, places, turns = c.principal.OrganizationID, s.others, s.Turns
	}
	if c.route.Scope == account.ScopeMonitor {
		places = s.calls
	}
	leave, ok := places.Hold(whose)
	if !ok {
		return errPastShare("this node has too many requests in flight, try again")
	}
	turn, err := turns.Begin(c.r.Context(), whose)
	if err != nil {
		leave()
		if errors.Is(err, share.ErrBusy) {
			c.busy = true
			err = errPastShare("this node is overloaded, try again")
		}
		return err
	}
	c.turn = turn
	c.leave = func() {
		turn.End()
		leave()
	}
	return nil
}

// identify authenticates the request and counts it against the rate limit. The operator's socket has none.
func (s *Server) identify(c *call) error {
	if t, ok := c.context().Value(counted{}).(*ticket); ok {
		c.credential = t.credential
		return s.admit(c, t.principal)
	}
	if isOnSocket(c.r) {
		c.principal, c.credential = &account.Principal{Scopes: []account.Scope{account.ScopeOperator}}, s.socket
		return s.act(c)
	}
	key, err := s.credential(c.r)
	if err != nil && c.route.Path == "/mcp" && earshot.ErrorCode(err) == earshot.CodeInvalidKey && len(s.SignIn.Issuers()) > 0 {
		return s.identifyAgent(c)
	}
	if err != nil {
		return s.turnAway(c, err)
	}
	known, err := s.recognize(c, key)
	if err != nil {
		return err
	}
	c.credential = key.text
	if err := s.checkSession(c, known, key.text); err != nil {
		return err
	}
	if err := s.admit(c, &known.Principal); err != nil {
		return err
	}
	return s.act(c)
}

// admit counts an authenticated request against the rate limit.
func (s *Server) admit(c *call, principal *account.Principal) error {
	c.principal = principal
	verdict, err := s.count(c.r.Context(), principal)
	if err != nil {
		return err
	}
	return c.within(verdict)
}

// recognize returns a key or session.
func (s *Server) recognize(c *call, key sentKey) (*knownKey, error) {
	known, err := s.keys.authenticate(c.r.Context(), key, c.address())
	if err != nil {
		return nil, s.turnAway(c, err)
	}
	return known, nil
}

// turnAway counts a request without a valid key, and returns the error for the response.
func (s *Server) turnAway(c *call, err error) error {
	if code := earshot.ErrorCode(err); code != earshot.CodeMissingKey && code != earshot.CodeInvalidKey {
		return err
	}
	s.challenge(c)
	return cmp.Or(s.countGuest(c, c.address(), guestLimit), err)
}

// countGuest counts a request without a valid key against the limit of an address or a link.
func (s *Server) countGuest(c *call, whose string, limit int) error {
	verdict, _ := s.keys.guests.Take(c.context(), whose, limit) // counting in memory cannot fail
	return c.within(verdict)
}

func (s *Server) log(c *call, err error) {
	if c.busy {
		s.overload.log(s.Log)
		return
	}
	attrs := []any{"request", c.id, "method", c.r.Method, "route", c.route.Path, "status", c.status, "ms", time.Since(c.started).Milliseconds()}
	if c.principal != nil {
		attrs = append(attrs, "organization", c.principal.OrganizationID, "key", c.principal.KeyID)
	}
	switch {
	case err != nil && c.status >= http.StatusInternalServerError && !errors.Is(err, purchase.ErrStopping):
		s.Log.Error("request failed", append(attrs, "error", err)...)
	case err != nil:
		s.Log.Info("request refused", append(attrs, "code", earshot.ErrorCode(err))...)
	default:
		s.Log.Info("request", attrs...)
	}
}
