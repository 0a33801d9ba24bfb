package reanalysis

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/store/tracking"
	"earshot/internal/track/analysis"
	"earshot/internal/track/definition"
	"earshot/internal/track/mention"
)

const (
	// movedBatch is how many answers are compared together, movedStep how many before other
	// work has its turn.
	movedBatch = 1000
	movedStep  = 100_000
	// maxMoves is how many reports under way are kept.
	maxMoves = 64
)

// moves are how far the reports of rules are that are about to take over, by tracker and
// version. A node that is stopped loses its own, and whoever goes on counts anew.
type moves struct {
	mu   sync.Mutex
	kept map[definition.VersionKey]*movement
}

// movement counts what new rules change.
type movement struct {
	before, after side
	brands        []earshot.MovedBrand
	answers       int    // that were compared
	cursor        string // the last of them
}

// side is what is found by the rules before, or by the new ones.
type side struct {
	places []int  // of the panel's brands, among all
	names  []bool // which of all brands the last answer names
	found  analysis.Found
}

// newMovement lines up the brands of two panels: those of the new one first.
func newMovement(before, after *analysis.Panel) *movement {
	m := &movement{cursor: uuid.Nil.String()}
	place := func(name string) int {
		at := slices.IndexFunc(m.brands, func(b earshot.MovedBrand) bool { return b.Brand == name })
		if at < 0 {
			at = len(m.brands)
			m.brands = append(m.brands, earshot.MovedBrand{Brand: name})
		}
		return at
	}
	for _, brand := range after.Brands {
		m.after.places = append(m.after.places, place(brand.Name))
	}
	for _, brand := range before.Brands {
		m.before.places = append(m.before.places, place(brand.Name))
	}
	m.before.names, m.after.names = make([]bool, len(m.brands)), make([]bool, len(m.brands))
	return m
}

// read notes which brands an answer names.
func (d *side) read(content []byte) error {
	if err := d.found.Decode(content); err != nil {
		return err
	}
	clear(d.names)
	for _, found := range d.found.Mentions {
		if found.Kind != mention.Absent && found.Brand < len(d.places) {
			d.names[d.places[found.Brand]] = true
		}
	}
	return nil
}

// add counts an answer, by what was found in it before and is now.
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

// report is what moved, as rules keep it.
func (m *movement) report() ([]byte, error) {
	for i := range m.brands {
		brand := &m.brands[i]
		all := float64(max(1, m.answers))
		brand.VisibilityBefore, brand.VisibilityAfter = float64(brand.AnswersBefore)/all, float64(brand.AnswersAfter)/all
	}
	text, err := json.Marshal(earshot.List[earshot.MovedBrand](m.brands))
	if err != nil {
		return nil, fmt.Errorf("encode what moved: %w", err)
	}
	return text, nil
}

// noteMoved goes on with the report of rules that are about to take over, and tells
// whether it is complete. There is none where no other rules were in use.
func (s *Analyser) noteMoved(ctx context.Context, r *tracking.Rules, panel *analysis.Panel) (done bool, err error) {
	all, err := s.store.Rules(ctx, r.Organization, r.Tracker)
	if err != nil {
		return false, err
	}
	i := slices.IndexFunc(all, func(known *tracking.Rules) bool {
		return known.State == tracking.RulesCurrent && known.Version < r.Version
	})
	if i < 0 {
		return true, nil
	}
	before, err := s.panels.Panel(all[i])
	if err != nil {
		return true, nil // they found nothing, of which numbers tell why
	}
	key := definition.VersionKey{Tracker: r.Tracker, Version: r.Version}
	s.moves.mu.Lock()
	defer s.moves.mu.Unlock()
	m := s.moves.kept[key]
	if m == nil {
		if len(s.moves.kept) >= maxMoves {
			clear(s.moves.kept) // of rules that were replaced, or that another node finished
		}
		m = newMovement(before, panel)
		s.moves.kept[key] = m
	}
	for stop := m.answers + movedStep; m.answers < stop; {
		counted := m.answers
		if err := s.store.AnalysedTwice(ctx, all[i], r, m.cursor, movedBatch, m.add); err != nil {
			delete(s.moves.kept, key)
			return false, err
		}
		if m.answers < counted+movedBatch {
			delete(s.moves.kept, key)
			r.Report, err = m.report()
			return err == nil, err
		}
	}
	s.wake()
	return false, nil
}
