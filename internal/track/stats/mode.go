package stats

import (
	"maps"
	"slices"
)

// Mode returns the key with the largest count, and of several the first by name.
func Mode(counts map[string]int) string {
	best := ""
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		if best == "" || counts[key] > counts[best] {
			best = key
		}
	}
	return best
}
