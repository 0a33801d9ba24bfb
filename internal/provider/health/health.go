// Package health monitors the parsers: it counts how often each field of a result is filled. When a
// site changes its layout, the fill rate of a field drops before users complain.
//
// Every node counts in memory and regularly adds its counts to the store. A node that crashes loses
// only a few seconds of statistics.
//
// Documents are counted by layout version, a short fingerprint of their form. For a page it is the
// hash of the elements around a typical result or around the answer (markup.Shape): the names of
// elements and attributes, without classes, values and text. It changes when the site moves or
// renames these elements, and not with the content of a page. Other documents are identified by the
// names at the top of their JSON (formOf).
//
// The change detectors of trackers (stats.CUSUM) process the fill rates in the order of hours, for
// all documents together and for each layout version. All detectors of a provider and surface
// together raise about one false alarm a year. An alarm ends when the field is filled as before, or
// when the operator acknowledges it.
//
// Pages that show something new are kept for the operator. No operation of the API serves them.
//
//	health.go   counting
//	blocks.go   the headings of unknown blocks
//	layout.go   layout versions
//	detect.go   the change detectors
//	keep.go     pages for the operator
//	report.go   the report
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
	"earshot/internal/upstream/capture"
)

// Understood is the field that counts documents; a document that was understood counts as filled.
const Understood = "understood"

const flushEvery = 10 * time.Second

// Watch counts the fields of the results of one node.
type Watch struct {
	store *outbound.Store
	kept  capture.Store
	onErr func(error)

	mu      sync.Mutex
	counts  map[outbound.FieldHour]outbound.FieldCount
	sighted map[outbound.Sighted]outbound.Sighting // since the last flush
	known   *known                                 // nil until the first Check
	pages   []*keptPage                            // to be kept

	checked time.Time // of the last Check, which is the only user
	stepped int64     // the last hour that the detectors have processed; used only by Check
}

// New returns a watch that stores pages for the operator in kept, which may be nil. It calls onErr
// when something could not be stored; the watch keeps counts for the next flush.
func New(s *outbound.Store, kept capture.Store, onErr func(error)) *Watch {
	return &Watch{
		store: s, kept: kept, onErr: onErr, counts: map[outbound.FieldHour]outbound.FieldCount{},
		sighted: map[outbound.Sighted]outbound.Sighting{},
	}
}

// Document describes the request of an answer and the surface that it came from.
type Document struct {
	Provider string
	Surface  earshot.Surface
	Watched  []string // fields to count in the result
	Asked    string   // the request; headings that repeat words of it are not stored
	Layout   string   // the layout version; "" if the provider does not determine it
	Pages    [][]byte // as they were fetched
}

// key returns the name under which counts are stored. It includes the surface: surfaces are
// different sites, and switching between them must not raise an alarm.
func (d Document) key() string { return d.Provider + surfaceSeparator + string(d.Surface) }

const surfaceSeparator = "/"

// Answer counts a document that was understood, and the watched fields of its result. It keeps the
// document if it shows something new.
func (w *Watch) Answer(d Document, result json.RawMessage, now time.Time) {
	filled := map[string]outbound.FieldCount{Understood: {Seen: 1, Filled: 1}}
	if last := len(d.Pages) - 1; d.Layout == "" && last >= 0 {
		d.Layout = formOf(d.Pages[last])
	}
	var top map[string]json.RawMessage
	looked := len(d.Watched) > 0 || bytes.Contains(result, []byte(`"layout"`))
	if looked && json.Unmarshal(result, &top) == nil {
		for _, field := range d.Watched {
			filled[field] = count(top, field)
		}
		countBlocks(top["layout"], d.Asked, filled)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for field := range filled {
		if heading, ok := strings.CutPrefix(field, unknownPrefix); ok && w.sight(d.key(), outbound.SightedBlock, heading, maxHeadings, now) != heading {
			delete(filled, field)
		}
	}
	d.Layout = w.sight(d.key(), outbound.SightedLayout, d.Layout, maxLayouts, now)
	w.add(d, filled, now)
	w.keepNews(d, filled, now)
}

// Unreadable counts and keeps a document that was not understood.
func (w *Watch) Unreadable(d Document, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	d.Layout = ""
	w.add(d, map[string]outbound.FieldCount{Understood: {Seen: 1}}, now)
	w.keep(d, ReasonUnreadable, "", now)
}

func (w *Watch) add(d Document, counts map[string]outbound.FieldCount, now time.Time) {
	for field, c := range counts {
		key := outbound.FieldHour{Hour: HourOf(now), Provider: d.key(), Layout: d.Layout, Field: field}
		if strings.HasPrefix(field, unknownPrefix) {
			key.Layout = "" // headings are not counted by layout version
		}
		w.counts[key] = sum(w.counts[key], c)
	}
}

// HourOf returns the number of hours since 1970.
func HourOf(now time.Time) int64 { return now.UnixMilli() / time.Hour.Milliseconds() }

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

// Run adds the counts to the store and runs the change detectors periodically. It adds the counts a
// last time when ctx ends.
func (w *Watch) Run(ctx context.Context) error {
	ticker := time.NewTicker(flushEvery)
	defer ticker.Stop()
	for {
		if err := w.Check(ctx, w.store.Now()); err != nil && ctx.Err() == nil {
			w.onErr(err)
		}
		select {
		case <-ctx.Done():
			w.Flush()
			return nil
		case <-ticker.C:
			w.Flush()
		}
	}
}

// Flush adds the counts to the store and stores the pages to keep.
func (w *Watch) Flush() {
	w.mu.Lock()
	counts, sighted, pages := w.counts, w.sighted, w.pages
	w.counts, w.sighted, w.pages = map[outbound.FieldHour]outbound.FieldCount{}, map[outbound.Sighted]outbound.Sighting{}, nil
	w.mu.Unlock()
	if len(counts) > 0 {
		if err := w.store.AddFieldCounts(counts); err != nil {
			w.onErr(err)
			w.mu.Lock()
			for key, c := range counts {
				w.counts[key] = sum(w.counts[key], c)
			}
			w.mu.Unlock()
		}
	}
	if len(sighted) > 0 {
		if err := w.store.AddSightings(sighted); err != nil {
			w.onErr(err) // they are stored when they are seen again
		}
	}
	for _, page := range pages {
		if err := w.storePage(page); err != nil {
			w.onErr(err)
		}
	}
}
