// Package orgs stores organizations and their API keys. It extends package store, which locks
// the row of an organization, changes its credits and applies the budgets of its keys.
//
//	organization.go    creating and reading organizations; their plans and credits
//	key.go             keys, their budgets and last uses
package orgs

import (
	"earshot/internal/store"
)

// Store adds organizations and keys to a store. It is safe for concurrent use.
type Store struct {
	*store.Store
	uses *store.Uses // of keys
}

// New adds organizations and keys to a store. The last uses of keys are cached in the returned
// Store, so a node needs only one.
func New(s *store.Store) *Store { return &Store{s, store.NewUses("api_keys", "last_used_at")} }
