// Package browser drives the system's Chromium for pages that need scripts.
//
//	visit.go          what to do on a page, as data
//	browser.go        visits and their turns
//	life.go           which Chromium serves a visit, and when it is replaced
//	find.go           the Chromium of this machine
//	flags.go          how it is started
//	process.go        one Chromium process, from its start to its last trace
//	machine_linux.go  process groups, their memory and abandoned folders
//	conn.go           calls and events over its pipe
//	tab.go            one visit's page in a context of its own
//	steps.go          the steps on it
//	page.go           what is looked up and done inside the page
//	record.go         responses that are kept while the page runs
//
// Of chromedp it uses the pipe and the types of the protocol only: chromedp's
// tabs stop reading from the whole browser when one page stops answering, and
// here one site must not take the others with it.
package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"sync"
	"time"
)

var (
	// ErrCrashed means that the page or Chromium died, or that Chromium could not
	// be started. Another try may well succeed.
	ErrCrashed = errors.New("browser crashed")
	// ErrNavigation means that the page could not be opened; the error's text
	// has Chromium's reason, such as net::ERR_CONNECTION_REFUSED.
	ErrNavigation = errors.New("page could not be opened")
	// ErrTooLarge means that the document exceeds Config.MaxDocument.
	ErrTooLarge = errors.New("document is too large")
	// ErrClosed means that Close was called.
	ErrClosed = errors.New("browser is closed")
)

// Config says which Chromium to drive and within which limits.
type Config struct {
	// Path is the Chromium to start, as Find finds it.
	Path string
	// Contexts is how many visits there are at a time; further ones wait for
	// their turn. Default 4: a page with many scripts keeps a core busy.
	Contexts int
	// Proxy returns the address, host:port on the loopback interface, of the
	// HTTP proxy for a place. All traffic of a visit goes through it. Required.
	Proxy func(place string) (address string, err error)
	// MaxDocument is the size in bytes of the largest document that a visit may
	// return. Default 16 MiB; real pages stay under 4 MiB.
	MaxDocument int
	// Log receives starts, ends and crashes of Chromium. Default: none.
	Log *slog.Logger
}

// Document is what a visit brings home.
type Document struct {
	URL         string
	Status      int // of the stream, or of the page's main document
	ContentType string
	Body        []byte
	Streamed    bool // it is a response's body; otherwise the page as it stood
	// Partial says that it is not what a step was to take: the page as it stood
	// when a step could not be done, or a stream of which nothing came.
	Partial bool
}

// Browser opens pages in Chromium. Chromium is started with the first visit and
// whenever the one before is gone. A Browser is safe for concurrent use.
type Browser struct {
	cfg     Config
	turns   chan struct{}
	closing chan struct{}
	// Chromium grows with its age, so no process gets old. A start takes 0.2 s,
	// so little is lost.
	maxVisits int
	maxIdle   time.Duration

	work sync.WaitGroup // visits until they are cleared away, processes

	mu      sync.Mutex
	current *life
	lives   map[*life]struct{} // all whose process may exist
}

// New returns a browser. Nothing is started before the first visit.
func New(cfg Config) *Browser {
	cfg.Contexts = cmp.Or(max(cfg.Contexts, 0), 4)
	cfg.MaxDocument = cmp.Or(max(cfg.MaxDocument, 0), 16<<20)
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Browser{
		cfg:     cfg,
		turns:   make(chan struct{}, cfg.Contexts),
		closing: make(chan struct{}),

		maxVisits: 300,
		maxIdle:   3 * time.Minute,

		lives: map[*life]struct{}{},
	}
}

// Visit opens a page in a fresh context, with its own cookies, storage and
// proxy, does the steps and returns what they take. When a step cannot be done,
// or the page's main document is an error, that page is the document, since it
// tells why.
//
// It returns an error that wraps ErrCrashed, ErrNavigation, ErrTooLarge or
// ErrClosed, or the error of ctx.
func (b *Browser) Visit(ctx context.Context, v Visit) (*Document, error) {
	// Chromium would open files and its own pages as well.
	if u, err := url.Parse(v.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%w: no web address: %q", ErrNavigation, v.URL)
	}
	proxy, err := b.cfg.Proxy(v.Place)
	if err != nil {
		return nil, fmt.Errorf("proxy for %q: %w", v.Place, err)
	}
	if !isLocal(proxy) {
		return nil, fmt.Errorf("proxy for %q: %q is no address on the loopback interface", v.Place, proxy)
	}
	if err := b.takeTurn(ctx); err != nil {
		return nil, err
	}
	results := make(chan result, 1)
	go func() {
		defer b.giveTurn()
		b.serve(ctx, proxy, v, results)
	}()
	// The caller waits neither for Chromium to start nor for it to let go of a
	// page, but the next visit does.
	select {
	case r := <-results:
		return r.doc, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// isLocal reports whether address is a port on the loopback interface. Chromium
// looks no names up, and would take some other texts for no proxy at all.
func isLocal(address string) bool {
	host, port, err := net.SplitHostPort(address)
	if _, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil {
		return false
	}
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

// result is how a visit ended.
type result struct {
	doc *Document
	err error
}

// takeTurn waits until the visit may begin. Afterwards it counts as work until
// giveTurn is called.
func (b *Browser) takeTurn(ctx context.Context) error {
	select {
	case b.turns <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	case <-b.closing:
		return ErrClosed
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-b.closing:
		<-b.turns
		return ErrClosed
	default:
		b.work.Add(1)
		return nil
	}
}

func (b *Browser) giveTurn() {
	<-b.turns
	b.work.Done()
}

// serve makes the visit, reports how it ended and clears it away.
func (b *Browser) serve(ctx context.Context, proxy string, v Visit, results chan<- result) {
	l, t, err := b.openTab(ctx, proxy)
	if err != nil {
		results <- result{err: err}
		return
	}
	defer b.release(l)
	doc, err := t.visit(ctx, v)
	results <- result{doc, err}
	if err := t.dispose(); err != nil {
		b.cfg.Log.Warn("Chromium does not let go of a page and is ended", "url", v.URL, "error", err)
		l.process.kill()
	}
}

// openTab opens an empty tab. A Chromium that turns out to be dead by then is
// no crash of this visit, which has not begun: it gets the next one.
func (b *Browser) openTab(ctx context.Context, proxy string) (*life, *tab, error) {
	for try := 1; ; try++ {
		l, err := b.acquire(ctx)
		if err != nil {
			return nil, nil, err
		}
		t, err := openTab(l.process.conn, proxy, b.cfg.MaxDocument)
		if err == nil {
			return l, t, nil
		}
		l.process.kill() // it is of no use to anybody
		b.release(l)
		if try == 3 {
			return nil, nil, fmt.Errorf("%w: no tab: %w", ErrCrashed, err)
		}
	}
}

// Close ends Chromium and waits until nothing of it is left. Visits under way
// fail with ErrCrashed, later ones with ErrClosed.
func (b *Browser) Close() {
	b.mu.Lock()
	select {
	case <-b.closing:
	default:
		close(b.closing)
	}
	for l := range b.lives {
		b.end(l)
	}
	b.mu.Unlock()
	b.work.Wait()
}

// patience is how long something may take: at most most, and not so long that
// nothing is left of ctx to bring home what is there by then.
func patience(ctx context.Context, most time.Duration) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return most
	}
	left := time.Until(deadline)
	return min(most, left-min(2*time.Second, left/4))
}
