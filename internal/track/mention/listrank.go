package mention

// rank gives each mention its position and its list rank (decisions 21 and 22).
//
// The position of a brand is its rank by first counted mention; it stands on all its
// counted mentions. An ordered item gives its number to the first counted mention in
// its own text: in its blocks, but not in those of a list inside it. The innermost
// list decides, and a bullet gives none. Neither does the item 0 of a list that begins
// with it: ranks count from 1.
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

// places are the order in which brands are first named, from 1.
type places struct {
	brands []int
	named  int
}

func newPlaces(brands int) *places { return &places{brands: make([]int, brands)} }

// of is the place of a brand; one that was not named before is the next.
func (p *places) of(brand int) int {
	if p.brands[brand] == 0 {
		p.named++
		p.brands[brand] = p.named
	}
	return p.brands[brand]
}
