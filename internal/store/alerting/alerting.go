// Package alerting stores the messages about trackers that are sent to channels.
//
//	alert.go    change detectors, and the alerts that they raise
//	report.go   reports that were sent
//	channel.go  where alerts and reports are sent
package alerting

import (
	"earshot/internal/store"
)

// Store adds alerts, reports and channels to a store. It is safe for concurrent use.
type Store struct {
	*store.Store
}

// New adds alerts, reports and channels to a store.
func New(s *store.Store) *Store { return &Store{s} }
