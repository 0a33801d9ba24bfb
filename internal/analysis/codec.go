package analysis

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"earshot/internal/mention"
	"earshot/internal/metric"
	"earshot/internal/source"
)

// format is the first byte of a stored analysis.
const format = 1

// The tables stand for texts by their index: what is there keeps its place.
var (
	kinds  = []mention.Kind{mention.Name, mention.Domain, mention.Absent}
	wheres = []mention.Where{InMarkdown, InText, mention.InTitle, mention.InSnippet, mention.InOverview, mention.InPanel}
	types  = []source.Type{
		source.Own, source.Rival, source.Community, source.Editorial, source.Reference, source.Government, source.Shop, source.Video, source.Other,
	}
)

// Encode writes an analysis in few bytes: numbers as varints, texts with their length.
func (f *Found) Encode() []byte {
	w := writer{format}
	w.number(len(f.Mentions))
	for _, m := range f.Mentions {
		w.number(m.Brand, m.Name, slices.Index(kinds, m.Kind), slices.Index(wheres, m.Where), m.Index, m.Start, m.End-m.Start, m.Position, m.ListRank, len(m.Domains))
		for _, domain := range m.Domains {
			w.text(domain)
		}
	}
	w.citations(f.Citations)
	if f.Organic == nil {
		w.number(0)
		return w
	}
	w.number(1)
	w.citations(f.Organic)
	return w
}

type writer []byte

func (w *writer) number(values ...int) {
	for _, v := range values {
		*w = binary.AppendUvarint(*w, uint64(max(v, 0)))
	}
}

func (w *writer) text(s string) {
	w.number(len(s))
	*w = append(*w, s...)
}

// citations writes pages. A host is part of its URL and a domain the end of its host.
func (w *writer) citations(all []metric.Citation) {
	w.number(len(all))
	for _, c := range all {
		w.text(c.URL)
		w.number(strings.Index(c.URL, c.Host), len(c.Host), len(c.Domain), slices.Index(types, source.Type(c.Type)), c.Position)
	}
}

var errDamaged = errors.New("a stored analysis is damaged")

// Decode reads what Encode wrote.
func Decode(stored []byte) (*Found, error) {
	r := reader{rest: string(stored)}
	if len(stored) == 0 || stored[0] != format {
		return nil, errDamaged
	}
	r.rest = r.rest[1:]
	f := &Found{}
	if n := r.count(); n > 0 {
		f.Mentions = make([]Mention, n)
	}
	for i := range f.Mentions {
		m := &f.Mentions[i]
		m.Brand, m.Name = r.number(), r.number()
		m.Kind, m.Where = item(&r, kinds), item(&r, wheres)
		m.Index, m.Start = r.number(), r.number()
		m.End = m.Start + r.number()
		m.Position, m.ListRank = r.number(), r.number()
		for range r.count() {
			m.Domains = append(m.Domains, r.text(r.number()))
		}
	}
	f.Citations = r.citations()
	if r.number() == 1 {
		if f.Organic = r.citations(); f.Organic == nil {
			f.Organic = []metric.Citation{}
		}
	}
	if r.failed || r.rest != "" {
		return nil, errDamaged
	}
	return f, nil
}

// reader takes values off the front; texts share its memory.
type reader struct {
	rest   string
	failed bool
}

func (r *reader) number() int {
	value, shift := uint64(0), 0
	for i := 0; i < len(r.rest) && shift < 63; i++ {
		b := r.rest[i]
		value |= uint64(b&0x7f) << shift
		if b < 0x80 {
			r.rest = r.rest[i+1:]
			return int(value)
		}
		shift += 7
	}
	r.failed, r.rest = true, ""
	return 0
}

// count is a number of things that follow, each of a byte or more.
func (r *reader) count() int {
	n := r.number()
	if n > len(r.rest) {
		r.failed, r.rest = true, ""
		return 0
	}
	return n
}

func (r *reader) text(length int) string {
	if length > len(r.rest) {
		r.failed, r.rest = true, ""
		return ""
	}
	s := r.rest[:length]
	r.rest = r.rest[length:]
	return s
}

// item is an entry of a table.
func item[T any](r *reader, table []T) (entry T) {
	i := r.number()
	if i >= len(table) {
		r.failed = true
		return entry
	}
	return table[i]
}

func (r *reader) citations() []metric.Citation {
	n := r.count()
	if n == 0 {
		return nil
	}
	all := make([]metric.Citation, n)
	for i := range all {
		c := &all[i]
		c.URL = r.text(r.number())
		at, host, domain := r.number(), r.number(), r.number()
		if at > len(c.URL) || host > len(c.URL)-at || domain > host {
			r.failed = true
			return nil
		}
		c.Host = c.URL[at : at+host]
		c.Domain = c.Host[host-domain:]
		c.Type = string(item(r, types))
		c.Position = r.number()
	}
	return all
}
