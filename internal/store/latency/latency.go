// Package latency counts latencies in steps that are small enough for percentiles and few enough
// for rows of a database.
package latency

// Round rounds a latency down by less than 5 %, which limits an hour to about 900 rows however
// many jobs end in it. Latencies above half an hour come from jobs of dead nodes and count as the
// maximum. The migration that introduced the table of statistics rounds in the same way.
func Round(ms int64) int64 {
	const longest = 2_000_000
	if ms >= longest {
		return longest
	}
	for unit := int64(longest / 200); unit > 1; unit /= 10 {
		if ms >= unit*20 {
			return ms / unit * unit
		}
	}
	return max(0, ms)
}

// Times is a list of latencies.
type Times struct {
	total  int64
	counts []count
}

// count is how often a latency occurred.
type count struct{ ms, n int64 }

// Add adds a latency that occurred n times and is not shorter than the latencies before it.
func (t *Times) Add(ms, n int64) {
	t.total += n
	t.counts = append(t.counts, count{ms, n})
}

// Percentile returns the latency that p percent of all did not exceed, or nil if there are none.
func (t *Times) Percentile(p int64) *int64 {
	rank, seen := (t.total*p+99)/100, int64(0)
	for _, c := range t.counts {
		if seen += c.n; seen >= rank {
			return &c.ms
		}
	}
	return nil
}
