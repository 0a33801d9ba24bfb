// Package browser drives the system's Chromium for pages that need scripts.
//
//	visit.go          a page and the steps to do on it, as data
//	browser.go        visits, a limited number at a time, and the Chromium that serves them
//	flags.go          the path, arguments and environment of Chromium
//	process.go        start and end of a Chromium process
//	machine_linux.go  process groups, their memory and abandoned profile folders
//	conn.go           calls and events over the pipe to Chromium
//	tab.go            the page of one visit, in its own browser context
//	steps.go          the steps on the page
//	take.go           the last steps, which take a document
//	page.go           the scripts that run inside the page
//	record.go         recording of responses while the page runs
//
// The package uses chromedp's protocol types (cdproto), but not chromedp itself: there, one
// page can block all others.
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

	"golang.org/x/sync/singleflight"

	"earshot/internal/limits/share"
)

var (
	// ErrStart means that Chromium could not be started, nor at a second try. The error
	// text contains the end of Chromium's own output.
	ErrStart = errors.New("browser did not start")
	// ErrCrashed means that the page or Chromium crashed. A retry may succeed.
	ErrCrashed = errors.New("browser crashed")
	// ErrNavigation means that the page could not be opened. The error text contains
	// Chromium's reason, such as net::ERR_CONNECTION_REFUSED.
	ErrNavigation = errors.New("page could not be opened")
	// ErrTooLarge means that the document exceeds Config.MaxDocument.
	ErrTooLarge = errors.New("document is too large")
	// ErrBusy means that other visits used the browser until the context ended.
	ErrBusy = errors.New("the browser was busy")
	// ErrClosed means that Close was called.
	ErrClosed = errors.New("browser is closed")
)

// Config sets the Chromium to start and its limits.
type Config struct {
	// Path is the path of the Chromium program. See Find.
	Path string
	// Contexts is the maximum number of concurrent visits; further visits wait. Default
	// 4, because a page with many scripts keeps a core busy.
	Contexts int
	// Proxy returns the address (host:port on the loopback interface) of the HTTP
	// proxy for a place. All traffic of a visit goes through this proxy. Required.
	Proxy func(place string) (address string, err error)
	// MaxDocument is the maximum size of a document in bytes. Default 16 MiB; real
	// pages stay under 4 MiB.
	MaxDocument int
	// Log receives starts, ends and crashes of Chromium. Default: no log.
	Log *slog.Logger
}

// Document is the result of a visit.
type Document struct {
	URL         string
	Status      int // HTTP status of the stream, or of the page's main document
	ContentType string
	Body        []byte
	Streamed    bool // Body is the body of a response, not the page
	// Partial means that the document is not the one that the steps asked for: a step
	// failed and this is the page at that time, or the stream has no data.
	Partial bool
}

// timeouts limit the waits for Chromium and for pages. Tests change them.
type timeouts struct {
	Start time.Duration // until Chromium answers; 0.2 s on an idle machine
	Open  time.Duration // until a tab is open; normally about 10 ms
	Close time.Duration // until a tab is closed; normally about 10 ms
	// Load is how long to wait for a page to load before the first step. Fields often
	// work only after the last script has run, but some pages never stop loading.
	Load    time.Duration
	Step    time.Duration // how long a step waits for its element
	Settled time.Duration // how long a page must not change to count as settled
	// GiveUp is how long to wait for the element on a page that does not change and waits
	// for nothing from the network.
	GiveUp time.Duration
	Idle   time.Duration // how long Chromium runs without a visit
}

// takeTime is the part of a visit's time that is reserved for taking the page.
const takeTime = 2 * time.Second

// Browser opens pages in Chromium. The first visit starts Chromium; later visits start
// another one if it has ended. A Browser is safe for concurrent use.
type Browser struct {
	cfg     Config
	slots   *share.Pool
	closing context.Context // ends when Close is called
	close   context.CancelFunc
	times   timeouts
	// Chromium's memory grows with time, so each process serves a limited number of
	// visits. Starting another one takes only 0.2 s.
	maxVisits int

	work   sync.WaitGroup // visits, including their cleanup, and processes
	starts singleflight.Group

	mu      sync.Mutex
	current *process // serves new visits, unless it has ended; nil before the first visit
}

// New returns a browser. Chromium is started by the first visit.
func New(cfg Config) *Browser {
	cfg.Contexts = cmp.Or(max(cfg.Contexts, 0), 4)
	cfg.MaxDocument = cmp.Or(max(cfg.MaxDocument, 0), 16<<20)
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	closing, end := context.WithCancel(context.Background())
	return &Browser{
		cfg:     cfg,
		slots:   share.NewQueue(int64(cfg.Contexts)),
		closing: closing,
		close:   end,

		times: timeouts{
			Start: 20 * time.Second, Open: 20 * time.Second, Close: 10 * time.Second,
			Load: 10 * time.Second, Step: 30 * time.Second,
			Settled: 500 * time.Millisecond, GiveUp: 5 * time.Second, Idle: 3 * time.Minute,
		},
		maxVisits: 300,
	}
}

