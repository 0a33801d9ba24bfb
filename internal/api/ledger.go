package api

import (
	"earshot"
	"earshot/internal/store"
)

// ledger lists the changes of the organization's balance, newest first.
func (s *Server) ledger(c *call) error {
	var q earshot.LedgerQuery
	if err := c.query(&q); err != nil {
		return err
	}
	before, err := idCursor(q.Cursor)
	if err != nil {
		return err
	}
	filter := store.LedgerFilter{Kind: string(q.Kind), Limit: q.Limit + 1, Before: before}
	entries, err := s.Store.Ledger(c.r.Context(), c.principal.OrganizationID, filter)
	if err != nil {
		return err
	}
	page := earshot.LedgerPage{}
	page.Entries, page.NextCursor = cutPage(entries, filter.Limit, func(e earshot.LedgerEntry) string { return e.ID })
	return c.json(page)
}
