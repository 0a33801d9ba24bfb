// Package cells defines the stored form of the counts of closed sweeps. A cell is a prompt on a
// target. The cells of a target in a sweep are stored by column, one column for each count, so that
// millions of cells are added up without reading counts that a query does not need.
//
//	columns.go  the columns of a sheet, and their stored form
//	places.go   counts of answers by position or rank
//
// # Format
//
// Package packed defines number and text. A stored sheet is:
//
//	format   one byte
//	prompts  the number of the first word, and a text of 8 bytes per word: the set of the numbers of
//	         the prompts, one bit each. The cells come in the order of these numbers
//	columns  their number, and for each column its kind and its values
//
// The kinds are: all values are 0; all are the same number, which follows; bits, for 0 and 1; bytes;
// a number for each cell; a list of places and counts for each cell.
package cells

import (
	"cmp"
	"encoding/binary"
	"errors"
	"maps"
	"math/bits"
	"slices"

	"earshot/internal/track/packed"
)

// ErrDamaged is returned for stored counts that cannot be true.
var ErrDamaged = errors.New("the stored counts are damaged")

// sheetFormat is the first byte of a stored sheet.
const sheetFormat = 1

// The kinds of columns.
const (
	isZero = iota
	isSame
	isBits
	isBytes
	isWide
	isLists
)

// Column contains one count of each cell. A column of places has the place of each cell, or a list
// of places if a cell has several answers.
type Column struct {
	kind  uint8
	same  int32
	bytes string // of bits or bytes
	large *large // of other values, which are rare
}

type large struct {
	wide  []int32
	lists []Places
}

// NewColumn returns the column of some counts.
func NewColumn(counts []int32) Column {
	if len(counts) == 0 {
		return Column{}
	}
	low, high := slices.Min(counts), slices.Max(counts)
	switch {
	case high == 0 && low == 0:
		return Column{}
	case low == high:
		return Column{kind: isSame, same: low}
	case high == 1:
		set := make([]byte, (len(counts)+7)/8)
		for i, n := range counts {
			set[i/8] |= byte(n) << (i % 8)
		}
		return Column{kind: isBits, bytes: string(set)}
	case high <= 255:
		small := make([]byte, len(counts))
		for i, n := range counts {
			small[i] = byte(n)
		}
		return Column{kind: isBytes, bytes: string(small)}
	default:
		return Column{kind: isWide, large: &large{wide: counts}}
	}
}

// NewPlaces returns the column of the places of cells.
func NewPlaces(lists []Places) Column {
	single := make([]int32, len(lists))
	for i, list := range lists {
		switch {
		case len(list) == 0:
		case len(list) == 1 && list[0].Count == 1:
			single[i] = int32(list[0].At)
		default:
			return Column{kind: isLists, large: &large{lists: lists}}
		}
	}
	return NewColumn(single)
}

// Same returns the value that all cells have, or false.
func (c *Column) Same() (value int32, ok bool) { return c.same, c.kind <= isSame }

// At returns the count of a cell.
func (c *Column) At(cell int) int32 {
	switch c.kind {
	case isBits:
		return int32(c.bytes[cell/8] >> (cell % 8) & 1)
	case isBytes:
		return int32(c.bytes[cell])
	case isWide:
		return c.large.wide[cell]
	default:
		return c.same
	}
}

// PlacesAt adds the places of a cell to a list.
func (c *Column) PlacesAt(cell int, to *Places) {
	if c.kind == isLists {
		to.Merge(c.large.lists[cell])
	} else if at := c.At(cell); at > 0 {
		to.Add(int(at), 1)
	}
}

// Picked are the cells of a sheet that are added up.
type Picked struct {
	Cells  []int32 // nil: all
	Prompt []int32 // index of the prompt of each cell
	Group  []int32 // of each cell; nil: all are in group 0
}

// All calls use for each picked cell.
func (p *Picked) All(use func(cell int)) {
	if p.Cells == nil {
		for cell := range p.Prompt {
			use(cell)
		}
	}
	for _, cell := range p.Cells {
		use(int(cell))
	}
}

