package api

import (
	"slices"
	"strings"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/files/csvfile"
	"earshot/internal/schema"
	"earshot/internal/store/history"
)

func auditOperations() []Operation {
	return []Operation{
		special(Operation{Method: "GET", Path: "/v1/audit", Scope: account.ScopeAdmin, Response: earshot.AuditPage{}, Client: Method{Name: "Audit"}}, (*Server).audit),
	}
}

// audit lists the audit log of the organization, newest first.
func (s *Server) audit(c *call, q earshot.AuditQuery, _ none) error {
	return s.auditOf(c, c.organization(), q)
}

func (s *Server) auditOf(c *call, organization string, q earshot.AuditQuery) error {
	before, err := idCursor(q.Cursor)
	if err != nil {
		return err
	}
	if err := schema.OneOf("action", q.Action, s.auditActions()); err != nil {
		return err
	}
	from, until, err := span(q.From, q.To)
	if err != nil {
		return err
	}
	filter := history.AuditFilter{Action: q.Action, Actor: q.Actor, Subject: q.Subject, From: from, Until: until, Before: before, Limit: q.Limit + 1}
	if q.Format == "csv" {
		return s.auditFile(c, organization, filter)
	}
	entries, err := s.Store.AuditLog(c.context(), organization, filter)
	if err != nil {
		return err
	}
	page, next := cutPage(entries, filter.Limit, func(e earshot.AuditEntry) string { return e.ID })
	return c.json(earshot.AuditPage{Entries: page, NextCursor: next})
}

// auditActions returns the values of the filter by action: the actions in the audit log and their
// first parts.
func (s *Server) auditActions() []string {
	actions := []string{"organization.create", "plan.change", "credits.grant", "credits.set", "user.reset", "identity.link"} // of operators and identity providers
	for _, o := range Operations(s.Catalogue.Providers()) {
		actions = append(actions, strings.FieldsFunc(o.Audit, func(r rune) bool { return r == ',' })...)
	}
	for _, action := range slices.Clone(actions) {
		subject, _, _ := strings.Cut(action, ".")
		actions = append(actions, subject)
	}
	slices.Sort(actions)
	return slices.Compact(actions)
}

// auditFile sends all entries that match as a CSV file. If that fails, the connection breaks.
func (s *Server) auditFile(c *call, organization string, filter history.AuditFilter) error {
	c.w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	if !c.part(csvfile.Row(AuditColumns()...)) {
		return c.left()
	}
	for entry, err := range s.Store.WholeAuditLog(c.context(), organization, filter) {
		if err != nil && c.context().Err() == nil {
			return err
		}
		if err != nil || !c.part(csvfile.Row(AuditCells(entry)...)) {
			return c.left()
		}
	}
	return nil
}

// AuditColumns returns the columns of the audit log as a table.
func AuditColumns() []string {
	return []string{"at", "actorKind", "actorId", "actorName", "action", "subject", "address", "requestId", "before", "after", "id"}
}

// AuditCells returns the values of AuditColumns.
func AuditCells(e *earshot.AuditEntry) []string {
	return []string{
		cellOf(e.At), e.Actor.Kind, e.Actor.ID, e.Actor.Name, e.Action, e.Subject, e.Address, e.RequestID, string(e.Before), string(e.After), e.ID,
	}
}
