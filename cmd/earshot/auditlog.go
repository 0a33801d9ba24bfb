package main

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"earshot"
	"earshot/internal/api"
	"earshot/internal/files/csvfile"
)

type auditLogCmd struct {
	Org    string    `help:"Only changes of this organization." placeholder:"NAME"`
	Action string    `help:"Only this action, such as key.create, or its first part, such as key." placeholder:"ACTION"`
	Actor  string    `help:"Only changes by this key or user: an id, the name of a key, or an email." placeholder:"ACTOR"`
	From   time.Time `help:"First day in UTC, such as 2026-09-08; 30 days ago by default." format:"2006-01-02" placeholder:"DAY"`
	To     time.Time `help:"Last day in UTC." format:"2006-01-02" placeholder:"DAY"`
	JSON   bool      `name:"json" help:"Print one JSON object." xor:"format"`
	CSV    bool      `name:"csv" help:"Print a CSV file." xor:"format"`
	operator
}

// Help returns the command's long help.
func (c *auditLogCmd) Help() string {
	return `Lists changes and sign-ins, newest first: who, what, when and from where. --json and --csv also print the values before and after.
Without --org, it lists all organizations, and refused sign-ins whose organization is unknown. Entries are kept for 400 days.

Exit status: 0 they were listed, 1 anything else.

Examples:
  earshot audit-log --org default --action key
  earshot audit-log --from 2026-09-01 --csv`
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
		if c.JSON {
			return in.json(map[string]any{"entries": earshot.List[listedAudit](entries)})
		}
		if c.CSV {
			return c.table(in, entries)
		}
		rows := [][]string{{"AT", "ORGANIZATION", "ACTOR", "NAME", "ACTION", "SUBJECT", "ADDRESS"}}
		for _, e := range entries {
			row := []string{timeOf(&e.At), e.Organization, cmp.Or(e.Actor.ID, e.Actor.Kind), e.Actor.Name, e.Action, e.Subject, e.Address}
			for i, cell := range row {
				row[i] = cmp.Or(oneLine(cell), "-")
			}
			rows = append(rows, row)
		}
		return printTable(in.out, rows)
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
	query := earshot.AuditQuery{Action: c.Action, Actor: c.Actor, Limit: 500}
	from := c.From
	if from.IsZero() {
		from = time.Now().AddDate(0, 0, -30)
	}
	query.From = from.UTC().Format(time.RFC3339)
	if !c.To.IsZero() {
		query.To = c.To.Format(time.DateOnly)
	}
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
