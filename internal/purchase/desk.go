package purchase

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"time"

	"earshot/internal/limits/share"
	"earshot/internal/provider"
	"earshot/internal/store"
	"earshot/internal/store/outbound"
	"earshot/internal/upstream"
	"earshot/internal/upstream/capture"
)

// Config is the configuration of a Desk.
type Config struct {
	// Upstreams are the upstreams of each provider, in the order in which they are asked.
	Upstreams map[string][]*upstream.Client
	Vendors   provider.Vendors
	Catalogue *provider.Catalogue
	Log       *slog.Logger

	// Node returns the id of this node.
	Node func() string
	// Store is nil for questions without calls and tasks, as `earshot check` asks them.
	Store    *store.Store
	Captures capture.Store
	// CaptureURL is the address below which captures are served.
	CaptureURL string
	Parsing    *Parsing // may be nil
	Turns      *share.Turns
	// Attempted counts attempts. May be nil.
	Attempted func(provider, upstream string, took time.Duration, err error)

	// Backoff are the waits between attempts. There is one attempt more than waits.
	// Nil means 1, 2, 4 and 8 s, as the API promises.
	Backoff []time.Duration
	// AttemptTime is how long one attempt may take. 0 means 120 s: assistants that
	// search the web have taken up to 90 s.
	AttemptTime time.Duration
	// LateEvery is the shortest time between two looks for late answers. 0 means 10 s.
	LateEvery time.Duration

	// Shadows say which requests are asked a second time, for comparison.
	Shadows []Shadow
	// Brands returns the brands that a result names, by the rules of the job's tracker. May be nil.
	Brands func(ctx context.Context, job *store.Job, result json.RawMessage) ([]string, error)
}

// Desk buys answers. It is safe for concurrent use.
type Desk struct {
	Config
	outbound  *outbound.Store
	circuits  circuits
	flights   flights
	stopped   context.Context // ends when the process ends: requests under way are given up
	stop      context.CancelFunc
	comparing sync.WaitGroup
	shadowing chan struct{}   // one for each comparison under way
	shadowCtx context.Context // of comparisons: they end when the node drains
	drain     context.CancelFunc
}

// New returns a desk.
func New(cfg Config) *Desk {
	if cfg.Backoff == nil {
		cfg.Backoff = []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}
	}
	if cfg.AttemptTime == 0 {
		cfg.AttemptTime = 120 * time.Second
	}
	if cfg.LateEvery == 0 {
		cfg.LateEvery = 10 * time.Second
	}
	if cfg.Turns == nil {
		cfg.Turns = share.NewTurns(share.Patience)
	}
	d := &Desk{Config: cfg, shadowing: make(chan struct{}, maxShadows)}
	if cfg.Store != nil {
		d.outbound = outbound.New(cfg.Store.DB)
	}
	d.stopped, d.stop = context.WithCancel(context.Background())
	d.shadowCtx, d.drain = context.WithCancel(context.Background())
	return d
}

// Drain ends comparisons.
func (d *Desk) Drain() { d.drain() }

// Stop waits for the requests that were sent until ctx ends. Another node closes the remaining ones.
func (d *Desk) Stop(ctx context.Context) {
	defer context.AfterFunc(ctx, d.stop)()
	d.comparing.Wait()
	d.flights.wg.Wait()
	d.stop()
}

// Of returns the upstreams of a provider in the order in which they are asked.
func (d *Desk) Of(provider string) []*upstream.Client { return d.Upstreams[provider] }

// For returns the upstreams of the provider that answer with a model of the operator's list. The
// model is "" for providers without a choice of models.
func (d *Desk) For(provider, model string) []*upstream.Client {
	return slices.DeleteFunc(slices.Clone(d.Upstreams[provider]), func(c *upstream.Client) bool { return c.Entry() != "" && c.Entry() != model })
}

// client returns the upstream with a name, or nil.
func (d *Desk) client(name string) *upstream.Client {
	for _, s := range d.Shadows {
		if s.With.Name() == name {
			return s.With
		}
	}
	for _, list := range d.Upstreams {
		for _, c := range list {
			if c.Name() == name {
				return c
			}
		}
	}
	return nil
}

// now returns the time of the database, if there is one.
func (d *Desk) now() time.Time {
	if d.Store == nil {
		return time.Now()
	}
	return d.Store.Now()
}
