package mention

// rank gives each mention its position and its list rank (decisions 21 and 22).
//
// The position of a brand is its rank by first counted mention; it stands on all its
// counted mentions. An ordered item gives its number to the first counted mention in
// its own text: in its blocks, but not in those of a list inside it. The innermost
// list decides, and a bullet gives none.
func rank(v *visible, mentions []Mention, brands int) {
	positions := make([]int, brands)
	named := 0
	taken := make([]bool, len(v.items))
	blocks := v.blocks
	for i := range mentions {
		m := &mentions[i]
		if !m.Counts() {
			continue
		}
		if positions[m.Brand] == 0 {
			named++
			positions[m.Brand] = named
		}
		m.Position = positions[m.Brand]
		for blocks[0].to <= m.from {
			blocks = blocks[1:]
		}
		if item := blocks[0].item; item >= 0 && v.items[item].ordered && !taken[item] {
			taken[item] = true
			m.ListRank, m.Ranked = v.items[item].number, true
		}
	}
}
