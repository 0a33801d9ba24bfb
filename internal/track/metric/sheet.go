package metric

import (
	"slices"
	"sync"

	"earshot/internal/track/cells"
)

// Family is a set of counts that are stored and read together.
type Family int

// The families: what answers name, the pages that they cite and retrieve, and other contents.
const (
	OfNames Family = iota
	OfPages
	OfContents

	families = 3
)

// AllFamilies lists the families.
var AllFamilies = []Family{OfNames, OfPages, OfContents}

// familyColumns are the counts of each family.
var familyColumns = func() (all [families]columns) {
	reported := func(n needs) columns { return (colReported | colNotRequested) << (n - 1) }
	all[OfNames] = colEligible | colInformative | colRefused | colPlain | colUnmarked | colNamed | colMentions | colSupported | colNamedUnpaid | colPositions | colListRanks
	all[OfPages] = colCitations | colOrganic | colAttached | colCited | colBrandCitations | colBoth | colRetrieved | colRetrievedPages | colCitedPages |
		colRetrievedOfBoth | colCitedOfBoth | colRanks | reported(needsSources) | reported(needsCited) | reported(needsSourcesCited)
	all[OfContents] = allColumns &^ all[OfNames] &^ all[OfPages]
	return all
}()

// Families returns the families that a query reads.
func (q Query) Families() []Family {
	reads := q.reads()
	return slices.DeleteFunc(slices.Clone(AllFamilies), func(f Family) bool { return reads&familyColumns[f] == 0 })
}

// The columns of a sheet: the counts of cells, then the counts and the places of each brand.
const (
	cellCounts  = 14 + 2*len(fieldSets)
	brandCounts = 14
	brandPlaces = 4
	ofBrand     = brandCounts + brandPlaces
)

// columnOf returns the index of a column in a sheet. bit is its position in columns.
func columnOf(bit, brand int) int {
	if bit < cellCounts {
		return bit
	}
	return bit + brand*ofBrand
}

// bits returns the columns of a set, as their positions.
func (f columns) bits() (all []int) {
	for bit := range cellCounts + ofBrand {
		if f&(1<<bit) != 0 {
			all = append(all, bit)
		}
	}
	return all
}

// sheet contains the counts of a target in a sweep.
type sheet struct {
	counted []*CellCounts // of answers, by prompt; nil if the counts are stored

	once    sync.Once // makes the columns of counted
	prompts []int32   // index of the prompt of each cell, ascending
	columns []cells.Column
	has     columns // of counts that are stored: the families that were added
}

// need panics if a query reads counts that its caller did not add.
func (s *sheet) need(wanted columns) {
	if s.counted == nil && wanted&^s.has != 0 {
		panic("a query reads counts of a family that was not added to the dataset")
	}
}

// AddCounts adds the counts of a target in a sweep, by prompt. The dataset keeps the slice.
func (b *Dataset) AddCounts(sweep, target string, counts []*CellCounts) error {
	index, err := b.target(target)
	at, closed := b.order[sweep]
	if err != nil || !closed {
		return err
	}
	for prompt := range counts {
		if !b.asked(at, prompt) {
			counts[prompt] = nil
		}
	}
	b.sheets[at][index] = &sheet{counted: counts}
	return nil
}

// read returns the sheet of a target in a sweep with its columns, or nil if it has no answers.
func (b *Dataset) read(at, target int) *sheet {
	s := b.sheets[at][target]
	if s != nil && s.counted != nil {
		s.once.Do(func() { s.makeColumns(len(b.def.Brands)) })
	}
	if s == nil || len(s.prompts) == 0 {
		return nil
	}
	return s
}

// makeColumns makes the columns of counted answers.
func (s *sheet) makeColumns(brands int) {
	s.prompts = nil
	var of []*CellCounts
	for prompt, c := range s.counted {
		if c != nil && c.Eligible > 0 {
			s.prompts, of = append(s.prompts, int32(prompt)), append(of, c)
		}
	}
	s.columns = make([]cells.Column, cellCounts+brands*ofBrand)
	counts := make([]int32, len(of))
	for i, count := range cellColumns {
		for cell, c := range of {
			counts[cell] = *count(c)
		}
		s.columns[i] = cells.NewColumn(slices.Clone(counts))
	}
	for brand := range brands {
		for i, count := range brandColumns {
			for cell, c := range of {
				counts[cell] = *count(&c.Brands[brand])
			}
			s.columns[columnOf(cellCounts+i, brand)] = cells.NewColumn(slices.Clone(counts))
		}
		for i, places := range placeColumns {
			lists := make([]cells.Places, len(of))
			for cell, c := range of {
				if c.Brands[brand].lists != nil {
					lists[cell] = *places(c.Brands[brand].lists)
				}
			}
			s.columns[columnOf(cellCounts+brandCounts+i, brand)] = cells.NewPlaces(lists)
		}
	}
}

// Stored are the counts of a target in a sweep in their stored form.
type Stored struct {
	Answers  int // eligible
	Families [families][]byte
}

// Store returns the counts of a target in a sweep in their stored form, or nil if it has no
// answers.
func (b *Dataset) Store(sweep, target string) *Stored {
	index, err := b.target(target)
	at, known := b.order[sweep]
	if err != nil || !known || b.read(at, index) == nil {
		return nil
	}
	s := b.read(at, index)
	numbers := make([]int, len(s.prompts))
	found := &Stored{}
	for cell, prompt := range s.prompts {
		numbers[cell] = b.number(int(prompt))
		found.Answers += int(s.columns[0].At(cell))
	}
	for f := range found.Families {
		var chosen []cells.Column
		for _, column := range columnsOf(Family(f), len(b.def.Brands)) {
			chosen = append(chosen, s.columns[column])
		}
		found.Families[f] = cells.Encode(numbers, chosen)
	}
	return found
}

