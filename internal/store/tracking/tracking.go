// Package tracking stores trackers: what is asked on a schedule, the answers, what was found in
// them, and what was told about it. It is a part of the store that needs the jobs below it, and
// that they do not need.
//
//	tracker.go                definitions and their versions
//	sweep.go                  sweeps: started, submitted, ended and closed
//	answer.go                 answers and their results
//	analysis.go               rules, and what they found in answers
//	tally.go cell.go          the counts of a closed sweep
//	alert.go channel.go       change detectors, alerts, and where alerts are sent
//	report.go exportday.go    reports that were sent; days to be exported
//	retention.go              deleting what has expired
package tracking

import (
	"earshot/internal/store"
)

// Store adds trackers to a store. It is safe for concurrent use.
type Store struct {
	*store.Store
}

// New adds trackers to a store.
func New(s *store.Store) *Store { return &Store{s} }
