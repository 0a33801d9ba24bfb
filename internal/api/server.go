// Package api is the HTTP edge: it turns requests into calls of the packages
// below and their results into responses.
//
//	routes.go      what an operation is, and the list of all
//	operation.go   from the types of a handler to decoding and response
//	server.go      what every request passes, in order
//	call.go        one request under way
//	auth.go        who is asking
//	errors.go      the one table from error codes to statuses
//	monitor.go …   one file a resource: its operations and their handlers
package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
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
	"earshot/internal/store"
	"earshot/internal/telemetry/trace"
	"earshot/internal/track"
	"earshot/internal/upstream/capture"
)

// guestLimit is how many requests a second an address may make without a valid
// key. It slows down the guessing of keys and leaves room for an office behind
// one address whose key has just been revoked.
const guestLimit = 100

// Limiter counts requests against a limit a second.
type Limiter interface {
	Take(ctx context.Context, key string, limit int) (ratelimit.Verdict, error)
}

// Config is what the API needs.
type Config struct {
	Store     *store.Store
	Jobs      *job.Runner
	Trackers  *track.Service
	Reports   *track.Service // reads answers and numbers, maybe from a copy of the database
	Catalogue *provider.Catalogue
	Captures  capture.Store
	Limiter   Limiter
	// Goto tells where a redirect link of the search engine leads.
	Goto func(ctx context.Context, link string) (string, error)
	// CheckWebhook tells what is wrong with the URL of a webhook.
	CheckWebhook func(url string) error
	// TestWebhook sends a test to a URL that CheckWebhook passed.
	TestWebhook func(ctx context.Context, organization, url string) (*earshot.WebhookTest, error)
	// SignIn makes a key for who has the token that the operator was shown. Returns
	// CodeInvalidKey for any other.
	SignIn func(ctx context.Context, token string) (key string, whose *account.Principal, err error)
	// BaseURL is the address that browsers know the service by.
	BaseURL string
	// Planned is called when a webhook is to be sent again.
	Planned   func()
	OpenAPI   func() ([]byte, error) // the API's description, as JSON
	Dashboard http.Handler           // serves /, /docs and /assets/
	MCP       http.Handler           // serves AI agents whose key was checked
	Metrics   *prometheus.Registry
	Tracer    *trace.Tracer // may be nil
	Log       *slog.Logger

	// WorkerOnly leaves out everything that needs a key: the node works off the
	// queue, and tells how it is.
	WorkerOnly bool

	// CallsInFlight is how many monitor calls may be under way on this node, and
	// RequestsInFlight how many others. 0 means 20,480 and 2,048, of which one account
	// gets half at most: a waiting call costs some 60 KiB, with the lab's part of it, and the others end within
	// milliseconds or the node is past its capacity.
	CallsInFlight    int
	RequestsInFlight int
	// Streams is how many clients may follow their organization on this node. 0
	// means 2,000: each costs a connection and some 50 KiB.
	Streams int
	// Turns are taken by all that is done for clients, except where it waits for
	// something else than a processor. Nil means that there is no other work.
	Turns *share.Turns
	// BodyBytes is how many bytes of requests may be in memory. 0 means 256 MiB.
	BodyBytes int
}

// Server is the HTTP handler of the whole service.
type Server struct {
	Config
	mux     *http.ServeMux
	keys    *keyring
	guests  *ratelimit.Local
	metrics *metrics
	watch   *watch
	// What requests share, see package share: places of monitor calls and of all
	// other requests in flight, open streams, bytes of bodies.
	calls, others, streams, bodies *share.Pool
	cookie                         sessionCookie
	overload                       overload

	statistics singleflight.Group // readings under way
}

// New makes the handler.
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
		keys:    newKeyring(cfg.Store, share.NewPool(keyLookups)),
		guests:  ratelimit.NewLocal(),
		metrics: newMetrics(cfg.Metrics),
		calls:   share.NewPool(int64(cfg.CallsInFlight)),
		others:  share.NewPool(int64(cfg.RequestsInFlight)),
		streams: share.NewPool(int64(cfg.Streams)),
		bodies:  share.NewPool(int64(cfg.BodyBytes)),
		cookie:  newSessionCookie(cfg.BaseURL),
	}
	s.watch = newWatch(cfg, s.keys, s.streams)
	for _, operation := range Operations(cfg.Catalogue.Providers()) {
		if cfg.WorkerOnly && !operation.Public {
			continue
		}
		s.mux.Handle(operation.Method+" "+operation.Path, s.handler(operation))
	}
	s.mux.Handle("/", s.handler(Operation{Path: "unknown", Public: true, serve: (*Server).notFound}))
	unknown := s.handler(Operation{Path: "unknown", serve: (*Server).notFound})
	if cfg.WorkerOnly {
		unknown = s.handler(Operation{Path: "unknown", Public: true, serve: func(*Server, *call) error { return errWorkerOnly() }})
	}
	s.mux.Handle("/mcp", unknown) // by another method
	s.mux.Handle("/v1", unknown)  // else the mux would redirect it
	s.mux.Handle("/v1/", unknown)
	return s
}

// ServeHTTP answers a request. The mux would redirect a path that is not clean;
// here such a path does not exist.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	clean := path.Clean(r.URL.Path)
	slash := clean != "/" && clean+"/" == r.URL.Path
	if (clean != r.URL.Path && !slash) || r.RequestURI == "*" {
		keyed := clean == "/v1" || strings.HasPrefix(clean, "/v1/")
		s.handler(Operation{Path: "unknown", Public: !keyed, serve: (*Server).notFound}).ServeHTTP(w, r)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// handler serves an operation, and logs and counts its requests.
func (s *Server) handler(operation Operation) http.Handler {
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
			// Unless the body is read, the server would wait for it before it answers.
			w.Header().Set("Connection", "close")
		}
		err := s.serve(c)
		if err != nil {
			c.fail(err)
			c.drain()
		}
		s.log(c, err)
		s.metrics.observe(c)
		c.endSpan(err)
	})
}