// Add adds the counts of the picked cells to the sums of their prompts and of their groups.
func (c *Column) Add(p *Picked, prompts, groups []int32) {
	switch {
	case c.kind == isZero:
	case p.Cells != nil || c.kind == isSame || c.kind == isWide || p.Group != nil && c.kind == isBytes:
		p.All(func(cell int) {
			n := c.At(cell)
			prompts[p.Prompt[cell]] += n
			groups[p.GroupOf(cell)] += n
		})
	case c.kind == isBytes:
		sum := int32(0)
		for cell, prompt := range p.Prompt {
			n := int32(c.bytes[cell])
			prompts[prompt] += n
			sum += n
		}
		groups[0] += sum
	default:
		c.addBits(p, prompts, groups)
	}
}

func (c *Column) addBits(p *Picked, prompts, groups []int32) {
	for first := 0; first < len(c.bytes); first += 8 {
		word := uint64(0)
		if first+8 <= len(c.bytes) {
			word = binary.LittleEndian.Uint64([]byte(c.bytes[first : first+8]))
		} else {
			for i := len(c.bytes) - 1; i >= first; i-- {
				word = word<<8 | uint64(c.bytes[i])
			}
		}
		if p.Group == nil {
			groups[0] += int32(bits.OnesCount64(word))
		}
		for ; word != 0; word &= word - 1 {
			cell := 8*first + bits.TrailingZeros64(word)
			prompts[p.Prompt[cell]]++
			if p.Group != nil {
				groups[p.Group[cell]]++
			}
		}
	}
}

// GroupOf returns the group of a picked cell.
func (p *Picked) GroupOf(cell int) int32 {
	if p.Group == nil {
		return 0
	}
	return p.Group[cell]
}

// Split divides each group by the values of its cells, and returns the number of groups. The order
// of the groups depends only on the values.
func (p *Picked) Split(value func(cell int) int32) int {
	type key struct{ group, value int32 }
	known, groups := map[key]int32{}, make([]int32, len(p.Prompt))
	last, of := key{-1, 0}, int32(0)
	p.All(func(cell int) {
		if k := (key{p.GroupOf(cell), value(cell)}); k != last {
			if _, found := known[k]; !found {
				known[k] = int32(len(known))
			}
			last, of = k, known[k]
		}
		groups[cell] = of
	})
	order := make([]int32, len(known))
	for i, k := range slices.SortedFunc(maps.Keys(known), func(a, b key) int { return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.value, b.value)) }) {
		order[known[k]] = int32(i)
	}
	p.All(func(cell int) { groups[cell] = order[groups[cell]] })
	p.Group = groups
	return len(known)
}

// nearPlaces is the number of places that AddPlaces counts in a table.
const nearPlaces = 16

// PlaceSums are the sums of a column of places, by prompt or by group.
type PlaceSums struct {
	near []int32 // answers at the places below nearPlaces
	far  map[int]*Places
}

// NewPlaceSums returns sums for that many prompts or groups.
func NewPlaceSums(n int) *PlaceSums { return &PlaceSums{near: make([]int32, n*nearPlaces)} }

func (s *PlaceSums) add(i int32, at, count int) {
	if at < nearPlaces {
		s.near[int(i)*nearPlaces+at] += int32(count)
		return
	}
	if s.far == nil {
		s.far = map[int]*Places{}
	}
	if s.far[int(i)] == nil {
		s.far[int(i)] = &Places{}
	}
	s.far[int(i)].Add(at, count)
}

// Take returns the sum of a prompt or group, and resets it.
func (s *PlaceSums) Take(i int) (sum Places) {
	near := s.near[i*nearPlaces : (i+1)*nearPlaces]
	for at, count := range near {
		if count > 0 {
			sum = append(sum, PlaceCount{at, int(count)})
		}
	}
	clear(near)
	if s.far[i] != nil {
		sum = append(sum, *s.far[i]...)
		delete(s.far, i)
	}
	return sum
}

