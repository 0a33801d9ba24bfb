package analysis

import (
	"errors"
	"slices"
	"strings"

	"earshot/internal/track/mention"
	"earshot/internal/track/metric"
	"earshot/internal/track/packed"
	"earshot/internal/track/source"
)

// The first byte of a stored analysis. Version 2 and below wrote format 1, which lacks
// Mention.Citations and Analysis.Plain. Version 3 wrote format 2, which lacks Analysis.Contents.
const (
	formatNames    = 1
	formatSupport  = 2
	formatContents = 3
)

// Stored analyses contain indexes into these tables. Append new entries only at the end.
var (
	kinds  = []mention.Kind{mention.Name, mention.Domain, mention.Absent}
	wheres = []mention.Where{InMarkdown, InText, mention.InTitle, mention.InSnippet, mention.InOverview, mention.InPanel}
	types  = []source.Type{
		source.Own, source.Rival, source.Community, source.Editorial, source.Reference, source.Government, source.Shop, source.Video, source.Other,
	}
)

// Encode returns the stored form of an analysis, in the notation of package packed.
func (f *Analysis) Encode() []byte {
	w := packed.Writer{formatContents}
	w.Number(len(f.Mentions))
	for _, m := range f.Mentions {
		w.Number(m.Brand, m.Name, slices.Index(kinds, m.Kind), slices.Index(wheres, m.Where), m.Index, m.Start, m.End-m.Start, m.Position, m.ListRank, len(m.Domains))
		for _, domain := range m.Domains {
			w.Text(domain)
		}
		w.Number(len(m.Citations))
		w.Number(m.Citations...)
	}
	w.Number(map[bool]int{true: 1}[f.Plain])
	writeCitations(&w, f.Citations)
	if f.Organic == nil {
		w.Number(0)
	} else {
		w.Number(1)
		writeCitations(&w, f.Organic)
	}
	writeContents(&w, f)
	return w
}

// writeCitations writes pages. The host is a range of the URL, the domain a suffix of the host.
func writeCitations(w *packed.Writer, all []metric.Citation) {
	w.Number(len(all))
	for _, c := range all {
		writeCitation(w, c)
	}
}

func writeCitation(w *packed.Writer, c metric.Citation) {
	w.Text(c.URL)
	w.Number(strings.Index(c.URL, c.Host), len(c.Host), len(c.Domain), slices.Index(types, source.Type(c.Type)), c.Position)
}

var errDamaged = errors.New("a stored analysis is damaged")

// Decode returns a stored analysis.
func Decode(stored []byte) (*Analysis, error) {
	f := &Analysis{}
	if err := f.Decode(stored); err != nil {
		return nil, err
	}
	return f, nil
}

// Decode reads a stored analysis into f. It reuses the memory of f, for callers that read
// thousands of analyses one after another.
func (f *Analysis) Decode(stored []byte) error {
	if len(stored) == 0 || stored[0] < formatNames || stored[0] > formatContents {
		return errDamaged
	}
	r := packed.NewReader(string(stored[1:]))
	f.Mentions = resized(f.Mentions, r.Count())
	for i := range f.Mentions {
		m := &f.Mentions[i]
		m.Brand, m.Name = r.Number(), r.Number()
		m.Kind, m.Where = item(r, kinds), item(r, wheres)
		m.Index, m.Start = r.Number(), r.Number()
		m.End = m.Start + r.Number()
		m.Position, m.ListRank = r.Number(), r.Number()
		m.Domains = m.Domains[:0]
		for range r.Count() {
			m.Domains = append(m.Domains, r.Text(r.Number()))
		}
		m.Citations = m.Citations[:0]
		if stored[0] < formatSupport {
			continue
		}
		for range r.Count() {
			m.Citations = append(m.Citations, r.Number())
		}
	}
	f.Plain = stored[0] >= formatSupport && r.Number() == 1
	f.Citations = readCitations(r, f.Citations)
	for _, m := range f.Mentions {
		if slices.ContainsFunc(m.Citations, func(at int) bool { return at >= len(f.Citations) }) {
			return errDamaged
		}
	}
	f.Organic = nil
	if r.Number() == 1 {
		if f.Organic = readCitations(r, nil); f.Organic == nil {
			f.Organic = []metric.Citation{}
		}
	}
	if stored[0] >= formatContents {
		readContents(r, f)
	} else {
		f.Contents = metric.Contents{}
	}
	if !r.Done() {
		return errDamaged
	}
	return nil
}

// resized returns s with another length. It keeps the elements of s, for reuse of their
// memory.
func resized[T any](s []T, length int) []T {
	if length > cap(s) {
		return append(s[:cap(s)], make([]T, length-cap(s))...)
	}
	return s[:length]
}

// item reads an index and returns the entry of a table.
func item[T any](r *packed.Reader, table []T) (entry T) {
	i := r.Number()
	if i >= len(table) {
		r.Fail()
		return entry
	}
	return table[i]
}

// readCitations reads pages into all, which it resizes.
func readCitations(r *packed.Reader, all []metric.Citation) []metric.Citation {
	all = resized(all, r.Count())
	for i := range all {
		readCitation(r, &all[i])
	}
	return all
}

func readCitation(r *packed.Reader, c *metric.Citation) {
	c.URL = r.Text(r.Number())
	at, host, domain := r.Number(), r.Number(), r.Number()
	if at > len(c.URL) || host > len(c.URL)-at || domain > host {
		r.Fail()
		*c = metric.Citation{}
		return
	}
	c.Host = c.URL[at : at+host]
	c.Domain = c.Host[host-domain:]
	c.Type = string(item(r, types))
	c.Position = r.Number()
}
