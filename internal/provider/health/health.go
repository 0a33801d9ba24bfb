// Package health monitors the parsers: it counts how often each field of a result is filled. When a
// site changes its layout, the fill rate of a field drops before users complain.
//
// Every node counts in memory and regularly adds its counts to the store. A node that crashes loses
// only a few seconds of statistics.
package health

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"earshot"
	"earshot/internal/store/outbound"
)

// Understood is the field that counts documents; a document that was understood counts as filled.
const Understood = "understood"

const flushEvery = 10 * time.Second

// Watch counts the fields of the results of one node.
type Watch struct {
	store *outbound.Store
	onErr func(error)

	mu       sync.Mutex
	counts   map[outbound.FieldHour]outbound.FieldCount
	headings map[outbound.FieldHour]map[string]bool // headings of the hour, by provider; the Field of the key is empty
}

// New returns a watch. It calls onErr when counts could not be stored; the watch keeps these counts
// for the next flush.
func New(s *outbound.Store, onErr func(error)) *Watch {
	return &Watch{store: s, onErr: onErr, counts: map[outbound.FieldHour]outbound.FieldCount{}, headings: map[outbound.FieldHour]map[string]bool{}}
}

// Document describes the request of an answer and the surface that it came from.
type Document struct {
	Provider string
	Surface  earshot.Surface
	Watched  []string // fields to count in the result
	Asked    string   // the request; headings that repeat words of it are not stored
}

// key returns the name under which counts are stored. It includes the surface: surfaces are
// different sites, and switching between them must not raise an alarm.
func (d Document) key() string { return d.Provider + surfaceSeparator + string(d.Surface) }

const surfaceSeparator = "/"

// Answer counts a document that was understood, and the watched fields of its result.
func (w *Watch) Answer(d Document, result json.RawMessage, now time.Time) {
	filled := map[string]outbound.FieldCount{Understood: {Seen: 1, Filled: 1}}
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
	w.add(d, map[string]outbound.FieldCount{Understood: {Seen: 1}}, now)
}

func (w *Watch) add(d Document, counts map[string]outbound.FieldCount, now time.Time) {
	hour := hourOf(now)
	w.mu.Lock()
	defer w.mu.Unlock()
	for field, c := range counts {
		key := outbound.FieldHour{Hour: hour, Provider: d.key(), Field: field}
		w.counts[key] = sum(w.counts[key], c)
	}
}

func hourOf(now time.Time) int64 { return now.UnixMilli() / time.Hour.Milliseconds() }

// count counts a field of a result. "sources" counts as filled if it is not empty; "sources.label"
// is counted for each item of sources.
func count(top map[string]json.RawMessage, field string) outbound.FieldCount {
	name, inner, nested := strings.Cut(field, ".")
	if !nested {
		return observation(filled(top[name]))
	}
	var items []map[string]json.RawMessage
	if json.Unmarshal(top[name], &items) != nil {
		return outbound.FieldCount{}
	}
	total := outbound.FieldCount{}
	for _, item := range items {
		total = sum(total, observation(filled(item[inner])))
	}
	return total
}

func observation(filled bool) outbound.FieldCount {
	if filled {
		return outbound.FieldCount{Seen: 1, Filled: 1}
	}
	return outbound.FieldCount{Seen: 1}
}

// filled reports whether a JSON value is not empty.
func filled(value json.RawMessage) bool {
	switch string(bytes.TrimSpace(value)) {
	case "", "null", `""`, "[]", "{}":
		return false
	default:
		return true
	}
}

// Run adds the counts to the store periodically, and a last time when ctx ends.
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
	w.counts = map[outbound.FieldHour]outbound.FieldCount{}
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
