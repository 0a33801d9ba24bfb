package aggregate

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"math"
	"slices"

	"github.com/google/uuid"

	"earshot/internal/store"
	"earshot/internal/store/tracking"
	"earshot/internal/track/metric"
	"earshot/internal/track/packed"
)

// keptSheet is a sheet of a sweep, as it is stored: packed, and with the number of its
// target.
type keptSheet struct {
	target   int
	surface  string
	answers  int
	contents string // groups or cells
}

// sheetsFormat is the first byte of stored sheets. What was stored in another is not read,
// but made anew.
const sheetsFormat = 3

// errSheets is what is said of stored sheets that cannot be read.
var errSheets = errors.New("the sheets of a tally are damaged")

func packSheets(sheets []keptSheet) []byte {
	w := packed.Writer{sheetsFormat}
	w.Number(len(sheets))
	for _, s := range sheets {
		w.Number(s.target, s.answers)
		w.Text(s.surface)
		w.Text(s.contents)
	}
	return w
}

func unpackSheets(stored []byte) ([]keptSheet, error) {
	if len(stored) == 0 || stored[0] != sheetsFormat {
		return nil, errSheets
	}
	r := packed.NewReader(string(stored[1:]))
	sheets := make([]keptSheet, r.Count())
	for i := range sheets {
		s := &sheets[i]
		s.target, s.answers = r.Number(), r.Number()
		s.surface = r.Text(r.Number())
		s.contents = r.Text(r.Number())
	}
	if !r.Done() {
		return nil, errSheets
	}
	return sheets, nil
}

// weightsHash tells apart weights of the questions that a plan asks.
func weightsHash(asked []int, weights map[int]float64) int64 {
	hash := fnv.New64a()
	for _, prompt := range slices.Sorted(slices.Values(asked)) {
		var one [16]byte
		binary.LittleEndian.PutUint64(one[:8], uint64(prompt))
		binary.LittleEndian.PutUint64(one[8:], math.Float64bits(weights[prompt]))
		_, _ = hash.Write(one[:]) // a hash takes all
	}
	return int64(hash.Sum64())
}

// spanDays are the lengths of the ranges of days whose cells are kept together, where a
// tracker has many.
var spanDays = []int{64, 16, 4}

// sweepIDs are the ids of sweeps, as a range of days keeps them: after the format of its
// cells, so that one in another format is none of these sweeps.
func sweepIDs(sweeps []*tracking.Sweep) []byte {
	all := []byte{sheetsFormat}
	for _, sweep := range sweeps {
		id := uuid.MustParse(sweep.ID) // as it is stored
		all = append(all, id[:]...)
	}
	return all
}

// ranges are sweeps by the range of days that they were due in.
func ranges(sweeps []*tracking.Sweep, days int) map[int][]*tracking.Sweep {
	found := map[int][]*tracking.Sweep{}
	for _, sweep := range sweeps {
		number := tracking.Range(sweep.DueAt, days)
		found[number] = append(found[number], sweep)
	}
	return found
}

// tallyStep is how many answers are added up before other work has its turn.
const tallyStep = 50_000

// tallyJob asks for the tallies of rules that a reader did not find.
type tallyJob struct{ rules *tracking.Rules }

// wantTallies has the tallies of rules made soon, for those who read them next.
func (s *Counter) wantTallies(r *tracking.Rules) {
	select {
	case s.untallied <- tallyJob{r}:
		s.wake()
	default: // many are asked for already; tidy finds the rest
	}
}

// TallyNext makes tallies that a reader has asked for.
func (s *Counter) TallyNext(ctx context.Context) error {
	select {
	case job := <-s.untallied:
		_, err := s.TallyRules(ctx, job.rules)
		return err
	default:
		return nil
	}
}