// AddPlaces adds the places of the picked cells to the sums of their prompts and of their groups.
func (c *Column) AddPlaces(p *Picked, prompts, groups *PlaceSums) {
	switch c.kind {
	case isZero:
	case isLists:
		p.All(func(cell int) {
			for _, place := range c.large.lists[cell] {
				prompts.add(p.Prompt[cell], place.At, place.Count)
				groups.add(p.GroupOf(cell), place.At, place.Count)
			}
		})
	default:
		p.All(func(cell int) {
			if at := int(c.At(cell)); at > 0 {
				prompts.add(p.Prompt[cell], at, 1)
				groups.add(p.GroupOf(cell), at, 1)
			}
		})
	}
}

// Encode returns the stored form of the columns of cells, which are in the order of the numbers of
// their prompts.
func Encode(prompts []int, columns []Column) []byte {
	w := packed.Writer{sheetFormat}
	first := 0
	var words []byte
	if len(prompts) > 0 {
		first = prompts[0] / 64
		words = make([]byte, 8*(prompts[len(prompts)-1]/64-first+1))
	}
	for _, prompt := range prompts {
		words[prompt/8-8*first] |= 1 << (prompt % 8)
	}
	w.Number(first)
	w.Text(string(words))
	w.Number(len(columns))
	for i := range columns {
		columns[i].encode(&w)
	}
	return w
}

func (c *Column) encode(w *packed.Writer) {
	w.Number(int(c.kind))
	switch c.kind {
	case isSame:
		w.Number(int(c.same))
	case isBits, isBytes:
		*w = append(*w, c.bytes...)
	case isWide:
		for _, n := range c.large.wide {
			w.Number(int(n))
		}
	case isLists:
		for _, list := range c.large.lists {
			w.Number(len(list))
			for _, place := range list {
				w.Number(place.At, place.Count)
			}
		}
	}
}

// Decode returns the set of the prompts of the cells, and their columns.
func Decode(stored []byte) (set string, columns []Column, err error) {
	if len(stored) == 0 || stored[0] != sheetFormat {
		return "", nil, ErrDamaged
	}
	text := string(stored[1:])
	r := packed.NewReader(text)
	first := r.Number()
	words := r.Text(r.Count())
	cells := 0
	for i := range len(words) {
		cells += bits.OnesCount8(words[i])
	}
	set = string(binary.AppendUvarint(nil, uint64(first))) + words
	columns = make([]Column, r.Count())
	for i := range columns {
		columns[i].decode(r, cells)
	}
	if !r.Done() || first > maxNumber {
		return "", nil, ErrDamaged
	}
	return set, columns, nil
}

// maxNumber limits the number of the first word of a set of prompts.
const maxNumber = 1 << 24

// Prompts returns the numbers of the prompts of a set, which Decode returned.
func Prompts(set string) (numbers []int) {
	first, n := binary.Uvarint([]byte(set))
	for i := range len(set) - n {
		for left := set[n+i]; left != 0; left &= left - 1 {
			numbers = append(numbers, 64*int(first)+8*i+bits.TrailingZeros8(left))
		}
	}
	return numbers
}

func (c *Column) decode(r *packed.Reader, cells int) {
	c.kind = uint8(min(r.Number(), isLists+1))
	switch c.kind {
	case isZero:
	case isSame:
		c.same = int32(r.Number())
	case isBits:
		c.bytes = r.Text((cells + 7) / 8)
		if n := len(c.bytes); n > 0 && cells%8 > 0 && c.bytes[n-1]>>(cells%8) != 0 {
			r.Fail()
		}
	case isBytes:
		c.bytes = r.Text(cells)
	case isWide:
		c.large = &large{wide: make([]int32, cells)}
		for i := range c.large.wide {
			c.large.wide[i] = int32(r.Number())
		}
	case isLists:
		c.large = &large{lists: make([]Places, cells)}
		for i := range c.large.lists {
			for range r.Count() {
				c.large.lists[i].Add(r.Number(), r.Number())
			}
		}
	default:
		r.Fail()
	}
}
