package mention

// rank sets the position and the list rank of each mention.
//
// The position of a brand is its rank by first counted mention. All counted mentions of a
// brand have the same position. The first counted mention in an ordered list item has the
// number of the item as its list rank. Only the innermost list matters, and bullets give no
// rank. Item 0 of a list that starts at 0 gives no rank either: ranks start at 1.
func rank(v *visible, mentions []Mention, brands int) {
	places := newPlaces(brands)
	taken := make([]bool, len(v.items))
	blocks := v.blocks
	for i := range mentions {
		m := &mentions[i]
		if !m.Counts() {
			continue
		}
		m.Position = places.of(m.Brand)
		for blocks[0].to <= m.from {
			blocks = blocks[1:]
		}
		if item := blocks[0].item; item >= 0 && v.items[item].ordered && !taken[item] {
			taken[item] = true
			m.ListRank = v.items[item].number
		}
	}
}

// places numbers brands in the order in which they are first named, from 1.
type places struct {
	brands []int
	named  int
}

func newPlaces(brands int) *places { return &places{brands: make([]int, brands)} }

// of returns the place of a brand. A brand that was not named before gets the next place.
func (p *places) of(brand int) int {
	if p.brands[brand] == 0 {
		p.named++
		p.brands[brand] = p.named
	}
	return p.brands[brand]
}
