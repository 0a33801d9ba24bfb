package numbers

import (
	"strings"
	"time"

	"earshot"
	"earshot/internal/track/aggregate"
	"earshot/internal/track/cited"
	"earshot/internal/track/metric"
)

// sourceNames numbers sources in the order in which they first appear.
type sourceNames struct {
	by     string // domain, url or type
	names  []string
	number map[string]int32
}

func (n *sourceNames) of(name string) int32 {
	i, known := n.number[name]
	if !known {
		i, name = int32(len(n.names)), strings.Clone(name)
		n.number[name], n.names = i, append(n.names, name)
	}
	return i
}

// noSource is the number of a source without a type.
const noSource = -1

// sourceSheet is a sheet whose sources have numbers instead of names.
type sourceSheet struct {
	*cited.Sheet
	sources []int32 // by index of the source
	names   []int32 // by index of the name; nil if sources are types
}

// in numbers the sources of a sheet and trims it.
func (n *sourceNames) in(sheet *cited.Sheet) sourceSheet {
	defer sheet.Trim()
	s := sourceSheet{Sheet: sheet, sources: make([]int32, len(sheet.Sources))}
	if n.by == "type" {
		for i, source := range sheet.Sources {
			if s.sources[i] = noSource; sheet.Types[source.Type] != "" {
				s.sources[i] = n.of(sheet.Types[source.Type])
			}
		}
		return s
	}
	for _, name := range sheet.Names {
		s.names = append(s.names, n.of(name))
	}
	for i, source := range sheet.Sources {
		s.sources[i] = s.names[source.Name]
	}
	return s
}

// sourcePeriod contains the sheets of the sweeps of an aggregate, and the cuts of a query.
type sourcePeriod struct {
	*aggregate.Aggregate
	sheets []sourceSheet
	cuts   []*metric.SourceCut
}

// each calls open for the answers of each target and surface in each sweep that belong to a cut,
// and the function that open returns, unless it is nil, for each answer.
func (p *sourcePeriod) each(open func(c *metric.SourceCut, k cited.Key, sweep string, s *sourceSheet) func(*cited.Answer, metric.Place)) error {
	for i, sweep := range p.Sweeps {
		if p.sheets[i].Sheet == nil { // a sweep without answers
			continue
		}
		err := p.sheets[i].Each(func(k cited.Key) func(*cited.Answer) {
			for _, c := range p.cuts {
				places := c.Places(sweep.ID, p.TargetKey(k))
				if places == nil {
					continue
				}
				use := open(c, k, sweep.ID, &p.sheets[i])
				if use == nil {
					return nil
				}
				return func(a *cited.Answer) {
					if a.Prompt < len(places) && places[a.Prompt].Cell != 0 {
						use(a, places[a.Prompt])
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// labelCounts contains the counts of sources on the targets of a label.
type labelCounts struct {
	retrieved, cited earshot.AnswerShare // without a source
	sources          []sourceCount       // by number of the source
}

// sourceCount contains the counts of one source. It is small, because a large tracker has more
// than a million sources.
type sourceCount struct {
	citations                 int32 // each URL once per answer
	answers, retrieved, cited int32
	mentions                  []int // by brand, in sentences that cite the source
}

// sourceDetail contains what only the listed sources of a cut need.
type sourceDetail struct {
	citations   []int32 // by position in the cut
	first, last time.Time
	example     sourceExample
}

// add adds the use of a source in an answer. The example is the newest answer that cites it.
func (d *sourceDetail) add(a *cited.Answer, used cited.Used, at metric.Place, k cited.Key, sweep string) {
	d.citations[at.Cell] += int32(used.Citations)
	d.citations[at.Group] += int32(used.Citations)
	if d.first.IsZero() || a.AskedAt.Before(d.first) {
		d.first = a.AskedAt
	}
	if a.AskedAt.After(d.last) {
		d.last = a.AskedAt
	}
	if used.IsCited && !a.AskedAt.Before(d.example.at) {
		d.example = sourceExample{sweep, a.Prompt, k.Target, a.Sample, a.AskedAt}
	}
}

// sourceExample identifies an answer.
type sourceExample struct {
	sweep                  string
	prompt, target, sample int
	at                     time.Time
}

const (
	sourceSeen = 1 << iota
	sourceRead
	sourceCited
)

// counter counts the sources of answers for one label after another.
type counter struct {
	names   *sourceNames
	brands  int     // 0: mentions are not counted
	marks   []uint8 // of the sources of an answer, by number
	touched []int32 // the sources with marks
}

// in returns a function that counts the answers of a target.
func (c *counter) in(into *labelCounts, s *sourceSheet) func(*cited.Answer, metric.Place) {
	if more := len(c.names.names) - len(into.sources); more > 0 {
		into.sources = append(into.sources, make([]sourceCount, more)...)
	}
	if more := len(c.names.names) - len(c.marks); more > 0 {
		c.marks = append(c.marks, make([]uint8, more)...)
	}
	return func(a *cited.Answer, _ metric.Place) {
		report(&into.retrieved, a.NoSources)
		report(&into.cited, a.NoCited)
		c.mark(into, s, a)
		for _, source := range c.touched {
			into.sources[source].add(c.marks[source])
			c.marks[source] = 0
		}
		c.countMentions(into, s, a)
	}
}

// mark marks the sources of an answer and counts its citations.
func (c *counter) mark(into *labelCounts, s *sourceSheet, a *cited.Answer) {
	c.touched = c.touched[:0]
	for _, used := range a.Sources {
		source := s.sources[used.Index]
		if source == noSource {
			continue
		}
		if c.marks[source] == 0 {
			c.touched = append(c.touched, source)
		}
		c.marks[source] |= sourceSeen
		if used.IsRead {
			c.marks[source] |= sourceRead
		}
		if used.IsCited {
			c.marks[source] |= sourceCited
		}
		into.sources[source].citations += int32(used.Citations)
	}
}

func (c *counter) countMentions(into *labelCounts, s *sourceSheet, a *cited.Answer) {
	if s.names == nil || c.brands == 0 {
		return
	}
	for _, m := range a.Mentions {
		n := &into.sources[s.names[m.Name]]
		if n.mentions == nil {
			n.mentions = make([]int, c.brands)
		}
		n.mentions[m.Brand]++
	}
}

func (n *sourceCount) add(marks uint8) {
	n.answers++
	if marks&sourceRead != 0 {
		n.retrieved++
	}
	if marks&sourceCited != 0 {
		n.cited++
	}
}

// report counts whether an answer reports a property.
func report(s *earshot.AnswerShare, missing metric.Reason) {
	switch missing {
	case "":
		s.Of++
	case metric.NotRequested:
		s.NotRequested++
	default:
		s.NotOffered++
	}
}
