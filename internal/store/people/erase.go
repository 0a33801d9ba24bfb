package people

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/engine"
)

const (
	// endedKept is how long ended sessions and invitations are kept, so that an address remains known.
	endedKept = 90 * 24 * time.Hour
	// strangersKept is how long users are kept who have no role in any organization.
	strangersKept = 30 * 24 * time.Hour
)

// RemoveMember removes a user from an organization and erases the person there: sessions,
// invitations, and the email address in the audit log, which keeps the user's id. With the last
// organization the user is erased everywhere. RemoveMember returns ErrNotFound.
func (s *Store) RemoveMember(ctx context.Context, organization, userID string, by account.Actor, now time.Time) error {
	err := store.ErrChanged
	for try := 0; try < 3 && errors.Is(err, store.ErrChanged); try++ {
		var memberships []Membership
		memberships, err = s.Memberships(ctx, userID)
		if err == nil && !slices.ContainsFunc(memberships, func(m Membership) bool { return m.Organization == organization }) {
			err = store.ErrNotFound
		}
		if err == nil {
			err = s.erase(ctx, organization, userID, len(memberships) == 1, by, now)
		}
	}
	return engine.Wrap(err, "remove user %s", userID)
}

// erase erases a user from an organization, or with everywhere from the database. The audit log
// comes first: until the user is erased, the address for another try is known. erase returns ErrChanged
// if a role in another organization was added or removed meanwhile.
func (s *Store) erase(ctx context.Context, organization, userID string, everywhere bool, by account.Actor, now time.Time) error {
	u, err := s.User(ctx, userID)
	if err != nil {
		return err
	}
	if by.IfMatch != "" { // before anything is erased; the last transaction checks it again
		member, err := s.Member(ctx, organization, userID)
		if err == nil {
			err = store.Expect(by, member.ETag)
		}
		if err != nil {
			return err
		}
	}
	shards, within := []*engine.Shard{s.ShardOf(organization)}, organization
	if everywhere {
		shards, within = s.Shards, ""
	}
	for _, shard := range shards {
		if err := eraseFromAudit(ctx, shard, within, u); err != nil {
			return err
		}
	}
	return s.change(organization, by, now, func(ctx context.Context, w *store.Work) (*store.Audited, error) {
		if by.IfMatch != "" {
			if _, err := rolesOf(ctx, w, organization, userID, by); err != nil {
				return nil, err
			}
		}
		had, err := engine.FindRows(ctx, w, membersTable, `WHERE user_id = $1`, userID)
		if err != nil {
			return nil, err
		}
		was := auditedRole{}
		others := slices.DeleteFunc(had, func(m *member) bool {
			if m.organization == organization {
				was = auditedRole{m.role.Higher(was.Role), m.source}
			}
			return m.organization == organization
		})
		if everywhere != (len(others) == 0) {
			return nil, store.ErrChanged
		}
		what := &store.Audited{Action: "user.remove", Subject: userID, Before: was}
		return what, deleteRows(ctx, w, organization, everywhere, u)
	})
}

// deleteRows deletes the rows of a user in an organization, or everywhere, and replaces the user's
// address in rows of others.
func deleteRows(ctx context.Context, w *store.Work, organization string, everywhere bool, u *account.User) error {
	type statement struct {
		text string
		args []any
	}
	statements := []statement{
		{`DELETE FROM members WHERE user_id = $1`, []any{u.ID}},
		{`DELETE FROM sessions WHERE user_id = $1`, []any{u.ID}},
		{`DELETE FROM invitations WHERE email = $1`, []any{u.Email}},
		{`UPDATE invitations SET invited_by = $2 WHERE invited_by = $1`, []any{u.Email, u.ID}},
		{`UPDATE share_links SET created_by = $2 WHERE created_by = $1`, []any{u.Email, u.ID}},
	}
	if everywhere {
		statements = append(statements, statement{`DELETE FROM identities WHERE user_id = $1`, []any{u.ID}}, statement{`DELETE FROM users WHERE id = $1`, []any{u.ID}})
	}
	for _, one := range statements {
		if !everywhere {
			one.args = append(one.args, organization)
			one.text += fmt.Sprintf(` AND organization = $%d`, len(one.args))
		}
		if _, err := w.Run(ctx, one.text, one.args...); err != nil {
			return err
		}
	}
	return nil
}

