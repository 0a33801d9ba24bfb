package slowdown

// MaxRecords is the most records that are kept.
const MaxRecords = maxRecords

// Records returns the number of records.
func (s *Slowdown) Records() int { return len(s.records) }
