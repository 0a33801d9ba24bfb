package prometheus

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Page is what is shown of all metrics. Its zero value has none.
type Page struct {
	families map[string]*family // by the name of the metric
}

// family is what is shown of one metric.
type family struct {
	metric *Metric
	parts  []string // of one line or, for a histogram, of several
}

// Add shows a value of a metric.
func (p *Page) Add(m *Metric, value float64, labels ...string) {
	p.add(m, line(m.name, m.labels, labels, value))
}

func (p *Page) add(m *Metric, lines ...string) {
	if p.families == nil {
		p.families = map[string]*family{}
	}
	f, ok := p.families[m.name]
	if !ok {
		f = &family{metric: m}
		p.families[m.name] = f
	}
	f.parts = append(f.parts, strings.Join(lines, ""))
}

// histogram shows how many values there are up to each bound.
func (p *Page) histogram(m *Metric, labels []string, bounds []float64, s *sizes) {
	var lines []string
	var count uint64
	for i, n := range s.counts {
		count += n
		bound := math.Inf(1)
		if i < len(bounds) {
			bound = bounds[i]
		}
		lines = append(lines, line(m.name+"_bucket", append(slices.Clip(m.labels), "le"), append(slices.Clip(labels), number(bound)), float64(count)))
	}
	p.add(m, append(lines,
		line(m.name+"_sum", m.labels, labels, s.sum),
		line(m.name+"_count", m.labels, labels, float64(count)))...)
}

// summary shows quantiles in equal steps from 0 to 1.
func (p *Page) summary(m *Metric, quantiles []float64, sum float64, count int64) {
	var lines []string
	for i, q := range quantiles {
		lines = append(lines, line(m.name, []string{"quantile"}, []string{number(float64(i) / float64(len(quantiles)-1))}, q))
	}
	p.add(m, append(lines, line(m.name+"_sum", nil, nil, sum), line(m.name+"_count", nil, nil, float64(count)))...)
}

// text is the page, in the same order each time.
func (p *Page) text() []byte {
	var b bytes.Buffer
	names := make([]string, 0, len(p.families))
	for name := range p.families {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		f := p.families[name]
		b.WriteString("# HELP " + name + " " + inHelp.Replace(f.metric.help) + "\n# TYPE " + name + " " + f.metric.kind + "\n")
		slices.Sort(f.parts)
		for _, part := range f.parts {
			b.WriteString(part)
		}
	}
	return b.Bytes()
}

var (
	inHelp  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	inLabel = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

func line(name string, labels, values []string, value float64) string {
	var b strings.Builder
	b.WriteString(name)
	before := "{"
	for i, label := range labels {
		b.WriteString(before + label + `="` + inLabel.Replace(strings.ToValidUTF8(values[i], "�")) + `"`)
		before = ","
	}
	if len(labels) > 0 {
		b.WriteByte('}')
	}
	b.WriteString(" " + number(value) + "\n")
	return b.String()
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
