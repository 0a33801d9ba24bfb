package main

import (
	"cmp"
	"iter"
	"slices"

	"earshot"
	"earshot/internal/api"
	"earshot/internal/files/csvfile"
)

type auditLogCmd struct {
	Org    string `help:"Only changes of this organization." placeholder:"NAME"`
	Action string `help:"Only this action, such as key.create, or its first part, such as key." placeholder:"ACTION"`
	Actor  string `help:"Only changes by this key or user: an id, the name of a key, or an email." placeholder:"ACTOR"`
	From   moment `help:"Only changes at or after this time or day in UTC, such as -7d." default:"-30d" placeholder:"DAY"`
	To     moment `help:"Only changes before this time, or on or before this day, such as -1d." placeholder:"DAY"`
	output
	operator
}

// Help returns the command's long help.
func (c *auditLogCmd) Help() string {
	return `Lists changes and sign-ins, newest first: who, what, when and from where. The formats json and csv also have the values before and after.
Without --org, it lists all organizations, and refused sign-ins whose organization is unknown. Entries are kept for 400 days.

Exit status: 0 they were listed, 1 anything else.

Examples:
  earshot audit-log --org default --action key
  earshot audit-log --from -7d -o csv`
}

// listedAudit is an entry with the name of its organization, which is "" if it is unknown.
type listedAudit struct {
	Organization string `json:"organization"`
	*earshot.AuditEntry
}

// Run lists the entries.
func (c *auditLogCmd) Run(in *invocation) error {
	return c.with(in, func(s *service) error {
		entries, err := c.find(in, s)
		if err != nil {
			return err
		}
		if c.format(false) == "csv" {
			return c.table(in, entries)
		}
		t := tableOf("AT|ORGANIZATION|ACTOR|NAME|ACTION|SUBJECT|ADDRESS", entries, func(e *listedAudit) []any {
			return []any{e.At, e.Organization, cmp.Or(e.Actor.ID, e.Actor.Kind), e.Actor.Name, e.Action, e.Subject, e.Address}
		})
		t.none, t.report = "there are no such changes", map[string]any{"entries": earshot.List[listedAudit](entries)}
		return c.print(in, t)
	})
}

func (c *auditLogCmd) table(in *invocation, entries []listedAudit) error {
	_, err := in.out.Write(csvfile.Row(append([]string{"organization"}, api.AuditColumns()...)...))
	for _, e := range entries {
		if err != nil {
			break
		}
		_, err = in.out.Write(csvfile.Row(append([]string{e.Organization}, api.AuditCells(e.AuditEntry)...)...))
	}
	return err
}

// find returns the entries of one organization, or of all and of none, newest first.
func (c *auditLogCmd) find(in *invocation, s *service) (found []listedAudit, err error) {
	query := earshot.AuditQuery{Action: c.Action, Actor: c.Actor, From: string(c.From), To: string(c.To), Limit: 500}
	add := func(organization string, entries iter.Seq2[*earshot.AuditEntry, error]) error {
		for entry, err := range entries {
			if err != nil {
				return err
			}
			found = append(found, listedAudit{organization, entry})
		}
		return nil
	}
	if c.Org == "" {
		if err := add("", s.OperatorAudit(in, query)); err != nil {
			return nil, err
		}
	}
	all, err := s.organizations(in, c.Org)
	if err != nil {
		return nil, err
	}
	for _, o := range all {
		if err := add(o.Name, s.actingFor(o.ID).Audit(in, query)); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(found, func(a, b listedAudit) int { return cmp.Compare(b.ID, a.ID) })
	return found, nil
}
