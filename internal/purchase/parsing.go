package purchase

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store/outbound"
	"earshot/internal/upstream"
	"earshot/internal/upstream/capture"
)

const (
	// Unreadable is the reason of pages that are kept because they could not be parsed.
	Unreadable = "unreadable"
	// PagesKept is how long they are kept.
	PagesKept = 14 * 24 * time.Hour

	// maxKeptADay is the maximum number of kept documents of a day, provider and surface.
	maxKeptADay = 3
	// keepTime is the timeout for storing a document.
	keepTime = 20 * time.Second
)

// Fields that are counted besides the fields of providers.
const (
	understood = "understood" // documents
	blocks     = "blocks"     // blocks of result pages; recognized ones count as found
)

// Parsing counts for Prometheus how often each field of a result is found: when a site changes its
// layout, the rate of a field falls. It also keeps pages that could not be parsed, because they show
// how to repair the parser. A nil Parsing does neither.
type Parsing struct {
	seen, found *prometheus.CounterVec
	store       *outbound.Store
	pages       capture.Store
	log         *slog.Logger

	mu   sync.Mutex
	day  time.Time
	kept map[string]int // since day, by provider and surface
}

// NewParsing registers the counters.
func NewParsing(reg prometheus.Registerer, s *outbound.Store, pages capture.Store, log *slog.Logger) *Parsing {
	labels := []string{"provider", "upstream", "field"}
	return &Parsing{
		seen: promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
			Name: "earshot_extraction_seen_total", Help: "Results in which a field could have been found. The field understood counts documents, blocks the blocks of result pages.",
		}, labels),
		found: promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
			Name: "earshot_extraction_found_total", Help: "Results in which a field was found.",
		}, labels),
		store: s, pages: pages, log: log,
	}
}

// count adds to the counters of a field.
func (p *Parsing) count(provider string, from *upstream.Session, field string, seen, found int) {
	p.seen.WithLabelValues(provider, from.Upstream(), field).Add(float64(seen))
	p.found.WithLabelValues(provider, from.Upstream(), field).Add(float64(found))
}

// answered counts a document that was understood, and the watched fields of its result.
func (p *Parsing) answered(c *Call, from *upstream.Session, result json.RawMessage) {
	if p == nil {
		return
	}
	p.count(c.Job.Provider, from, understood, 1, 1)
	var top map[string]json.RawMessage
	if len(c.Watched) == 0 && !bytes.Contains(result, []byte(`"layout"`)) || json.Unmarshal(result, &top) != nil {
		return
	}
	for _, field := range c.Watched {
		seen, found := countField(top, field)
		p.count(c.Job.Provider, from, field, seen, found)
	}
	var layout []earshot.LayoutBlock
	if json.Unmarshal(top["layout"], &layout) != nil {
		return
	}
	known := 0
	for _, block := range layout {
		if block.Type != earshot.BlockUnknown {
			known++
		}
	}
	p.count(c.Job.Provider, from, blocks, len(layout), known)
}

// countField counts a field of a result. "sources" is found if it is not empty; "sources.label" is
// counted for each item of sources.
func countField(top map[string]json.RawMessage, field string) (seen, found int) {
	name, inner, nested := strings.Cut(field, ".")
	items := []map[string]json.RawMessage{top}
	if nested {
		items = nil
		if json.Unmarshal(top[name], &items) != nil {
			return 0, 0
		}
		name = inner
	}
	for _, item := range items {
		if !isEmpty(item[name]) {
			found++
		}
	}
	return len(items), found
}

func isEmpty(value json.RawMessage) bool {
	switch string(bytes.TrimSpace(value)) {
	case "", "null", `""`, "[]", "{}":
		return true
	}
	return false
}

// unreadable counts and keeps a document that was not understood.
func (p *Parsing) unreadable(c *Call, from *upstream.Session, now time.Time) {
	if p == nil {
		return
	}
	p.count(c.Job.Provider, from, understood, 1, 0)
	whose, documents := c.Job.Provider+"/"+string(from.Surface()), from.Fetched()
	if len(documents) == 0 || !p.mayKeep(whose, now) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), keepTime)
	defer cancel()
	page := outbound.KeptPage{ID: account.NewCaptureID(), Provider: whose, Reason: Unreadable, Pages: len(documents), KeptAt: now}
	err := p.pages.Put(ctx, page.ID, documents)
	if err == nil {
		var added bool
		if added, err = p.store.AddKeptPage(&page, maxKeptADay); err == nil && !added { // other nodes have kept enough
			err = p.pages.Delete(ctx, page.ID)
		}
	}
	if err != nil {
		p.log.Warn("a page that could not be parsed was not kept", "provider", c.Job.Provider, "error", err)
	}
}

// mayKeep reports whether a further document of the day may be kept.
func (p *Parsing) mayKeep(whose string, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if day := now.UTC().Truncate(24 * time.Hour); !day.Equal(p.day) {
		p.day, p.kept = day, map[string]int{}
	}
	p.kept[whose]++
	return p.kept[whose] <= maxKeptADay
}
