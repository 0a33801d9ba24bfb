package chatpage

import (
	"strings"

	"golang.org/x/net/html"
)

// part is a set of roles that an element of a page can have.
type part uint32

// The parts of a page: the fields of Layout and the cards of cards.go.
const (
	partUser part = 1 << iota
	partAsked
	partTurn
	partMessage
	partBody
	partAside
	partWidget
	partIgnored
	partNotice
	partChip
	partNote
	partSources
	partModel
	partQueries
	partMapQueries
	partRelated
	partImage
	partFormula
	partEntity
	partCarousel
	partProduct
	partInlineProduct
	partPlace
	partVideo
	partAd
)

// partMarks finds the parts of an element with a few map lookups, however many marks there are. So
// reading a page is cheap compared with parsing it.
type partMarks struct {
	names   map[string]part
	classes map[string]part
	values  map[string]*valueMarks // by attribute
}

// valueMarks finds the parts of an element by the value of one attribute.
type valueMarks struct {
	any     part // for any value
	exact   map[string]part
	endings []ending // used if no exact value matches
}

type ending struct {
	text string
	is   part
}

// notices mark messages and tools of the site inside an answer, such as "link copied" or a dialog to
// share the answer. They are marked for screen readers in the same way on all sites.
const notices = "[role=dialog] [role=alertdialog] [role=alert] [role=status] [role=toolbar] [aria-live=polite] [aria-live=assertive] " +
	"dialog g-dialog g-snackbar g-bubble"

func compileMarks(layout Layout) partMarks {
	m := partMarks{names: map[string]part{}, classes: map[string]part{}, values: map[string]*valueMarks{}}
	for is, list := range map[part]string{
		partUser: layout.User, partAsked: layout.Asked, partTurn: layout.Turn, partMessage: layout.Message, partBody: layout.Body,
		partAside: layout.Aside, partWidget: layout.Widget, partIgnored: layout.Ignored, partNotice: notices,
		partChip: layout.Chip, partNote: layout.Note, partSources: layout.Sources,
		partModel: layout.Model, partQueries: layout.Queries, partMapQueries: layout.MapQueries,
		partRelated: layout.Related, partImage: layout.Image,
	} {
		for mark := range strings.FieldsSeq(list) {
			m.add(mark, is)
		}
	}
	if layout.Formula != "" {
		m.addValue(layout.Formula, "", partFormula)
	}
	for name, is := range cards {
		m.addValue(layout.Field, name, is)
	}
	return m
}

func (m *partMarks) add(mark string, is part) {
	inner, isAttribute := strings.CutPrefix(mark, "[")
	inner, closed := strings.CutSuffix(inner, "]")
	switch {
	case isAttribute && closed:
		attribute, value, _ := strings.Cut(inner, "=")
		value = strings.Trim(value, `"`)
		if attribute, ok := strings.CutSuffix(attribute, "$"); ok {
			values := m.valuesOf(attribute)
			values.endings = append(values.endings, ending{value, is})
			return
		}
		m.addValue(attribute, value, is)
	case strings.HasPrefix(mark, "."):
		m.classes[mark[1:]] |= is
	case strings.ContainsAny(mark, "[]=.#>:*"):
		panic("chatpage: invalid mark " + mark)
	default:
		m.names[mark] |= is
	}
}

func (m *partMarks) addValue(attribute, value string, is part) {
	values := m.valuesOf(attribute)
	if value == "" {
		values.any |= is
		return
	}
	values.exact[value] |= is
}

func (m *partMarks) valuesOf(attribute string) *valueMarks {
	if m.values[attribute] == nil {
		m.values[attribute] = &valueMarks{exact: map[string]part{}}
	}
	return m.values[attribute]
}

// of returns the parts that the element is.
func (m *partMarks) of(n *html.Node) part {
	is := m.names[n.Data]
	for i := range n.Attr {
		a := &n.Attr[i]
		if a.Key == "class" && len(m.classes) > 0 {
			for class := range strings.FieldsSeq(a.Val) {
				is |= m.classes[class]
			}
		}
		if values := m.values[a.Key]; values != nil {
			is |= values.of(a.Val)
		}
	}
	return is
}

func (v *valueMarks) of(value string) part {
	if is := v.exact[value]; is != 0 {
		return v.any | is
	}
	is := v.any
	for _, e := range v.endings {
		if strings.HasSuffix(value, e.text) {
			is |= e.is
		}
	}
	return is
}
