package metric

import "slices"

// BrokenAt reports whether a series of a target starts anew with a sweep.
func (b *Dataset) BrokenAt(sweep, target string) bool {
	at, ok := b.order[sweep]
	if !ok {
		return false
	}
	before := ""
	if at > 0 {
		before = b.sweep(at - 1).Slot
	}
	return b.broken(before, b.slots[sweep], target)
}

// BrokenSince reports whether any series starts anew with a sweep or later.
func (b *Dataset) BrokenSince(sweep string) bool {
	return slices.ContainsFunc(b.def.breaks(), func(br Break) bool { return b.slots[br.Sweep] >= b.slots[sweep] })
}
