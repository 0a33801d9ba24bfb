// Package app assembles the service: it creates and connects the components, and starts
// and stops them. Tests start the service as a value, too.
package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"golang.org/x/sync/errgroup"

	"earshot/internal/account"
	"earshot/internal/api"
	"earshot/internal/api/dashboard"
	"earshot/internal/api/mcp"
	"earshot/internal/job"
	"earshot/internal/limits/ratelimit"
	"earshot/internal/limits/share"
	"earshot/internal/notify/mail"
	"earshot/internal/notify/webhook"
	"earshot/internal/provider"
	"earshot/internal/purchase"
	"earshot/internal/signin"
	"earshot/internal/store"
	"earshot/internal/store/history"
	"earshot/internal/store/orgs"
	"earshot/internal/store/outbound"
	"earshot/internal/store/people"
	"earshot/internal/store/sharing"
	"earshot/internal/store/tracking"
	"earshot/internal/telemetry/trace"
	"earshot/internal/track"
	"earshot/internal/upstream/capture"
	"earshot/internal/upstream/guard"
	"earshot/internal/upstream/lab"
)

// maxConnections is the maximum number of client connections of a node. One address may have a
// third of them, because it may be a reverse proxy. 16 such addresses leave 50.
const maxConnections = 32768

// App is a node of the service.
type App struct {
	// BaseURL is the URL of the service for clients.
	BaseURL string
	// First is the organization that New created because the database had none.
	First *Account

	cfg       Config
	store     *store.Store
	orgs      *orgs.Store
	replica   *store.Store // nil without a database for reports
	lab       *lab.Server
	upstreams *upstreams
	catalogue *provider.Catalogue
	jobs      *job.Runner
	trackers  *track.Service
	webhooks  *webhook.Sender
	ticket    ticket
	tracer    *trace.Tracer // nil without a collector
	api       *api.Server
	signIns   *signin.Service
	listener  net.Listener
	// connections limits client connections by remote address.
	connections *share.Pool
	http        *http.Server
	socket      *socket        // of the operator; nil if it cannot be opened
	operators   *http.Server   // on the socket
	requests    sync.WaitGroup // requests that are being answered
}

// New opens the database and listens on the address. In an empty database, it creates the
// first organization. Call Run to start the node.
func New(ctx context.Context, cfg Config) (_ *App, err error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	a := &App{cfg: cfg, connections: share.NewCrowd(maxConnections, 2)}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.close())
		}
	}()
	if a.tracer, err = trace.Open(ctx, cfg.Log); err != nil {
		return nil, err
	}
	if a.store, err = OpenStore(ctx, cfg, true); err != nil {
		return nil, err
	}
	a.orgs = orgs.New(a.store)
	if err := a.openReplica(ctx); err != nil {
		return nil, err
	}
	if err := a.listen(ctx); err != nil {
		return nil, err
	}
	if err := a.connect(ctx); err != nil {
		return nil, err
	}
	// This is the last step, because the key of the first organization is shown only once.
	if err := a.prepareAccounts(ctx); err != nil {
		return nil, err
	}
	if a.socket, err = openSocket(ctx, cfg.Data); err != nil {
		cfg.Log.Warn("the commands of the operator cannot connect to this node in its data folder, only by --url", "error", err)
	}
	return a, nil
}

// prepareAccounts applies the limits of the plans and creates the first organization. If
// several nodes start at the same time, one of them creates it.
func (a *App) prepareAccounts(ctx context.Context) error {
	plans, err := a.cfg.Settings.plans()
	if err != nil {
		return err
	}
	if err := a.orgs.ApplyPlans(ctx, plans); err != nil {
		return err
	}
	names, err := a.orgs.Names(ctx)
	if err != nil || len(names) > 0 {
		return err
	}
	a.First, err = CreateOrganization(a.orgs, a.cfg.Settings, "default", "hobby", nil, account.System())
	if errors.Is(err, orgs.ErrExists) {
		return nil
	}
	return err
}

