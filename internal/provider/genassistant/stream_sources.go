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

// writer collects an answer from a reply.
type writer struct {
	answer   *earshot.Answer
	numbered map[int]answer.Citation // sources by the numbers that marks in the text use
	listed   []earshot.Source        // other sources, in the order of the reply
	sources  answer.Sources
}

// gatherRich searches the rich content for sources. It skips images: the page that an image is from
// does not support the text.
func (w *writer) gatherRich(rich list) {
	for place, part := range rich {
		if place != webImages && place != madeImages {
			w.gather(part)
		}
	}
}

// gather searches a part of a reply for sources. Their position depends on the question, but their
// form does not.
func (w *writer) gather(part any) {
	items := asList(part)
	if numbers := markNumbers(items.list(0).text(0)); len(numbers) > 0 {
		w.addGroup(numbers, items.list(1))
		return
	}
	if source, ok := sourceIn(items); ok {
		w.listed = append(w.listed, source)
	}
	for _, inner := range fields(part) {
		w.gather(inner)
	}
}

// addGroup adds the sources of a mark, which are in the order of the mark's numbers. Every mark with
// the same number repeats the source.
func (w *writer) addGroup(numbers []int, entries list) {
	for i, number := range numbers[:min(len(numbers), len(entries))] {
		source, _ := sourceIn(asList(entries[i]).below(3, 0))
		if _, known := w.numbered[number]; source.URL != "" && !known {
			w.numbered[number] = answer.Citation{Source: source, Label: webtext.Domain(source.URL)}
		}
	}
}

// sourceIn returns the page that a list describes. The list has an icon or a text range, which may
// be missing, then the address, then the title. A list without title and text range may be anything
// with an address, so it is no source.
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
			if _, icon := webtext.Destination(title, nil, nil); icon || isAsset(link) {
				continue
			}
			return earshot.Source{URL: link, Label: title}, title != "" || place == 2 && hasRange(items)
		default:
			return earshot.Source{}, false
		}
	}
	return earshot.Source{}, false
}

// hasRange reports whether the list begins with the start and end of a text range.
func hasRange(items list) bool {
	_, from := items.at(0).(json.Number)
	_, to := items.at(1).(json.Number)
	return from && to
}

// isAsset reports whether the link leads to a part of the page, such as an icon, or to a search.
func isAsset(link string) bool {
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

// finish writes the sources into the answer: first the pages that the text cites, then the other
// numbered sources, then the rest.
func (w *writer) finish() {
	for _, number := range slices.Sorted(maps.Keys(w.numbered)) {
		w.sources.Add(w.numbered[number].Source)
	}
	for _, source := range w.listed {
		w.sources.Add(source)
	}
	w.sources.Fill(w.answer)
}
