package reanalysis

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/store/analysing"
	"earshot/internal/track/analysis"
	"earshot/internal/track/mention"
)

const (
	// movedBatch is the number of answers that are read at a time.
	movedBatch = 1000
	// movedStep is the number of answers that a step compares.
	movedStep = 20_000
)

// movement counts the answers in which new rules find other brands. It is stored between steps.
type movement struct {
	Before  int // version of the rules that the new ones replace
	Cursor  string
	Answers int                  // compared answers
	Brands  []earshot.MovedBrand // of both panels
}

// side contains the brands that the old or the new rules find in an answer.
type side struct {
	indices []int  // indices of the panel's brands in movement.Brands
	names   []bool // which of movement.Brands the answer names
	found   analysis.Analysis
}

// side adds the brands of a panel to the movement.
func (m *movement) side(panel *analysis.Panel) *side {
	d := &side{}
	for _, brand := range panel.Brands {
		at := slices.IndexFunc(m.Brands, func(b earshot.MovedBrand) bool { return b.Brand == brand.Name })
		if at < 0 {
			at = len(m.Brands)
			m.Brands = append(m.Brands, earshot.MovedBrand{Brand: brand.Name})
		}
		d.indices = append(d.indices, at)
	}
	return d
}

// read sets the brands that an answer names.
func (d *side) read(content []byte, brands int) error {
	if err := d.found.Decode(content); err != nil {
		return err
	}
	d.names = make([]bool, brands)
	for _, found := range d.found.Mentions {
		if found.Kind != mention.Absent && found.Brand < len(d.indices) {
			d.names[d.indices[found.Brand]] = true
		}
	}
	return nil
}

// add counts an answer that both sides have read.
func (m *movement) add(before, after []bool) {
	m.Answers++
	for i := range m.Brands {
		brand := &m.Brands[i]
		if before[i] {
			brand.AnswersBefore++
		}
		if after[i] {
			brand.AnswersAfter++
		}
		if after[i] && !before[i] {
			brand.Gained++
		}
		if before[i] && !after[i] {
			brand.Lost++
		}
	}
}

// report returns the report as rules store it.
func (m *movement) report() ([]byte, error) {
	for i := range m.Brands {
		brand := &m.Brands[i]
		all := float64(max(1, m.Answers))
		brand.VisibilityBefore, brand.VisibilityAfter = float64(brand.AnswersBefore)/all, float64(brand.AnswersAfter)/all
	}
	text, err := json.Marshal(earshot.List[earshot.MovedBrand](m.Brands))
	if err != nil {
		return nil, fmt.Errorf("encode the report of moved brands: %w", err)
	}
	return text, nil
}

// reportMoved continues the report of pending rules, sets it when it is complete, and reports
// whether it is. Rules without current rules before them get no report.
func (s *Analyser) reportMoved(ctx context.Context, live []*analysing.Rules, r *analysing.Rules, panel *analysis.Panel, p *progress) (done bool, err error) {
	i := slices.IndexFunc(live, func(known *analysing.Rules) bool {
		return known.State == analysing.RulesCurrent && known.Version < r.Version
	})
	if i < 0 {
		return true, nil
	}
	replaced, err := s.panels.Panel(live[i])
	if err != nil {
		return true, nil //nolint:nilerr // the old rules cannot be compiled, so there is nothing to compare
	}
	m := p.Moved
	if m == nil || m.Before != live[i].Version {
		m = &movement{Before: live[i].Version, Cursor: uuid.Nil.String()}
		p.Moved = m
	}
	after, before := m.side(panel), m.side(replaced)
	for stop := m.Answers + movedStep; m.Answers < stop; {
		counted := m.Answers
		err := s.analyses.AnalysedTwice(ctx, live[i], r, m.Cursor, movedBatch, func(answer string, was, is []byte) error {
			if err := before.read(was, len(m.Brands)); err != nil {
				return err
			}
			if err := after.read(is, len(m.Brands)); err != nil {
				return err
			}
			m.add(before.names, after.names)
			m.Cursor = answer
			return nil
		})
		if err != nil {
			return false, err
		}
		if m.Answers < counted+movedBatch {
			r.Report, err = m.report()
			return err == nil, err
		}
	}
	return false, nil
}
