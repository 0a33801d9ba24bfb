package api

import (
	"slices"
	"strings"

	"earshot"
	"earshot/internal/store"
	"earshot/internal/strictjson"
)

// ledger lists the changes of the organization's balance, newest first.
func (s *Server) ledger(c *call) error {
	q, err := c.query()
	if err != nil {
		return err
	}
	filter := store.LedgerFilter{Kind: q.Get("kind")}
	if q.Has("kind") && !slices.Contains(store.LedgerKinds(), filter.Kind) {
		return strictjson.Invalid("kind", "must be one of %s", strings.Join(store.LedgerKinds(), ", "))
	}
	if filter.Limit, filter.Before, err = pageByID(q); err != nil {
		return err
	}
	entries, err := s.Store.Ledger(c.r.Context(), c.principal.OrganizationID, filter)
	if err != nil {
		return err
	}
	page := earshot.LedgerPage{}
	page.Entries, page.NextCursor = cutPage(entries, filter.Limit, func(e earshot.LedgerEntry) string { return e.ID })
	return c.json(page)
}
