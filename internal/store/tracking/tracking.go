// Package tracking stores trackers: definitions, sweeps and answers. It extends package store,
// which does not depend on it.
//
//	tracker.go    definitions and their versions
//	sweep.go      sweeps: started, submitted, ended and closed
//	answer.go     recording answers
//	read.go       reading answers and their results
//	retention.go  deleting trackers and expired answers
//	review.go     reviewed sweeps, their findings, and reviews
//	judge.go      tasks that ask a model about reviews
//
// Its siblings store what trackers lead to. Packages analysing and exporting are below this one,
// because new answers are stored with their analyses and a changed definition changes exported
// days. Package alerting is above this one.
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
