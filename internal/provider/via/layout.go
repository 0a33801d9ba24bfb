package via

import (
	"cmp"
	"slices"

	"earshot"
	"earshot/internal/provider/loosejson"
)

// Ranks collects the ranks of the items of a result page over all blocks, for vendors
// that deliver such a rank. Items without a rank are left out: nobody knows their place.
type Ranks struct {
	Field string // that holds the rank
	items []rankedItem
}

type rankedItem struct {
	rank  int
	block earshot.BlockType
	count int
}

// Add notes the items of a block, each of which has a rank.
func (r *Ranks) Add(block earshot.BlockType, items ...loosejson.Object) {
	for _, o := range items {
		r.AddBlock(block, o, 1)
	}
}

// AddBlock notes a block that has one rank for all its items.
func (r *Ranks) AddBlock(block earshot.BlockType, o loosejson.Object, count int) {
	if rank := o.Count(r.Field); rank != nil {
		r.items = append(r.items, rankedItem{*rank, block, count})
	}
}

// AddLayout appends the blocks of one result page from top to bottom. Neighbours of the
// same kind are one block.
func (p Page) AddLayout(r Ranks) {
	slices.SortStableFunc(r.items, func(a, b rankedItem) int { return cmp.Compare(a.rank, b.rank) })
	for i, item := range r.items {
		if i > 0 && r.items[i-1].block == item.block {
			p.Layout[len(p.Layout)-1].Count += item.count
			continue
		}
		p.Layout = append(p.Layout, earshot.LayoutBlock{Type: item.block, Position: len(p.Layout) + 1, Count: item.count})
	}
}
