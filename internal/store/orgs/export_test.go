package orgs

import (
	"time"

	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/engine"
)

// Reserve reserves a name, as if the node had been killed before it created the organization.
func (s *Store) Reserve(name string, at time.Time) error {
	return s.reserve(&newOrganizationRow{Organization: account.Organization{ID: store.NewID(), Name: name, CreatedAt: engine.Millis(at)}}, at)
}
