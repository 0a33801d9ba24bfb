// Package cited encodes the sources that the answers of a sweep retrieved and cited, by domain
// and by URL. Sources of many answers are counted from these sheets, because reading every
// analysis takes too long.
//
//	cited.go  Sheet, and how it is read
//	write.go  Writer, which makes a Sheet of analyses
package cited

import (
	"errors"
	"strings"
	"time"

	"earshot/internal/track/metric"
	"earshot/internal/track/packed"
)

// Key identifies the cells of a sweep by the number of their target and by the surface that answered.
type Key struct {
	Target  int
	Surface string
}

// Sheet contains the sources of a sweep's answers.
type Sheet struct {
	Brands []int // indexes of the brands that the reader knows, or -1, by the stored index; nil: the same

	Names   []string // domains or URLs
	Types   []string
	Sources []Source

	base           int // Unix time in milliseconds
	parts          []part
	names, sources int // lengths of Names and Sources, also after Trim
}

// Trim removes the names and sources of a sheet. Each still reads its answers, which need much
// less memory.
func (s *Sheet) Trim() { s.Names, s.Types, s.Sources = nil, nil, nil }

// Source has the indexes of a name and of a type.
type Source struct{ Name, Type int }

// part contains the answers of a target on a surface.
type part struct {
	key     Key
	answers string
}

// Answer is an eligible answer with its sources.
type Answer struct {
	Prompt, Sample int
	AskedAt        time.Time
	// NoSources and NoCited are the reasons why the answer does not report the pages that it
	// retrieved or cited.
	NoSources, NoCited metric.Reason
	Sources            []Used
	Mentions           []Mention // none in plain text
}

// Used is a source of an answer. An answer has each source once.
type Used struct {
	Index     int // in Sheet.Sources
	Citations int // that citationShare counts: each URL once per answer
	IsRead    bool
	IsCited   bool
}

// Mention is a mention of a brand in a sentence that cites a source.
type Mention struct {
	Brand int
	Name  int // of the source, in Sheet.Names
}

// The bits of a stored Used, below its index. Without isOnce and isOften there are no citations.
const (
	isRead = 1 << iota
	isCited
	isOnce
	isOften  // the number of citations follows
	flagBits = iota
)

// reasons are stored as indexes. Append new entries only at the end.
var reasons = []metric.Reason{"", metric.NotRequested, metric.NotOffered}

// format is the first byte of a stored sheet.
const format = 1

// ErrDamaged is returned for stored sources that cannot be true.
var ErrDamaged = errors.New("the stored sources of a sweep are damaged")

// Decode reads a sheet that a Writer wrote.
func Decode(stored []byte) (*Sheet, error) {
	if len(stored) == 0 || stored[0] != format {
		return nil, ErrDamaged
	}
	r := packed.NewReader(string(stored[1:]))
	s := &Sheet{base: r.Number(), Names: texts(r), Types: texts(r)}
	s.Sources = make([]Source, r.Count())
	for i := range s.Sources {
		s.Sources[i] = Source{r.Number(), r.Number()}
		if s.Sources[i].Name >= len(s.Names) || s.Sources[i].Type >= len(s.Types) {
			return nil, ErrDamaged
		}
	}
	s.parts = make([]part, r.Count())
	for i := range s.parts {
		s.parts[i].key.Target = r.Number()
		// The copies share no memory with Names, which Trim removes.
		s.parts[i].key.Surface = strings.Clone(r.Text(r.Number()))
		s.parts[i].answers = strings.Clone(r.Text(r.Number()))
	}
	if !r.Done() {
		return nil, ErrDamaged
	}
	s.names, s.sources = len(s.Names), len(s.Sources)
	return s, nil
}

func texts(r *packed.Reader) []string {
	all := make([]string, r.Count())
	for i := range all {
		all[i] = r.Text(r.Number())
	}
	return all
}

// Each calls open for each target and surface, and the function that open returns for each of
// its answers. If open returns nil, the answers are skipped. The Answer is reused.
func (s *Sheet) Each(open func(Key) func(*Answer)) error {
	var a Answer
	for _, p := range s.parts {
		use := open(p.key)
		if use == nil {
			continue
		}
		r := packed.NewReader(p.answers)
		a.Prompt = 0
		for range r.Count() {
			if !s.read(r, &a) {
				return ErrDamaged
			}
			use(&a)
		}
		if !r.Done() {
			return ErrDamaged
		}
	}
	return nil
}

// read reads the next answer. Prompts are differences from the answer before.
func (s *Sheet) read(r *packed.Reader, a *Answer) (ok bool) {
	a.Prompt += r.Number()
	a.Sample = r.Number()
	a.AskedAt = time.UnixMilli(int64(s.base + r.Number()))
	noSources, noCited := r.Number(), r.Number()
	if noSources >= len(reasons) || noCited >= len(reasons) {
		return false
	}
	a.NoSources, a.NoCited = reasons[noSources], reasons[noCited]
	a.Sources, a.Mentions = a.Sources[:0], a.Mentions[:0]
	for range r.Count() {
		n := r.Number()
		one := Used{Index: n >> flagBits, IsRead: n&isRead != 0, IsCited: n&isCited != 0, Citations: n & isOnce / isOnce}
		if n&isOften != 0 {
			one.Citations = r.Number()
		}
		if one.Index >= s.sources {
			return false
		}
		a.Sources = append(a.Sources, one)
	}
	for range r.Count() {
		m := Mention{r.Number(), r.Number()}
		if m.Name >= s.names {
			return false
		}
		if s.Brands != nil {
			if m.Brand >= len(s.Brands) {
				return false
			}
			m.Brand = s.Brands[m.Brand]
		}
		if m.Brand >= 0 {
			a.Mentions = append(a.Mentions, m)
		}
	}
	return true
}