// columnsOf returns the indexes of the columns of a family, in the order in which they are stored.
func columnsOf(f Family, brands int) (all []int) {
	bits := familyColumns[f].bits()
	for _, bit := range bits {
		if bit < cellCounts {
			all = append(all, bit)
		}
	}
	for brand := range brands {
		for _, bit := range bits {
			if bit >= cellCounts {
				all = append(all, columnOf(bit, brand))
			}
		}
	}
	return all
}

// AddStored adds a stored family of the counts of a target in a sweep. known are the brands of the
// rules by which they were counted; nil means the brands of the definition. The error is
// cells.ErrDamaged if that many answers cannot have these counts.
func (b *Dataset) AddStored(sweep, target string, f Family, answers int, stored []byte, known []string) error {
	index, err := b.target(target)
	at, closed := b.order[sweep]
	if err != nil || !closed {
		return err
	}
	set, columns, err := cells.Decode(stored)
	if err != nil {
		return err
	}
	prompts, err := b.promptsOf(set)
	if err != nil {
		return err
	}
	s := b.sheets[at][index]
	if s == nil {
		s = &sheet{prompts: prompts, columns: make([]cells.Column, cellCounts+len(b.def.Brands)*ofBrand)}
		b.sheets[at][index] = s
	}
	brands := len(b.def.Brands)
	if known != nil {
		brands = len(known)
	}
	all := columnsOf(f, brands)
	if len(all) != len(columns) || !slices.Equal(prompts, s.prompts) {
		return cells.ErrDamaged
	}
	for i, column := range all {
		if of := (column - cellCounts) / ofBrand; known != nil && column >= cellCounts {
			brand := slices.IndexFunc(b.def.Brands, func(p PanelBrand) bool { return p.Name == known[of] })
			if brand < 0 {
				continue // it is no longer a brand of the tracker
			}
			column += (brand - of) * ofBrand
		}
		s.columns[column] = columns[i]
	}
	s.has |= familyColumns[f]
	if f == OfNames {
		for cell := range prompts {
			answers -= int(s.columns[0].At(cell))
		}
		if answers != 0 {
			return cells.ErrDamaged
		}
	}
	return nil
}

// NumberPrompts sets the number that identifies each prompt in stored counts. The numbers must
// ascend. The default is the index of the prompt.
func (b *Dataset) NumberPrompts(numbers []int) { b.numberOf = numbers }

// number returns the number of a prompt.
func (b *Dataset) number(prompt int) int {
	if b.numberOf == nil {
		return prompt
	}
	return b.numberOf[prompt]
}

// promptsOf returns the indexes of the prompts of a stored set, which most sweeps share.
func (b *Dataset) promptsOf(set string) (prompts []int32, err error) {
	if known, isKnown := b.sets[set]; isKnown {
		return known, nil
	}
	for _, number := range cells.Prompts(set) {
		prompt, isKnown := number, number < len(b.def.Prompts)
		if b.numberOf != nil {
			prompt, isKnown = slices.BinarySearch(b.numberOf, number)
		}
		if !isKnown {
			return nil, cells.ErrDamaged
		}
		prompts = append(prompts, int32(prompt))
	}
	b.sets[set] = prompts
	return prompts, nil
}

// each calls use with the wanted counts of each cell. Of brands it sets only the counts of some. The
// counts are valid until the next call with the same buffer, which has a length for all prompts.
func (s *sheet) each(wanted columns, brands []int, buffer []CellCounts, use func(prompt int, c *CellCounts)) {
	if s.counted != nil {
		for _, prompt := range s.prompts {
			use(int(prompt), s.counted[prompt])
		}
		return
	}
	s.need(wanted)
	found := buffer[:len(s.prompts)]
	for _, bit := range wanted.bits() {
		if bit < cellCounts {
			count, column := cellColumns[bit], &s.columns[bit]
			for cell := range found {
				*count(&found[cell]) = column.At(cell)
			}
			continue
		}
		for _, brand := range brands {
			column := &s.columns[columnOf(bit, brand)]
			if bit < cellCounts+brandCounts {
				count := brandColumns[bit-cellCounts]
				for cell := range found {
					*count(&found[cell].Brands[brand]) = column.At(cell)
				}
				continue
			}
			places := placeColumns[bit-cellCounts-brandCounts]
			for cell := range found {
				list := places(found[cell].Brands[brand].writable())
				*list = (*list)[:0]
				column.PlacesAt(cell, list)
			}
		}
	}
	for cell, prompt := range s.prompts {
		use(int(prompt), &found[cell])
	}
}

// cellsOf returns the wanted counts of the cells of a target by sweep and prompt.
func (b *Dataset) cellsOf(sweeps []int, target int, wanted columns) [][]*CellCounts {
	found := make([][]*CellCounts, len(sweeps))
	for i, at := range sweeps {
		found[i] = make([]*CellCounts, len(b.def.Prompts))
		if s := b.read(at, target); s != nil {
			buffer := newCounts(len(s.prompts), len(b.def.Brands))
			s.each(wanted, indices(len(b.def.Brands)), buffer, func(prompt int, c *CellCounts) { found[i][prompt] = c })
		}
	}
	return found
}
