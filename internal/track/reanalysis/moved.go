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

// addBrands adds the brands of a panel that the movement does not have yet.
func (m *movement) addBrands(panel *analysis.Panel) {
	for _, brand := range panel.Brands {
		if !slices.ContainsFunc(m.Brands, func(b earshot.MovedBrand) bool { return b.Brand == brand.Name }) {
			m.Brands = append(m.Brands, earshot.MovedBrand{Brand: brand.Name})
		}
	}
}

// named returns the brands of a panel that an answer with this analysis names.
func named(panel *analysis.Panel, content []byte) (map[string]bool, error) {
	var answer analysis.Analysis
	names, err := map[string]bool{}, answer.Decode(content)
	for _, found := range answer.Mentions {
		if found.Kind != mention.Absent && found.Brand < len(panel.Brands) {
			names[panel.Brands[found.Brand].Name] = true
		}
	}
	return names, err
}

// add counts an answer that names these brands.
func (m *movement) add(answer string, before, after map[string]bool) {
	m.Answers++
	m.Cursor = answer
	for i := range m.Brands {
		brand := &m.Brands[i]
		was, is := before[brand.Brand], after[brand.Brand]
		if was {
			brand.AnswersBefore++
		}
		if is {
			brand.AnswersAfter++
		}
		if is && !was {
			brand.Gained++
		}
		if was && !is {
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
		m.addBrands(panel)
		m.addBrands(replaced)
		p.Moved = m
	}
	for stop := m.Answers + movedStep; m.Answers < stop; {
		counted := m.Answers
		err := s.analyses.AnalysedTwice(ctx, live[i], r, m.Cursor, movedBatch, func(answer string, was, is []byte) error {
			before, err := named(replaced, was)
			if err != nil {
				return err
			}
			after, err := named(panel, is)
			m.add(answer, before, after)
			return err
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
