package reanalysis

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/store/analysing"
	"earshot/internal/track/analysis"
	"earshot/internal/track/definition"
	"earshot/internal/track/mention"
)

const (
	// movedBatch is the number of answers that are read at a time.
	movedBatch = 1000
	// movedStep is the number of answers that are compared before other work gets its turn.
	movedStep = 100_000
	// maxMoves is the largest number of unfinished reports.
	maxMoves = 64
)

// moves contains the unfinished reports of pending rules. They exist only in memory: after a
// restart or on another node, a report starts from the beginning.
type moves struct {
	mu         sync.Mutex
	unfinished map[definition.VersionKey]*movement
}

// movement counts the answers in which new rules find other brands.
type movement struct {
	before, after side
	brands        []earshot.MovedBrand // the brands of both panels
	answers       int                  // compared answers
	cursor        string               // the last compared answer
}

// side contains the brands that the old or the new rules find in an answer.
type side struct {
	indices []int  // indices of the panel's brands in movement.brands
	names   []bool // which of movement.brands the answer names
	found   analysis.Analysis
}

// newMovement merges the brands of two panels, the brands of the new panel first.
func newMovement(before, after *analysis.Panel) *movement {
	m := &movement{cursor: uuid.Nil.String()}
	index := func(name string) int {
		at := slices.IndexFunc(m.brands, func(b earshot.MovedBrand) bool { return b.Brand == name })
		if at < 0 {
			at = len(m.brands)
			m.brands = append(m.brands, earshot.MovedBrand{Brand: name})
		}
		return at
	}
	for _, brand := range after.Brands {
		m.after.indices = append(m.after.indices, index(brand.Name))
	}
	for _, brand := range before.Brands {
		m.before.indices = append(m.before.indices, index(brand.Name))
	}
	m.before.names, m.after.names = make([]bool, len(m.brands)), make([]bool, len(m.brands))
	return m
}

// read sets the brands that an answer names.
func (d *side) read(content []byte) error {
	if err := d.found.Decode(content); err != nil {
		return err
	}
	clear(d.names)
	for _, found := range d.found.Mentions {
		if found.Kind != mention.Absent && found.Brand < len(d.indices) {
			d.names[d.indices[found.Brand]] = true
		}
	}
	return nil
}

// add compares the analyses of an answer by the old and the new rules.
func (m *movement) add(answer string, was, is []byte) error {
	if err := m.before.read(was); err != nil {
		return err
	}
	if err := m.after.read(is); err != nil {
		return err
	}
	m.answers++
	m.cursor = answer
	for i := range m.brands {
		brand, before, after := &m.brands[i], m.before.names[i], m.after.names[i]
		if before {
			brand.AnswersBefore++
		}
		if after {
			brand.AnswersAfter++
		}
		if after && !before {
			brand.Gained++
		}
		if before && !after {
			brand.Lost++
		}
	}
	return nil
}

// report returns the report as rules store it.
func (m *movement) report() ([]byte, error) {
	for i := range m.brands {
		brand := &m.brands[i]
		all := float64(max(1, m.answers))
		brand.VisibilityBefore, brand.VisibilityAfter = float64(brand.AnswersBefore)/all, float64(brand.AnswersAfter)/all
	}
	text, err := json.Marshal(earshot.List[earshot.MovedBrand](m.brands))
	if err != nil {
		return nil, fmt.Errorf("encode the report of moved brands: %w", err)
	}
	return text, nil
}

// reportMoved continues the report of pending rules, sets it when it is complete, and reports
// whether it is. Rules without current rules before them get no report.
func (s *Analyser) reportMoved(ctx context.Context, r *analysing.Rules, panel *analysis.Panel) (done bool, err error) {
	all, err := s.analyses.Rules(ctx, r.Organization, r.Tracker)
	if err != nil {
		return false, err
	}
	i := slices.IndexFunc(all, func(known *analysing.Rules) bool {
		return known.State == analysing.RulesCurrent && known.Version < r.Version
	})
	if i < 0 {
		return true, nil
	}
	before, err := s.panels.Panel(all[i])
	if err != nil {
		return true, nil // the old rules cannot be compiled, so there is nothing to compare
	}
	key := definition.VersionKey{Tracker: r.Tracker, Version: r.Version}
	s.moves.mu.Lock()
	defer s.moves.mu.Unlock()
	m := s.moves.unfinished[key]
	if m == nil {
		if len(s.moves.unfinished) >= maxMoves {
			clear(s.moves.unfinished) // most were replaced, or finished by another node
		}
		m = newMovement(before, panel)
		s.moves.unfinished[key] = m
	}
	for stop := m.answers + movedStep; m.answers < stop; {
		counted := m.answers
		if err := s.analyses.AnalysedTwice(ctx, all[i], r, m.cursor, movedBatch, m.add); err != nil {
			delete(s.moves.unfinished, key)
			return false, err
		}
		if m.answers < counted+movedBatch {
			delete(s.moves.unfinished, key)
			r.Report, err = m.report()
			return err == nil, err
		}
	}
	s.wake()
	return false, nil
}
