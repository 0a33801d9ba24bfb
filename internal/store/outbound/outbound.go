// Package outbound stores requests to upstreams: what was asked, answered and charged. Rows that
// belong to the transaction of a job are written by package store, through functions of this
// package that take the transaction.
//
//	ticket.go    questions that vendors answer later
//	usage.go     requests and charges by day; requests and latencies by hour
//	shadow.go    answers compared with answers of a second upstream
//	field.go     how often the fields of results are filled
//	drift.go     layout versions, change detectors of fields, pages kept for the operator
package outbound

import (
	"time"

	"earshot/internal/store/engine"
)

const (
	dayMillis  = int64(24 * time.Hour / time.Millisecond)
	hourMillis = int64(time.Hour / time.Millisecond)
)

// Store reads and deletes the rows of requests to upstreams. It is safe for concurrent use.
type Store struct {
	*engine.DB
}

// New returns the requests to upstreams in a database.
func New(db *engine.DB) *Store { return &Store{db} }