// TallyAll makes the tallies that are missing.
func (s *Counter) TallyAll(ctx context.Context) error {
	all, err := s.store.RulesToTally(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, r := range all {
		for done := false; !done && ctx.Err() == nil; {
			if done, err = s.TallyRules(ctx, r); err != nil {
				errs = append(errs, err)
				break
			}
		}
	}
	return errors.Join(errs...)
}

// TallyClosed makes the tallies of a sweep that was just closed. Those of pending rules
// are made before these take over.
func (s *Counter) TallyClosed(ctx context.Context, t *tracking.Tracker) error {
	all, err := s.store.Rules(ctx, t.Organization, t.ID)
	if err != nil {
		return err
	}
	for _, r := range all {
		if r.State == tracking.RulesCurrent {
			s.wantTallies(r)
		}
	}
	return nil
}

// TallyRules makes some of the tallies that rules do not have yet, or have by other
// weights, and those of ranges of days. It reports whether that was all.
func (s *Counter) TallyRules(ctx context.Context, r *tracking.Rules) (done bool, err error) {
	t, err := s.store.TrackerByID(ctx, r.Organization, r.Tracker)
	if err != nil {
		return true, ignoreGone(err)
	}
	h, err := s.Closed(ctx, t, r)
	if err != nil {
		return true, err
	}
	answers := 0
	for _, sweep := range h.All {
		if answers > tallyStep {
			s.wantTallies(r)
			return false, nil
		}
		if sweep.Pruned {
			continue
		}
		if sweep.Facts == nil {
			if err := s.NoteFacts(ctx, sweep); err != nil {
				return true, err
			}
		}
		if sweep.Answered == 0 || h.fresh(sweep) {
			continue
		}
		answers += sweep.Answered
		if err := s.tallySweep(ctx, h, sweep); err != nil {
			return true, err
		}
	}
	if answers > 0 {
		s.log.Debug("sweeps are added up", "tracker", t.Name, "rules", r.Version, "answers", answers)
	}
	return true, errors.Join(s.tallySpans(ctx, h), s.noteNoise(ctx, h))
}

func ignoreGone(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// tallySweep adds up the answers of a sweep: from its cells where these are kept, else
// from its analyses.
func (s *Counter) tallySweep(ctx context.Context, h *ClosedSweeps, sweep *tracking.Sweep) error {
	b := &Aggregate{Tracker: h.tracker, Rules: h.rules, Panel: h.panel, Zone: h.zone, Sweeps: []*tracking.Sweep{sweep}, need: Options{later: true}}
	if err := s.fill(ctx, b, h); err != nil {
		return err
	}
	tally := &tracking.Tally{
		Organization: h.tracker.Organization, Tracker: h.tracker.ID, Rules: h.rules.Version, Sweep: sweep.ID, Weights: h.asked[sweep.Version].weights,
	}
	var sums, cells []keptSheet
	for target, surfaces := range b.keys {
		for surface, key := range surfaces {
			sheet, ok := b.Sheet(sweep.ID, key)
			if !ok {
				continue
			}
			n := 0
			for _, g := range sheet.Groups {
				n += g.Tally.Eligible
			}
			tally.Answers += n
			sums = append(sums, keptSheet{target, surface, n, metric.PackGroups(sheet.Groups)})
			cells = append(cells, keptSheet{target, surface, n, sheet.Cells})
		}
	}
	if tally.Answers != sweep.Answered {
		// Some are gone, which a version before this one did not note.
		return s.store.Prune(sweep)
	}
	for _, sheets := range [][]keptSheet{sums, cells} {
		slices.SortFunc(sheets, func(a, b keptSheet) int {
			return cmp.Or(cmp.Compare(a.target, b.target), cmp.Compare(a.surface, b.surface))
		})
	}
	tally.Sums, tally.Cells = packSheets(sums), packSheets(cells)
	return s.store.SaveTally(tally)
}

// tallySpans keeps the cells of ranges of days together, for a tracker that has many.
func (s *Counter) tallySpans(ctx context.Context, h *ClosedSweeps) error {
	answers := Submitted(h.All)
	if answers <= maxWhole && weightOf(answers, h.panel) <= maxHeavy {
		return nil
	}
	known, err := s.store.TallySpans(ctx, h.rules)
	if err != nil {
		return err
	}
	for _, span := range h.missingSpans(known) {
		if err := s.tallySpan(ctx, h, span); err != nil {
			return err
		}
	}
	return nil
}

// missingSpans are the ranges of days that are over and whose sweeps are all added up, but
// not together.
func (h *ClosedSweeps) missingSpans(known []*tracking.TallySpan) (missing []sweepRange) {
	if len(h.All) == 0 {
		return nil
	}
	stored := map[[2]int]string{}
	for _, span := range known {
		stored[[2]int{span.Days, span.Number}] = string(span.Sweeps)
	}
	newest := h.All[len(h.All)-1].DueAt
	for _, days := range spanDays {
		for number, sweeps := range ranges(h.All, days) {
			over := tracking.Range(newest, days) > number
			open := slices.ContainsFunc(sweeps, func(sweep *tracking.Sweep) bool {
				return sweep.Pruned || sweep.Answered > 0 && h.tallies[sweep.ID] == nil
			})
			if over && !open && len(sweeps) > 1 && stored[[2]int{days, number}] != string(sweepIDs(sweeps)) {
				missing = append(missing, sweepRange{days, number, sweeps})
			}
		}
	}
	return missing
}

// sweepRange are the sweeps that were due in a range of days.
type sweepRange struct {
	days, number int
	sweeps       []*tracking.Sweep
}

func (s *Counter) tallySpan(ctx context.Context, h *ClosedSweeps, of sweepRange) error {
	var names []string
	for _, sweep := range of.sweeps {
		names = append(names, sweep.ID)
	}
	cells, err := s.store.TallyCells(ctx, h.rules, names)
	if err != nil {
		return err
	}
	type place struct {
		target  int
		surface string
	}
	parts := map[place][]string{}
	var order []place
	for _, name := range names {
		if cells[name] == nil {
			continue
		}
		sheets, err := unpackSheets(cells[name])
		if err != nil {
			return err
		}
		for _, sheet := range sheets {
			at := place{sheet.target, sheet.surface}
			if parts[at] == nil {
				order = append(order, at)
			}
			parts[at] = append(parts[at], sheet.contents)
		}
	}
	var merged []keptSheet
	for _, at := range order {
		all, err := metric.MergeCells(parts[at], len(h.panel.Brands))
		if err != nil {
			return err
		}
		merged = append(merged, keptSheet{target: at.target, surface: at.surface, contents: all})
	}
	return s.store.SaveTallySpan(&tracking.TallySpan{
		Organization: h.tracker.Organization, Tracker: h.tracker.ID, Rules: h.rules.Version, Days: of.days, Number: of.number, Sweeps: sweepIDs(of.sweeps), Cells: packSheets(merged),
	}, names)
}