// checkCaptures logs a warning if nodes on other machines may not find the captures of this node.
func (a *App) checkCaptures(ctx context.Context, host string) error {
	hosts, err := a.store.Hosts(ctx)
	others := slices.DeleteFunc(hosts, func(h string) bool { return h == host })
	if a.cfg.Captures == "" && len(others) > 0 {
		a.cfg.Log.Warn("captures are in the data folder, and nodes on other machines share the database: unless they share this folder, they answer 404 for its captures; start all nodes with --captures and the same bucket", "folder", filepath.Join(a.cfg.Data, "captures"), "others", others)
	}
	return err
}

func (a *App) listen(ctx context.Context) error {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", a.cfg.Listen)
	if err != nil {
		return fmt.Errorf("listen: %w; --listen names another address", err)
	}
	a.listener = &share.Listener{Listener: listener, Connections: a.connections}
	a.BaseURL = cmp.Or(a.cfg.BaseURL, "http://"+reachable(listener.Addr()))
	return nil
}

// reachable returns an address for clients on this machine.
func reachable(addr net.Addr) string {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return addr.String()
	}
	return fmt.Sprintf("localhost:%d", tcp.Port)
}

// connect creates the components and connects them.
func (a *App) connect(ctx context.Context) (err error) {
	if a.lab, err = listenLab(ctx, a.cfg); err != nil {
		return err
	}
	if a.upstreams, err = openUpstreams(a.cfg, a.lab); err != nil {
		return err
	}
	a.upstreams.describe()
	engine := a.upstreams.engine
	catalogue, err := a.cfg.catalogue(engine)
	if err != nil {
		return err
	}
	captures, err := capture.Open(ctx, a.cfg.Captures, filepath.Join(a.cfg.Data, "captures"))
	if err != nil {
		return err
	}
	kept, err := capture.OpenKept(ctx, a.cfg.Captures, filepath.Join(a.cfg.Data, "kept"))
	if err != nil {
		return err
	}
	a.catalogue = catalogue
	// The document is created on demand, because that takes longer than the rest of the start.
	described := sync.OnceValues(func() (descriptions, error) { return describe(catalogue.Providers()) })
	openAPI := func() ([]byte, error) { texts, err := described(); return texts.openAPI, err }
	llms := func() (string, error) { texts, err := described(); return texts.llms, err }
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), collectors.NewBuildInfoCollector(), buildInfo(a.cfg.Version))
	turns := share.NewTurns(cmp.Or(a.cfg.Patience, share.Patience))
	a.lab.Share(turns.Wait)
	host, _ := os.Hostname() // used only as a label
	receivers := guard.Guard{AllowPrivate: a.cfg.AllowPrivateWebhooks}
	mails, err := a.cfg.openMail()
	if err != nil {
		return err
	}
	a.webhooks = webhook.New(webhook.Config{
		Store: a.store, Client: receivers.Client(), Body: a.webhookBody, Channel: a.channelMessage, Mail: mails, Log: a.cfg.Log, Metrics: registry, Tracer: a.tracer, Waits: a.cfg.WebhookWaits,
	})
	members, links := people.New(a.store), sharing.New(a.store)
	metrics := job.NewMetrics(registry)
	desk := purchase.New(purchase.Config{
		Upstreams: a.upstreams.lists, Vendors: a.upstreams.vendors, Catalogue: catalogue, Log: a.cfg.Log, Node: func() string { return a.jobs.Node() },
		Store: a.store, Captures: captures, CaptureURL: a.BaseURL + "/captures", Parsing: purchase.NewParsing(registry, outbound.New(a.store.DB), kept, a.cfg.Log), Turns: turns, Attempted: metrics.Attempted, Backoff: a.cfg.Backoff, LateEvery: a.cfg.LateEvery,
		Shadows: a.upstreams.shadows,
		Brands: func(ctx context.Context, job *store.Job, result json.RawMessage) ([]string, error) {
			return a.trackers.BrandsNamed(ctx, job, result)
		},
	})
	a.jobs, err = job.NewRunner(job.Config{
		Store: a.store, Orgs: a.orgs, Catalogue: catalogue, Desk: desk, Captures: captures, Kept: kept,
		Host: host, Log: a.cfg.Log, Metrics: metrics, Tracer: a.tracer,
		Workers: a.cfg.workers(), Turns: turns, Planned: a.webhooks.Wake, Retention: a.cfg.Retention,
		Tidy: func(ctx context.Context, now time.Time) error {
			return errors.Join(links.WriteViews(), members.Tidy(ctx, now))
		},
	})
	if err != nil {
		return err
	}
	if err := a.checkCaptures(ctx, host); err != nil {
		return err
	}
	exports, err := a.openExports(ctx)
	if err != nil {
		return err
	}
	a.trackers = track.New(track.Config{
		Store: tracking.New(a.store), Catalogue: catalogue, Vendors: a.upstreams.vendors, Jobs: a.jobs, CheckWebhook: receivers.CheckURL, CheckAddress: mail.CheckAddress, Mail: mails != nil,
		TestChannel: a.webhooks.TestChannel, BaseURL: a.BaseURL, Planned: a.webhooks.Wake, Exports: exports, Lab: a.upstreams.madeUp, Log: a.cfg.Log,
	})
	plans, err := a.cfg.Settings.plans()
	if err != nil {
		return err
	}
	a.signIns, err = signin.New(signin.Config{
		Settings: a.cfg.Settings.SignIn, People: members, Orgs: a.orgs, BaseURL: a.BaseURL, Getenv: a.cfg.getenv, Mail: plainMail(mails), Log: a.cfg.Log,
	})
	if err != nil {
		return err
	}
	a.api = api.New(api.Config{
		Store: history.New(a.store), Orgs: a.orgs, People: members, SignIn: a.signIns, Links: links, Jobs: a.jobs, Trackers: a.trackers, Reports: a.reports(), Catalogue: catalogue, Captures: captures, Kept: kept, Limiter: a.limiter(),
		Goto: func(ctx context.Context, link string) (string, error) {
			return engine.Goto(ctx, a.upstreams.resolver(), link)
		},
		Exchange: a.signIn, Plans: plans, BaseURL: a.BaseURL, TrustedProxies: a.cfg.TrustedProxies, CheckWebhook: receivers.CheckURL, TestWebhook: a.webhooks.Test, Planned: a.webhooks.Wake, WorkerOnly: a.cfg.Role == RoleWorker,
		Turns: turns, OpenAPI: openAPI, LLMs: llms, Dashboard: dashboard.Handler(), MCP: a.agents(openAPI, catalogue), Metrics: registry, Tracer: a.tracer, Log: a.cfg.Log,
	})
	pools := a.api.Pools()
	pools["connections"], pools["tasks"], pools["webhooks"] = a.connections, a.jobs.Places(), a.webhooks.Places
	registry.MustRegister(gauges{a.jobs, a.store, pools, a.cfg.Log})
	a.http = newHTTPServer(a.counted(a.api), a.cfg.Log)
	a.operators = newHTTPServer(a.counted(a.api.Socket()), a.cfg.Log)
	return nil
}

