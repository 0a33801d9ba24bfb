package genassistant

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/webtext"
)

// writer collects an answer over a reply.
type writer struct {
	answer   *earshot.Answer
	numbered map[int]answer.Citation // the sources that the marks in the text count
	listed   []earshot.Source        // in the order of the reply
	sources  answer.Sources
}

// gatherRich looks for sources in the rich content. A picture has the page that
// it is from beside it, which the text does not rest on.
func (w *writer) gatherRich(rich list) {
	for place, part := range rich {
		if place != webImages && place != madeImages {
			w.gather(part)
		}
	}
}

// gather looks for sources in a part of a reply. Where they stand changes with
// what was asked; what they look like does not.
func (w *writer) gather(part any) {
	items := asList(part)
	if numbers := markNumbers(items.list(0).text(0)); len(numbers) > 0 {
		w.group(numbers, items.list(1))
		return
	}
	if source, ok := sourceIn(items); ok {
		w.listed = append(w.listed, source)
	}
	for _, inner := range fields(part) {
		w.gather(inner)
	}
}

// group notes the sources of a mark, which are in the order of its numbers. The
// same number is told again by each mark that has it.
func (w *writer) group(numbers []int, entries list) {
	for i, number := range numbers[:min(len(numbers), len(entries))] {
		source, _ := sourceIn(asList(entries[i]).below(3, 0))
		if _, known := w.numbered[number]; source.URL != "" && !known {
			w.numbered[number] = answer.Citation{Source: source, Label: webtext.Domain(source.URL)}
		}
	}
}

// sourceIn is the page that a list describes: its icon or the stretch of text
// that it is for, either of which may lack, its address and its title. What has
// neither title nor stretch may be anything with an address.
func sourceIn(items list) (earshot.Source, bool) {
	for place := range min(len(items), 3) {
		switch v := items[place].(type) {
		case nil, json.Number:
		case string:
			link, ok := webtext.Destination(v, nil, ownSources)
			if !ok {
				return earshot.Source{}, false
			}
			title := webtext.Line(items.text(place + 1))
			if _, icon := webtext.Destination(title, nil, nil); icon || isFurniture(link) {
				continue
			}
			return earshot.Source{URL: link, Label: title}, title != "" || place == 2 && isStretch(items)
		default:
			return earshot.Source{}, false
		}
	}
	return earshot.Source{}, false
}

// isStretch tells whether the list begins with where a stretch of text begins and
// ends.
func isStretch(items list) bool {
	_, from := items.at(0).(json.Number)
	_, to := items.at(1).(json.Number)
	return from && to
}

// isFurniture tells whether the link leads to a part of the page, such as an
// icon, or to a search.
func isFurniture(link string) bool {
	u, err := url.Parse(link)
	if err != nil {
		return true
	}
	host := strings.ToLower(u.Hostname())
	for _, domain := range []string{"gstatic.com", "googleusercontent.com", "ggpht.com"} {
		if host == domain || strings.HasSuffix(host, "."+domain) {
			return true
		}
	}
	return host == "www.google.com" && (u.Path == "/search" || strings.HasPrefix(u.Path, "/s2/") || strings.HasPrefix(u.Path, "/maps/vt"))
}

// finish writes the sources into the answer: those that the text points at, then
// the rest of those that are numbered, then the others.
func (w *writer) finish() {
	for _, number := range slices.Sorted(maps.Keys(w.numbered)) {
		w.sources.Add(w.numbered[number].Source)
	}
	for _, source := range w.listed {
		w.sources.Add(source)
	}
	w.sources.Fill(w.answer)
}