// Visit opens a page in a fresh browser context, with its own cookies, storage and
// proxy, does the steps and returns the document that they take. If a step fails, or the
// page's main document has an error status, Visit returns the current page instead.
//
// It returns an error that wraps ErrStart, ErrCrashed, ErrNavigation, ErrTooLarge, ErrBusy
// or ErrClosed, or the error of ctx.
func (b *Browser) Visit(ctx context.Context, v Visit) (*Document, error) {
	// Chromium would also open local files and its own chrome: pages.
	if u, err := url.Parse(v.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%w: %q is not an http or https URL", ErrNavigation, v.URL)
	}
	proxy, err := b.cfg.Proxy(v.Place)
	if err != nil {
		return nil, fmt.Errorf("proxy for %q: %w", v.Place, err)
	}
	if !isLocal(proxy) {
		return nil, fmt.Errorf("proxy for %q: %q is not an address on the loopback interface", v.Place, proxy)
	}
	release, err := b.acquireSlot(ctx, v.Account)
	if err != nil {
		return nil, err
	}
	results := make(chan result, 1)
	go func() {
		defer b.work.Done()
		defer release()
		b.serve(ctx, proxy, v, results)
	}()
	// When ctx ends, Visit returns at once. The slot stays taken until Chromium has
	// closed the page.
	select {
	case r := <-results:
		return r.doc, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// isLocal reports whether address is a port on the loopback interface. Chromium
// resolves no other names (see flags), and takes some texts to mean "no proxy".
func isLocal(address string) bool {
	host, port, err := net.SplitHostPort(address)
	if _, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil {
		return false
	}
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

// result is the result of a visit.
type result struct {
	doc *Document
	err error
}

// acquireSlot waits for a free slot. Close waits for the work of the slot.
func (b *Browser) acquireSlot(ctx context.Context, account string) (release func(), err error) {
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(b.closing, cancel)()
	if release, err = b.slots.Wait(waiting, account); err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("%w: %w", ErrBusy, ctx.Err())
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closing.Err() != nil {
		if err == nil {
			release()
		}
		return nil, ErrClosed
	}
	b.work.Add(1)
	return release, nil
}

// serve does the visit, sends its result and closes its page.
func (b *Browser) serve(ctx context.Context, proxy string, v Visit, results chan<- result) {
	p, t, err := b.openTab(proxy)
	if err != nil {
		results <- result{err: err}
		return
	}
	defer b.release(p)
	doc, err := t.visit(ctx, v)
	results <- result{doc, err}
	if err := t.dispose(); err != nil {
		b.cfg.Log.Warn("Chromium did not close a page and is killed", "url", v.URL, "error", err)
		p.kill()
	}
}

// openTab opens an empty tab. If that fails, it kills Chromium and tries again with
// another one.
func (b *Browser) openTab(proxy string) (*process, *tab, error) {
	for try := 1; ; try++ {
		p, err := b.acquire()
		if err != nil {
			return nil, nil, err
		}
		t, err := openTab(p.conn, proxy, b.cfg.MaxDocument, &b.times)
		if err == nil {
			return p, t, nil
		}
		p.kill() // other visits could not use it either
		b.release(p)
		if try == 2 {
			return nil, nil, fmt.Errorf("%w: open a tab: %w: %s", ErrCrashed, err, p.output.String())
		}
	}
}

// acquire returns the running Chromium, and starts Chromium if it does not run. The caller must
// pass it to release.
func (b *Browser) acquire() (*process, error) {
	current, err, _ := b.starts.Do("", func() (any, error) {
		b.mu.Lock()
		p := b.current
		usable := p != nil && !p.lost() && p.visits < b.maxVisits
		b.mu.Unlock()
		if usable {
			return p, nil
		}
		return b.start()
	})
	if err != nil {
		return nil, err
	}
	p, _ := current.(*process)
	b.mu.Lock()
	defer b.mu.Unlock()
	if p.idle != nil {
		p.idle.Stop()
	}
	p.users++
	p.visits++
	return p, nil
}

// release ends the use of a Chromium that acquire returned.
func (b *Browser) release(p *process) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p.users--
	switch {
	case p.users > 0:
	case p != b.current:
		p.kill()
	default:
		p.idle = time.AfterFunc(b.times.Idle, func() { b.endIdle(p) })
	}
}

// start makes a new Chromium the current one. A Chromium that ends at its start or does
// not answer is started again. The Chromium before ends with its last visit.
func (b *Browser) start() (*process, error) {
	p, err := b.launch()
	if err != nil && b.closing.Err() == nil {
		b.cfg.Log.Error("Chromium did not start; trying once more", "path", b.cfg.Path, "error", err)
		p, err = b.launch()
	}
	switch {
	case b.closing.Err() != nil:
		return nil, ErrClosed
	case err != nil:
		return nil, fmt.Errorf("%w: %s: %s", ErrStart, b.cfg.Path, err.Error())
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if old := b.current; old != nil && old.users == 0 {
		old.kill()
	}
	b.current = p
	return p, nil
}

// endIdle kills a Chromium that has not been used for a while.
func (b *Browser) endIdle(p *process) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p.users == 0 {
		p.kill()
	}
}

// Close ends Chromium and waits until its processes and folders are removed. Running
// visits fail with ErrCrashed, later ones with ErrClosed.
func (b *Browser) Close() {
	b.mu.Lock()
	b.close()
	b.mu.Unlock()
	b.work.Wait()
}

// waitTime returns how long a wait may take: at most limit, and less if ctx ends soon, so
// that there is time left to take the current page.
func waitTime(ctx context.Context, limit time.Duration) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return limit
	}
	left := time.Until(deadline)
	return min(limit, left-min(takeTime, left/4))
}