var updateAudited = engine.NewStatement(store.AuditTable.Only("organization", "id", "actor_name", "subject", "before", "after"), func(in engine.Input) string {
	return `UPDATE audit_log SET ` + in.Assign("actor_name", "subject", "before", "after") + ` ` + in.Where("audit_log", "organization", "id")
})

// eraseFromAudit replaces the address of a user in the audit log of an organization, or of all of a
// shard if organization is "", by the user's id.
func eraseFromAudit(ctx context.Context, shard *engine.Shard, organization string, u *account.User) error {
	quoted, err := json.Marshal(u.Email)
	if err != nil {
		return err
	}
	like := `%` + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(strings.Trim(string(quoted), `"`)) + `%`
	clause, args := `WHERE (LOWER(actor_name) = $1 OR LOWER(subject) = $1 OR LOWER(before) LIKE $2 ESCAPE '\' OR LOWER(after) LIKE $2 ESCAPE '\')`, []any{u.Email, like}
	if organization != "" {
		clause, args = clause+` AND organization = $3`, append(args, organization)
	}
	var found []*store.AuditEntry
	err = shard.Reports.WithoutLimit(ctx, func(now engine.Snapshot) (err error) {
		found, err = engine.FindRows(ctx, now, store.AuditTable, clause, args...)
		return err
	})
	if err != nil {
		return err
	}
	e := eraser{regexp.MustCompile(`(?i)(^|[^a-z0-9.+_-])` + regexp.QuoteMeta(u.Email) + `($|\.?([^a-z0-9.-]|$))`), u.ID}
	for _, entry := range found {
		entry.By.Name, entry.Subject, entry.Before, entry.After = e.text(entry.By.Name), e.text(entry.Subject), e.json(entry.Before), e.json(entry.After)
	}
	for batch := range slices.Chunk(found, store.PruneBatch) {
		err := shard.Execute(func(ctx context.Context, tx *engine.Tx) error { return engine.Each(ctx, tx, updateAudited, batch, nil) })
		if err != nil {
			return err
		}
	}
	return nil
}

// eraser replaces an email address by an id. It leaves longer addresses that end with it.
type eraser struct {
	address *regexp.Regexp
	id      string
}

func (e eraser) text(s string) string {
	for range 2 { // two addresses may share the character between them
		s = e.address.ReplaceAllString(s, "${1}"+e.id+"${2}")
	}
	return s
}

var jsonString = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// json replaces the address in the strings of JSON, whose characters may be escaped.
func (e eraser) json(text []byte) []byte {
	return jsonString.ReplaceAllFunc(text, func(quoted []byte) []byte {
		var s string
		if json.Unmarshal(quoted, &s) != nil || e.text(s) == s {
			return quoted
		}
		erased, _ := json.Marshal(e.text(s)) // never fails for a string
		return erased
	})
}

// Tidy writes when sessions were last used. It deletes sessions and invitations that ended long
// before now, and erases users who have had no role in any organization for strangersKept.
func (s *Store) Tidy(ctx context.Context, now time.Time) error {
	errs := []error{s.seen.Write(s.DB)}
	for _, table := range []string{"sessions", "invitations"} {
		for {
			n, err := s.Run(`DELETE FROM `+table+` WHERE id IN (SELECT id FROM `+table+` WHERE expires_at < $1 LIMIT $2)`, engine.Millis(now.Add(-endedKept)), store.PruneBatch)
			if errs = append(errs, engine.Wrap(err, "delete %s", table)); err != nil || n == 0 {
				break
			}
		}
	}
	ids, err := engine.FindValues[string](ctx, s.Reports, `SELECT id FROM users WHERE created_at < $1 AND id NOT IN (SELECT user_id FROM members)
		AND id NOT IN (SELECT user_id FROM sessions WHERE seen_at >= $1) AND email NOT IN (SELECT email FROM invitations WHERE `+isPending+`) LIMIT $3`,
		engine.Millis(now.Add(-strangersKept)), engine.Millis(now), store.PruneBatch)
	errs = append(errs, engine.Wrap(err, "find users without a role"))
	for _, id := range ids {
		errs = append(errs, s.erase(ctx, noOrganization, id, true, account.System(), now))
	}
	return errors.Join(errs...)
}
