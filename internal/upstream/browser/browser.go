// Package browser drives the system's Chromium for pages that need scripts.
//
//	visit.go          what to do on a page, as data
//	browser.go        visits, a limited number at a time
//	instance.go       which Chromium serves a visit, and when it is replaced
//	flags.go          which Chromium is started, and how
//	process.go        one Chromium process, from its start to its last trace
//	machine_linux.go  process groups, their memory and abandoned folders
//	pipe.go           messages to and from it
//	conn.go           calls and events over its pipe
//	tab.go            one visit's page in a context of its own
//	steps.go          the steps on it
//	take.go           its end: what is taken, and when
//	page.go           what is looked up and done inside the page
//	record.go         responses that are recorded while the page runs
//	times.go          how long Chromium may take; times_race.go under the race detector
//
// Of chromedp it uses the types of the protocol only: chromedp's tabs stop reading from
// the whole browser when one page stops answering, and here one site must not take the
// others with it.
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
	// Contexts is how many visits there are at a time; further ones wait. Default 4:
	// a page with many scripts keeps a core busy.
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

// Document is the result of a visit.
type Document struct {
	URL         string
	Status      int // of the stream, or of the page's main document
	ContentType string
	Body        []byte
	Streamed    bool // it is the body of a response, not the page
	// Partial says that it is not what the steps asked for: the page at the time when a
	// step could not be done, or a stream without any data.
	Partial bool
}

// Browser opens pages in Chromium. Chromium is started with the first visit and
// whenever the one before is gone. A Browser is safe for concurrent use.
type Browser struct {
	cfg     Config
	slots   chan struct{}
	closing chan struct{}
	// Chromium's memory grows with time, so processes are replaced early. That costs
	// little, since a start takes 0.2 s.
	maxVisits int
	maxIdle   time.Duration

	work sync.WaitGroup // visits until they are cleaned up, and processes

	mu        sync.Mutex
	current   *instance
	instances map[*instance]struct{} // all whose process may still exist
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
		slots:   make(chan struct{}, cfg.Contexts),
		closing: make(chan struct{}),

		maxVisits: 300,
		maxIdle:   3 * time.Minute,

		instances: map[*instance]struct{}{},
	}
}

// Visit opens a page in a fresh context, with its own cookies, storage and
// proxy, does the steps and returns what they take. When a step cannot be done,
// or the page's main document is an error, it returns that page, which shows why.
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
	if err := b.acquireSlot(ctx); err != nil {
		return nil, err
	}
	results := make(chan result, 1)
	go func() {
		defer b.releaseSlot()
		b.serve(ctx, proxy, v, results)
	}()
	// A caller whose ctx ends does not wait for Chromium to start or to close the page,
	// but its slot is free for the next visit only then.
	select {
	case r := <-results:
		return r.doc, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// isLocal reports whether address is a port on the loopback interface. Chromium is
// told to resolve no names, and takes some other texts to mean no proxy at all.
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

// acquireSlot waits until the visit may begin, which Close waits for until
// releaseSlot is called.
func (b *Browser) acquireSlot(ctx context.Context) error {
	select {
	case b.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	case <-b.closing:
		return ErrClosed
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-b.closing:
		<-b.slots
		return ErrClosed
	default:
		b.work.Add(1)
		return nil
	}
}

func (b *Browser) releaseSlot() {
	<-b.slots
	b.work.Done()
}

// serve makes the visit, sends its result and closes its page.
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

// openTab opens an empty tab. If that fails because Chromium is dead, the visit, which
// has not begun, gets another Chromium.
func (b *Browser) openTab(ctx context.Context, proxy string) (*instance, *tab, error) {
	for try := 1; ; try++ {
		l, err := b.acquire(ctx)
		if err != nil {
			return nil, nil, err
		}
		t, err := openTab(l.process.conn, proxy, b.cfg.MaxDocument)
		if err == nil {
			return l, t, nil
		}
		l.process.kill() // it is of no use to other visits either
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
	for l := range b.instances {
		b.end(l)
	}
	b.mu.Unlock()
	b.work.Wait()
}

// waitTime is how long a wait may take: at most limit, and less when ctx ends soon, so
// that there is time left to take the page that is there by then.
func waitTime(ctx context.Context, limit time.Duration) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return limit
	}
	left := time.Until(deadline)
	return min(limit, left-min(takeTime, left/4))
}
