package health

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/store/outbound"
)

// maxLayouts is the maximum number of layout versions of a provider and surface per day.
const maxLayouts = 20

// otherLayouts is the layout version of documents beyond maxLayouts.
const otherLayouts = "other"

// newFor is how long a layout version or a heading counts as new.
const newFor = day // hours

// known is what the nodes have seen so far, as of the last Check.
type known struct {
	seen   map[outbound.Sighted]outbound.Sighting
	counts map[outbound.Sighted]int   // names seen in the last day; the Name of the key is empty
	alarms map[string]map[string]bool // fields with an open alarm, by provider and surface
	kept   map[outbound.KeptPage]int  // pages kept today; only the fields that count together are set
}

// learn reads what the nodes have seen.
func (w *Watch) learn(ctx context.Context, now time.Time, detectors map[seriesKey]*detector) error {
	seen, err := w.store.Sightings(ctx)
	if err != nil {
		return err
	}
	pages, err := w.store.KeptPages(ctx)
	if err != nil {
		return err
	}
	k := &known{seen: seen, counts: map[outbound.Sighted]int{}, alarms: map[string]map[string]bool{}, kept: map[outbound.KeptPage]int{}}
	for _, d := range detectors {
		if d.health() == earshot.HealthAlarm {
			if k.alarms[d.Provider] == nil {
				k.alarms[d.Provider] = map[string]bool{}
			}
			k.alarms[d.Provider][d.Field] = true
		}
	}
	for _, page := range pages {
		k.kept[sameDay(page.Provider, page.Layout, page.Reason, page.KeptAt)]++
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for key, at := range w.sighted { // not stored yet
		if before, ok := seen[key]; ok {
			at.First = before.First
		}
		k.seen[key] = at
	}
	for key, at := range k.seen {
		if HourOf(now)-at.Last < day {
			key.Name = ""
			k.counts[key]++
		}
	}
	w.known = k
	return nil
}

// sight records that a page showed a layout version or a heading. It returns the name under which it
// is counted. Others are counted together after limit names in a day, so that random names neither fill
// the tables nor hide a new one for long. Before the first Check, nothing is counted by name.
func (w *Watch) sight(provider, kind, name string, limit int, now time.Time) string {
	if name == "" || w.known == nil {
		return ""
	}
	key, all := outbound.Sighted{Provider: provider, Kind: kind, Name: name}, outbound.Sighted{Provider: provider, Kind: kind}
	at, ok := w.known.seen[key]
	if !ok || HourOf(now)-at.Last >= day {
		if w.known.counts[all] >= limit {
			return otherLayouts
		}
		w.known.counts[all]++
	}
	if !ok {
		at.First = HourOf(now)
	}
	at.Last = HourOf(now)
	w.known.seen[key], w.sighted[key] = at, at
	return name
}

// isNew reports whether a name was first seen less than a day ago.
func (w *Watch) isNew(provider, kind, name string, now time.Time) bool {
	at, ok := w.known.seen[outbound.Sighted{Provider: provider, Kind: kind, Name: name}]
	return ok && HourOf(now)-at.First < newFor
}

// formOf returns the layout version of a document whose provider does not determine it: the hash of
// the names at the top of its JSON, or of the first JSON in a stream. It is "page" for HTML.
func formOf(document []byte) string {
	document = bytes.TrimSpace(document)
	if bytes.HasPrefix(document, []byte("<")) {
		return "page"
	}
	form := "json"
	if !bytes.HasPrefix(document, []byte("{")) {
		form = "stream"
		_, document, _ = bytes.Cut(document, []byte("{"))
		document = append([]byte("{"), document...)
	}
	var top map[string]json.RawMessage
	if json.NewDecoder(bytes.NewReader(document)).Decode(&top) != nil {
		return form
	}
	names := slices.Sorted(maps.Keys(top))
	hash := sha256.Sum256([]byte(form + " " + strings.Join(names, " ")))
	return hex.EncodeToString(hash[:3])
}
