package health

import (
	"context"
	"fmt"
	"strings"
	"time"

	"earshot/internal/account"
	"earshot/internal/store/outbound"
)

// Reasons why a page is kept for the operator.
const (
	ReasonLayout     = "layout"     // its layout version is new
	ReasonBlock      = "block"      // it has an unknown block with a new heading
	ReasonAlarm      = "alarm"      // it lacks a field that has an alarm
	ReasonUnreadable = "unreadable" // it could not be parsed
)

// KeptFor is how long pages are kept for the operator.
const KeptFor = 14 * 24 * time.Hour

const (
	// maxKeptADay is the maximum number of documents of a day with the same provider, surface, layout
	// version and reason.
	maxKeptADay = 3
	// maxWaiting is the maximum number of documents that wait to be stored.
	maxWaiting = 20
	// storeTime is the timeout for storing a document.
	storeTime = 20 * time.Second
)

// keptPage is a document to keep.
type keptPage struct {
	outbound.KeptPage
	documents [][]byte
}

// sameDay returns the key by which pages of a day are counted.
func sameDay(provider, layout, reason string, at time.Time) outbound.KeptPage {
	return outbound.KeptPage{Provider: provider, Layout: layout, Reason: reason, Day: HourOf(at) / day}
}

// keepNews keeps a document that was understood if it shows something new.
func (w *Watch) keepNews(d Document, counts map[string]outbound.FieldCount, now time.Time) {
	if w.known == nil {
		return
	}
	if w.isNew(d.key(), outbound.SightedLayout, d.Layout, now) && w.keep(d, ReasonLayout, "", now) {
		return
	}
	for field, c := range counts {
		heading, isHeading := strings.CutPrefix(field, unknownPrefix)
		if isHeading && w.isNew(d.key(), outbound.SightedBlock, heading, now) && w.keep(d, ReasonBlock, heading, now) ||
			w.known.alarms[d.key()][field] && c.Seen > c.Filled && w.keep(d, ReasonAlarm, field, now) {
			return
		}
	}
}

// keep queues a document for storage. It returns false if enough were kept today.
func (w *Watch) keep(d Document, reason, note string, now time.Time) bool {
	if w.known == nil || w.kept == nil || len(d.Pages) == 0 || len(w.pages) == maxWaiting {
		return false
	}
	key := sameDay(d.key(), d.Layout, reason, now)
	if w.known.kept[key] >= maxKeptADay {
		return false
	}
	w.known.kept[key]++
	page := &keptPage{key, d.Pages}
	page.ID, page.Note, page.Pages, page.KeptAt = account.NewCaptureID(), note, len(d.Pages), now
	w.pages = append(w.pages, page)
	return true
}

// storePage stores the documents and then their record. If other nodes have kept enough pages of the
// day, it deletes the documents again.
func (w *Watch) storePage(page *keptPage) error {
	ctx, cancel := context.WithTimeout(context.Background(), storeTime)
	defer cancel()
	if err := w.kept.Put(ctx, page.ID, page.documents); err != nil {
		return fmt.Errorf("keep a page of %s: %w", page.Provider, err)
	}
	added, err := w.store.AddKeptPage(&page.KeptPage, maxKeptADay)
	if err == nil && !added {
		err = w.kept.Delete(ctx, page.ID)
	}
	return err
}