// trace begins the span of a request, unless it is a health check.
func (s *Server) trace(c *call) {
	if c.route.Vital {
		return
	}
	name := "unknown"
	if c.route.Method != "" {
		name = c.route.Method + " " + c.route.Path
	}
	c.r, c.span = s.Tracer.Serve(c.r, name)
	c.span.String(trace.Route, c.route.Path)
	c.span.String(trace.Request, c.id)
}

// Pools are what requests share, by name.
func (s *Server) Pools() map[string]*share.Pool {
	return map[string]*share.Pool{"calls": s.calls, "requests": s.others, "turns": s.Turns.Pool, "streams": s.streams, "bodies": s.bodies, "lookups": s.keys.lookups}
}

// serve is what every request passes, in the order of the contract: key, rate
// window, scope, body, and then, once there is something to do, a place among those
// in flight and a turn.
func (s *Server) serve(c *call) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.Log.Error("a handler panicked", "request", c.id, "panic", p, "stack", string(debug.Stack()))
			err = errors.New("panic")
		}
	}()
	c.limits(s.guests.Peek(c.address(), guestLimit))
	if c.route.Public {
		if err := s.enter(c, s.others, share.Stranger); err != nil {
			return err
		}
		defer c.leave()
		return c.route.serve(s, c)
	}
	if err := s.identify(c); err != nil {
		return err
	}
	if c.route.Scope != "" && !slices.Contains(c.principal.Scopes, c.route.Scope) {
		return &earshot.Error{
			Code:    earshot.CodeNoPermission,
			Message: fmt.Sprintf("this key lacks the scope %q", c.route.Scope),
			Details: earshot.ScopeDetails{RequiredScope: string(c.route.Scope)},
		}
	}
	free, err := s.receive(c)
	defer free()
	if err != nil {
		return err
	}
	places := s.others
	if c.route.Scope == account.ScopeMonitor {
		places = s.calls
	}
	if err := s.enter(c, places, c.principal.OrganizationID); err != nil {
		return err
	}
	defer c.leave()
	return c.route.serve(s, c)
}

// receive reads the body of an operation that has one, before it takes a place: a
// client that sends slowly keeps nobody from anything. The bytes are its account's
// until free is called.
func (s *Server) receive(c *call) (free func(), err error) {
	free = func() {}
	limit := c.route.maxBody()
	if limit == 0 {
		return free, nil
	}
	account, bytes := c.principal.OrganizationID, limit
	if length := c.r.ContentLength; length >= 0 && length < limit {
		bytes = length
	}
	if !s.bodies.Take(account, bytes) {
		return free, errPastShare("this account has too many bytes of requests under way, try again")
	}
	free = func() { s.bodies.Give(account, bytes) }
	_, err = c.body(limit)
	return free, err
}

// enter takes a place among the requests in flight, and a turn. Health checks take
// none: they are answered whatever the load.
func (s *Server) enter(c *call, places *share.Pool, account string) error {
	c.leave = func() {}
	if c.route.Vital {
		return nil
	}
	leave, ok := places.Hold(account)
	if !ok {
		return errPastShare("this node is past its capacity, try again")
	}
	turn, err := s.Turns.Begin(c.r.Context(), account)
	if err != nil {
		leave()
		if errors.Is(err, share.ErrBusy) {
			c.busy = true
			err = errPastShare("this node has more to do than it can, try again")
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

// identify finds out who is asking and counts the request.
func (s *Server) identify(c *call) error {
	key, err := s.credential(c.r)
	if err != nil {
		return s.turnAway(c, err)
	}
	principal, err := s.recognize(c, key)
	if err != nil {
		return err
	}
	return s.admit(c, principal)
}

// admit counts the request of somebody who is known.
func (s *Server) admit(c *call, principal *account.Principal) error {
	c.principal = principal
	verdict, err := s.count(c.r.Context(), principal)
	if err != nil {
		return err
	}
	c.limits(verdict)
	if !verdict.Allowed {
		return errRateLimit(verdict)
	}
	return nil
}

// recognize finds whose key it is. One that is not in memory is a stranger's until
// the database knows it: it is only looked up while the window of its address has
// room, within the strangers' share of look-ups, so that forged keys cost the
// database little.
func (s *Server) recognize(c *call, key sentKey) (*account.Principal, error) {
	if window := s.guests.Peek(c.address(), guestLimit); window.Remaining == 0 && !s.keys.knows(key.id) {
		return nil, errRateLimit(window)
	}
	principal, err := s.keys.authenticate(c.r.Context(), key)
	if err != nil {
		return nil, s.turnAway(c, err)
	}
	return principal, nil
}

// turnAway counts a request without a valid key, and gives the error to answer it with.
func (s *Server) turnAway(c *call, err error) error {
	if code := earshot.ErrorCode(err); code != earshot.CodeMissingKey && code != earshot.CodeInvalidKey {
		return err
	}
	guest, _ := s.guests.Take(c.r.Context(), c.address(), guestLimit) // counting in memory cannot fail
	c.limits(guest)
	if !guest.Allowed {
		return errRateLimit(guest)
	}
	return err
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
	case err != nil && c.status >= http.StatusInternalServerError && !errors.Is(err, job.ErrStopping):
		s.Log.Error("request failed", append(attrs, "error", err)...)
	case err != nil:
		s.Log.Info("request refused", append(attrs, "code", earshot.ErrorCode(err))...)
	default:
		s.Log.Info("request", attrs...)
	}
}
