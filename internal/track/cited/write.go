package cited

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"earshot/internal/track/analysis"
	"earshot/internal/track/mention"
	"earshot/internal/track/metric"
	"earshot/internal/track/packed"
)

// Writer makes the sheets of a sweep.
type Writer struct{ domains, urls sheetWriter }

// NewWriter returns a Writer without answers.
func NewWriter() *Writer {
	return &Writer{
		newSheetWriter(func(c metric.Citation) string { return c.Domain }),
		newSheetWriter(func(c metric.Citation) string { return c.URL }),
	}
}

// Add adds the analysis of an eligible answer. It keeps no reference to it.
func (w *Writer) Add(key Key, prompt, sample int, asked time.Time, f *analysis.Analysis) {
	w.domains.add(key, prompt, sample, asked, f, func(m *analysis.Mention) []string { return m.Domains })
	w.urls.add(key, prompt, sample, asked, f, func(m *analysis.Mention) (urls []string) {
		for _, at := range m.Citations {
			urls = append(urls, f.Citations[at].URL)
		}
		return urls
	})
}

// Encode returns the sheet by domain and the sheet by URL.
func (w *Writer) Encode() (domains, urls []byte) { return w.domains.encode(), w.urls.encode() }

// sheetWriter makes one sheet.
type sheetWriter struct {
	nameOf       func(metric.Citation) string
	names, types numbered[string]
	sources      numbered[Source]
	parts        map[Key][]written
}

func newSheetWriter(nameOf func(metric.Citation) string) sheetWriter {
	return sheetWriter{nameOf, newNumbered[string](), newNumbered[string](), newNumbered[Source](), map[Key][]written{}}
}

// written is an encoded answer.
type written struct {
	prompt, sample, asked int
	rest                  packed.Writer
}

// numbered numbers values in the order in which they first appear.
type numbered[T comparable] struct {
	values []T
	number map[T]int
}

func newNumbered[T comparable]() numbered[T] { return numbered[T]{number: map[T]int{}} }

func (n *numbered[T]) of(value T, clone func(T) T) int {
	i, known := n.number[value]
	if !known {
		i, value = len(n.values), clone(value)
		n.number[value], n.values = i, append(n.values, value)
	}
	return i
}

func (w *sheetWriter) add(key Key, prompt, sample int, asked time.Time, f *analysis.Analysis, supports func(*analysis.Mention) []string) {
	one := written{prompt: prompt, sample: sample, asked: int(asked.UnixMilli())}
	noSources, noCited := f.Missing(metric.FieldSources), f.Missing(metric.FieldCited)
	one.rest.Number(slices.Index(reasons, noSources), slices.Index(reasons, noCited))
	used := map[int]Used{}
	mark := func(pages []metric.Citation, isRead, isCited bool) {
		for _, page := range pages {
			i := w.source(page)
			used[i] = Used{i, used[i].Citations, used[i].IsRead || isRead, used[i].IsCited || isCited}
		}
	}
	for i, c := range f.Citations {
		if !slices.ContainsFunc(f.Citations[:i], func(other metric.Citation) bool { return other.URL == c.URL }) {
			s := w.source(c)
			used[s] = Used{Index: s, Citations: used[s].Citations + 1}
		}
	}
	if noSources == "" {
		mark(f.Sources, true, false)
	}
	mark(f.CitedPages(f.Citations), noSources == "", true) // a cited page was retrieved
	one.rest.Number(len(used))
	for _, i := range slices.Sorted(maps.Keys(used)) {
		encodeUsed(&one.rest, used[i])
	}
	w.addMentions(&one.rest, f, supports)
	w.parts[key] = append(w.parts[key], one)
}

func encodeUsed(to *packed.Writer, u Used) {
	n := u.Index << flagBits
	if u.IsRead {
		n |= isRead
	}
	if u.IsCited {
		n |= isCited
	}
	switch u.Citations {
	case 0:
		to.Number(n)
	case 1:
		to.Number(n | isOnce)
	default:
		to.Number(n|isOften, u.Citations)
	}
}

// addMentions writes the mentions in sentences that cite something.
func (w *sheetWriter) addMentions(to *packed.Writer, f *analysis.Analysis, supports func(*analysis.Mention) []string) {
	var all []int
	for i := range f.Mentions {
		m := &f.Mentions[i]
		if f.Plain || m.Kind == mention.Absent {
			continue
		}
		names := slices.Sorted(slices.Values(supports(m)))
		for _, name := range slices.Compact(names) {
			all = append(all, m.Brand, w.names.of(name, strings.Clone))
		}
	}
	to.Number(len(all) / 2)
	to.Number(all...)
}

// source returns the index of the source of a page.
func (w *sheetWriter) source(c metric.Citation) int {
	s := Source{w.names.of(w.nameOf(c), strings.Clone), w.types.of(c.Type, strings.Clone)}
	return w.sources.of(s, func(s Source) Source { return s })
}

func (w *sheetWriter) encode() []byte {
	base := math.MaxInt
	for _, answers := range w.parts {
		for _, a := range answers {
			base = min(base, a.asked)
		}
	}
	to := packed.Writer{format}
	to.Number(base)
	for _, texts := range [][]string{w.names.values, w.types.values} {
		to.Number(len(texts))
		for _, text := range texts {
			to.Text(text)
		}
	}
	to.Number(len(w.sources.values))
	for _, s := range w.sources.values {
		to.Number(s.Name, s.Type)
	}
	keys := slices.SortedFunc(maps.Keys(w.parts), func(a, b Key) int {
		return cmp.Or(cmp.Compare(a.Target, b.Target), cmp.Compare(a.Surface, b.Surface))
	})
	to.Number(len(keys))
	for _, key := range keys {
		to.Number(key.Target)
		to.Text(key.Surface)
		to.Text(string(encodeAnswers(w.parts[key], base)))
	}
	return to
}

// encodeAnswers sorts answers by prompt.
func encodeAnswers(answers []written, base int) (to packed.Writer) {
	slices.SortFunc(answers, func(a, b written) int {
		return cmp.Or(cmp.Compare(a.prompt, b.prompt), cmp.Compare(a.sample, b.sample))
	})
	to.Number(len(answers))
	before := 0
	for _, a := range answers {
		to.Number(a.prompt-before, a.sample, a.asked-base)
		to = append(to, a.rest...)
		before = a.prompt
	}
	return to
}