// agents returns the MCP handler for AI agents. Their calls go through the API.
func (a *App) agents(openAPI func() ([]byte, error), catalogue *provider.Catalogue) http.Handler {
	handler := sync.OnceValues(func() (http.Handler, error) {
		description, err := openAPI()
		if err != nil {
			return nil, err
		}
		api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { a.api.ServeHTTP(w, r) })
		server, err := mcp.New(mcp.Config{OpenAPI: description, Providers: catalogue.Names(), Caller: mcp.InProcess{API: api}})
		if err != nil {
			return nil, err
		}
		return server.Handler(a.cfg.BaseURL != ""), nil
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h, err := handler()
		if err != nil {
			a.cfg.Log.Error("create the MCP server", "error", err)
			http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// webhookBody returns the webhook's body for a task or a sweep. The body for a task is the
// same as in the answer to GET /v1/async/task/{id}.
func (a *App) webhookBody(ctx context.Context, organization, id string) ([]byte, error) {
	task, err := a.store.Task(ctx, organization, id)
	if errors.Is(err, store.ErrNotFound) {
		sweep, err := a.trackers.SweepBody(ctx, organization, id)
		if err != nil {
			return nil, err
		}
		return json.Marshal(sweep)
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(a.jobs.Record(task))
}

// limiter returns a rate limiter that counts in the database if nodes share it, and in
// memory otherwise.
func (a *App) limiter() api.Limiter {
	if store.Shared(a.cfg.Database) {
		return ratelimit.NewShared(a.orgs.CountRequests)
	}
	return ratelimit.NewLocal()
}

// counted counts running requests, so that Run can wait for them even after their
// connections were closed.
func (a *App) counted(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.requests.Add(1)
		defer a.requests.Done()
		handler.ServeHTTP(w, r)
	})
}

func newHTTPServer(handler http.Handler, log *slog.Logger) *http.Server {
	server := &http.Server{
		Handler:  handler,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		// The handlers set deadlines for reading bodies and writing responses, because a
		// call may take minutes between the two.
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		// OPTIONS * is handled like any other unknown path.
		DisableGeneralOptionsHandler: true,
		HTTP2:                        &http.HTTP2Config{MaxConcurrentStreams: 100},
		Protocols:                    new(http.Protocols),
	}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	return server
}

// Run serves until ctx ends. Then it waits for the running jobs and stops.
func (a *App) Run(ctx context.Context) error {
	// The components must run until the last job has ended, so they do not end with ctx.
	parts, stopParts := context.WithCancel(context.WithoutCancel(ctx))
	defer stopParts()
	group, groupCtx := errgroup.WithContext(parts)
	group.Go(func() error { return a.lab.Run(groupCtx) })
	group.Go(func() error { return a.jobs.Run(groupCtx) })
	if a.cfg.Role != RoleAPI {
		group.Go(func() error { return a.webhooks.Run(groupCtx) })
		group.Go(func() error { return a.trackers.Run(groupCtx) })
	}
	group.Go(func() error { return serveUntilShutdown(a.http, a.listener) })
	if a.socket != nil {
		group.Go(func() error { return serveUntilShutdown(a.operators, a.socket) })
	}
	select {
	case <-ctx.Done():
	case <-groupCtx.Done(): // a component failed
	}
	last := time.Now().Add(a.stopGrace() + flushGrace)
	stopErr := a.stop()
	a.requests.Wait()
	a.signIns.Wait()
	stopParts()
	partsErr := group.Wait()
	a.flushTraces(last)
	return errors.Join(stopErr, partsErr, a.close())
}

func serveUntilShutdown(server *http.Server, on net.Listener) error {
	if err := server.Serve(on); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// stop drains the node: the node is no longer ready and refuses new work, but finishes
// the work that it has.
func (a *App) stop() error {
	a.jobs.Drain()
	a.api.EndStreams()
	a.http.SetKeepAlivesEnabled(false) // the next request should find another node
	timeout := a.stopGrace()
	a.cfg.Log.Info("stopping: waiting for running jobs", "at most", timeout)
	grace, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	a.jobs.Stop(grace)
	flush, cancel := context.WithTimeout(context.Background(), flushGrace)
	defer cancel()
	var errs []error
	for _, server := range []*http.Server{a.http, a.operators} {
		if server.Shutdown(flush) != nil {
			errs = append(errs, server.Close()) // a client keeps an idle connection open
		}
	}
	return errors.Join(errs...)
}

// stopGrace returns how long running jobs may take to finish.
func (a *App) stopGrace() time.Duration { return cmp.Or(a.cfg.StopGrace, stopGrace) }

// flushTraces sends the remaining spans until a time. Losing spans is not an error of the
// node.
func (a *App) flushTraces(until time.Time) {
	ctx, cancel := context.WithDeadline(context.Background(), until)
	defer cancel()
	if err := a.tracer.Close(ctx); err != nil {
		a.cfg.Log.Warn("the last spans were lost", "error", err)
	}
}

// close releases the resources that New acquired.
func (a *App) close() error {
	a.flushTraces(time.Now().Add(flushGrace)) // has no effect after Run, which has flushed them
	var errs []error
	if a.listener != nil {
		_ = a.listener.Close() // the HTTP server may have closed it already
	}
	if a.socket != nil {
		_ = a.socket.Close() // likewise
	}
	if a.upstreams != nil {
		errs = append(errs, a.upstreams.close())
	}
	for _, s := range []*store.Store{a.replica, a.store} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(errs...)
}
