// Package health watches the parsers: how often each field of a result is filled.
// When a site changes its layout, the rate of a field drops before users complain.
//
// Every node counts in memory and regularly adds its counts to the store. With a node
// only some seconds of statistics are lost.
package health

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"earshot"
	"earshot/internal/store"
)

// Understood is a field that is filled in every document that was understood.
const Understood = "understood"

// flushEvery is how often counts are added to the store.
const flushEvery = 10 * time.Second

// Watch counts on one node.
type Watch struct {
	store *store.Store
	onErr func(error)

	mu       sync.Mutex
	counts   map[store.FieldHour]store.FieldCount
	headings map[store.FieldHour]map[string]bool // those of the hour, by provider; the field is empty
}

// New makes a watch. onErr is called when the counts could not be stored; they are
// kept for the next time.
func New(s *store.Store, onErr func(error)) *Watch {
	return &Watch{store: s, onErr: onErr, counts: map[store.FieldHour]store.FieldCount{}, headings: map[store.FieldHour]map[string]bool{}}
}

// Document is what was asked and how: what is counted of an answer depends on it.
type Document struct {
	Provider string
	Surface  earshot.Surface
	Watched  []string // fields of its results
	Asked    string   // the request; headings that repeat it are not kept
}

// key is how a document's counts are stored: a provider's surfaces are different
// sites, and a switch between them is no alarm.
func (d Document) key() string { return d.Provider + surfaceMark + string(d.Surface) }

const surfaceMark = "/"

// Answer counts a document that was understood, and the watched fields of its result.
func (w *Watch) Answer(d Document, result json.RawMessage, now time.Time) {
	filled := map[string]store.FieldCount{Understood: {Seen: 1, Filled: 1}}
	var top map[string]json.RawMessage
	looked := len(d.Watched) > 0 || bytes.Contains(result, []byte(`"layout"`))
	if looked && json.Unmarshal(result, &top) == nil {
		for _, field := range d.Watched {
			filled[field] = count(top, field)
		}
		w.blocks(d, top["layout"], filled, now)
	}
	w.add(d, filled, now)
}

// Unreadable counts a document that was not understood.
func (w *Watch) Unreadable(d Document, now time.Time) {
	w.add(d, map[string]store.FieldCount{Understood: {Seen: 1}}, now)
}

func (w *Watch) add(d Document, counts map[string]store.FieldCount, now time.Time) {
	hour := hourOf(now)
	w.mu.Lock()
	defer w.mu.Unlock()
	for field, c := range counts {
		key := store.FieldHour{Hour: hour, Provider: d.key(), Field: field}
		w.counts[key] = sum(w.counts[key], c)
	}
}

func hourOf(now time.Time) int64 { return now.UnixMilli() / time.Hour.Milliseconds() }

// count counts a field of a result: "sources" is filled when it is not empty;
// "sources.label" is counted over the items of sources.
func count(top map[string]json.RawMessage, field string) store.FieldCount {
	name, inner, nested := strings.Cut(field, ".")
	if !nested {
		return one(filled(top[name]))
	}
	var items []map[string]json.RawMessage
	if json.Unmarshal(top[name], &items) != nil {
		return store.FieldCount{}
	}
	total := store.FieldCount{}
	for _, item := range items {
		total = sum(total, one(filled(item[inner])))
	}
	return total
}

func one(filled bool) store.FieldCount {
	if filled {
		return store.FieldCount{Seen: 1, Filled: 1}
	}
	return store.FieldCount{Seen: 1}
}

// filled tells whether a value is not empty.
func filled(value json.RawMessage) bool {
	switch string(bytes.TrimSpace(value)) {
	case "", "null", `""`, "[]", "{}":
		return false
	default:
		return true
	}
}

// Run adds the counts to the store until ctx ends, and once more then.
func (w *Watch) Run(ctx context.Context) error {
	ticker := time.NewTicker(flushEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			w.Flush()
			return nil
		case <-ticker.C:
			w.Flush()
		}
	}
}

// Flush adds the counts to the store.
func (w *Watch) Flush() {
	w.mu.Lock()
	counts := w.counts
	w.counts = map[store.FieldHour]store.FieldCount{}
	w.mu.Unlock()
	if len(counts) == 0 {
		return
	}
	if err := w.store.AddFieldCounts(counts); err != nil {
		w.onErr(err)
		w.mu.Lock()
		defer w.mu.Unlock()
		for key, c := range counts {
			w.counts[key] = sum(w.counts[key], c)
		}
	}
}
