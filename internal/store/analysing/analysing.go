// Package analysing stores how brands were found in the answers of trackers.
//
//	analysis.go  rules, and the analyses of answers by them
//	cells.go     the counts of closed sweeps by rules
package analysing

import (
	"earshot/internal/store"
)

// Store adds rules, analyses and counts to a store. It is safe for concurrent use.
type Store struct {
	*store.Store
}

// New adds rules, analyses and counts to a store.
func New(s *store.Store) *Store { return &Store{s} }
