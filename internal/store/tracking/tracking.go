// Package tracking stores trackers: definitions, sweeps, answers, analyses, alerts and reports.
// It extends package store, which does not depend on it.
//
//	tracker.go                definitions and their versions
//	sweep.go                  sweeps: started, submitted, ended and closed
//	answer.go                 answers and their results
//	analysis.go               rules, and the analyses of answers by them
//	tally.go cell.go          the counts of a closed sweep
//	alert.go channel.go       change detectors, alerts, and where alerts are sent
//	report.go exportday.go    reports that were sent; days to export
//	retention.go              deleting trackers and expired answers
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
