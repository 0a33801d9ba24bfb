package people_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/engine"
	"earshot/internal/store/history"
	"earshot/internal/store/people"
	"earshot/internal/store/sharing"
	"earshot/internal/store/storetest"
)

// dump returns all rows of all tables of a database as text, in which table names end with a tab.
func dump(t *testing.T, address string) string {
	t.Helper()
	driver, tables := "sqlite", `SELECT name FROM sqlite_master WHERE type = 'table'`
	if store.Shared(address) {
		driver, tables = "pgx", `SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`
	}
	db, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	read := func(query string) (rows []string) {
		found, err := db.QueryContext(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		defer found.Close()
		names, _ := found.Columns()
		for found.Next() {
			values, into := make([]sql.RawBytes, len(names)), make([]any, len(names))
			for i := range into {
				into[i] = &values[i]
			}
			if err := found.Scan(into...); err != nil {
				t.Fatal(err)
			}
			var row strings.Builder
			for _, value := range values {
				row.Write(value)
				row.WriteByte('\t')
			}
			rows = append(rows, row.String())
		}
		if err := found.Err(); err != nil {
			t.Fatal(err)
		}
		return rows
	}
	var all strings.Builder
	for _, table := range read(tables) {
		name := strings.TrimSpace(table)
		for _, row := range read(`SELECT * FROM "` + name + `"`) {
			fmt.Fprintln(&all, name, row)
		}
	}
	return all.String()
}

// Nothing about a person is left after the last organization has removed the person.
func TestRemovedPeopleAreErased(t *testing.T) {
	t.Parallel()
	const email, name = "ana.o&b@example.com", "Ana Unforgettable"
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := storetest.Open(t, address)
		f := &fixture{people.New(s), t, storetest.Organization(t, s, 1, 100).ID, time.Now().Truncate(time.Millisecond)}
		second := storetest.Organization(t, s, 1, 100).ID
		diana := f.join(f.org, "di"+email, account.RoleAdmin)
		links := sharing.New(s)
		var ana *account.User
		for _, organization := range []string{f.org, second} {
			i := f.invitation(email, account.RoleAdmin)
			i.Organization = organization
			f.check(f.Invite(i, account.Operator(), f.now))
			ana = &account.User{Email: email, Name: name, Password: "hash"}
			if had, err := f.UserByEmail(t.Context(), email); err == nil {
				ana = had
			}
			f.check(f.Accept(i, ana, account.Actor{Kind: account.ActorUser}, f.now))
			by := account.Actor{Kind: account.ActorUser, ID: ana.ID, Name: email}
			invited := f.invitation("ben@example.com", account.RoleViewer)
			invited.Organization, invited.InvitedBy = organization, by.Title()
			f.check(f.Invite(invited, by, f.now))
			id, secret := account.NewSecret(account.ShareSecret)
			f.check(links.Create(&sharing.Link{ID: id, Hash: account.HashKey(secret), Organization: organization, Tracker: store.NewID(), CreatedBy: email, CreatedAt: f.now, ExpiresAt: f.now.Add(time.Hour)}, by))
			f.check(f.AuditRefused(organization, account.Actor{Kind: account.ActorGuest, Name: email}, "password", func() bool { return true }, f.now))
			// As earlier versions wrote entries.
			f.check(f.AuditAlone(organization, account.Actor{Kind: account.ActorKey, ID: ana.ID, Name: email}, store.Audited{
				Action: "test", Subject: email, Before: map[string]string{"who": "<" + strings.ToUpper(email) + ">,di" + email}, After: []string{email + "," + email},
			}, f.now))
		}
		session := f.signIn(ana, "")
		if _, err := f.UserOf(t.Context(), people.Identity{Issuer: "https://idp.test", Subject: "ana-subject", Email: email}, account.Actor{Kind: account.ActorUser}, f.now); err != nil {
			t.Fatal(err)
		}
		f.check(f.AuditRefused("", account.Actor{Kind: account.ActorGuest, Name: email}, "idp: <"+email+"> is unknown", func() bool { return true }, f.now))
		reset := f.invitation("", "")
		f.check(f.ResetPassword(t.Context(), ana, reset, account.Operator(), f.now))

		f.check(f.RemoveMember(t.Context(), f.org, ana.ID, account.Operator(), f.now))
		for _, row := range strings.Split(dump(t, address), "\n") {
			if strings.Contains(row, f.org) && strings.Contains(strings.ReplaceAll(row, diana.Email, ""), email) {
				t.Errorf("left in the first organization: %s", row)
			}
		}
		if member, err := f.Member(t.Context(), second, ana.ID); err != nil || member.Email != email || f.isOpen(session) {
			t.Errorf("in the second organization: %+v, %v; the session is open: %t", member, err, f.isOpen(session))
		}
		f.check(f.RemoveMember(t.Context(), second, ana.ID, account.Operator(), f.now))
		forbidden := []string{strings.ReplaceAll(email, "&", `\u0026`), email, name, "ana-subject"}
		left := func(what, text string) {
			t.Helper()
			if !strings.Contains(text, diana.Email) || !strings.Contains(text, ana.ID) {
				t.Errorf("%s lacks another user or the id of the removed one", what)
			}
			text = strings.ToLower(strings.NewReplacer(diana.Email, "", strings.ReplaceAll(diana.Email, "&", `\u0026`), "").Replace(text))
			for _, secret := range forbidden {
				if i := strings.Index(text, strings.ToLower(secret)); i >= 0 {
					t.Errorf("%s contains %q: %q", what, secret, text[max(0, i-200):min(len(text), i+100)])
				}
			}
		}
		all := dump(t, address)
		left("the database", all)
		if n := strings.Count(all, ",di"+forbidden[0]); n != 2 {
			t.Errorf("%d of 2 entries about a longer address are left", n)
		}
		if store.Shared(address) {
			return
		}
		// As docs/people.md says: a backup has nothing of the person, nor has the file after VACUUM.
		backup := filepath.Join(t.TempDir(), "backup.db")
		for _, statement := range []string{`VACUUM INTO '` + backup + `'`, `VACUUM`, `PRAGMA wal_checkpoint(TRUNCATE)`} {
			_, err := s.Queue.ExecContext(t.Context(), statement)
			f.check(err)
		}
		for _, file := range []string{backup, address, address + "-wal"} {
			text, err := os.ReadFile(file)
			f.check(err)
			if len(text) > 0 || file != address+"-wal" {
				left(filepath.Base(file), string(text))
			}
		}
	})
}

// People without a role are erased after a while, unless they were seen or invited again.
func TestStrangersAreErased(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, f *fixture) {
		for _, name := range []string{"ana", "ben"} {
			_, err := f.UserOf(t.Context(), people.Identity{Issuer: "https://idp.test", Subject: name, Email: name + "@example.com"}, account.Actor{Kind: account.ActorUser}, f.now)
			f.check(err)
		}
		later := f.now.AddDate(0, 0, 31)
		i := f.invitation("ben@example.com", account.RoleViewer)
		i.ExpiresAt = later.Add(time.Hour)
		f.check(f.Invite(i, account.Operator(), f.now))
		f.check(f.Tidy(t.Context(), f.now.AddDate(0, 0, 29)))
		if _, err := f.UserByEmail(t.Context(), "ana@example.com"); err != nil {
			t.Errorf("before the time: %v", err)
		}
		f.check(f.Tidy(t.Context(), later))
		if _, err := f.UserByEmail(t.Context(), "ana@example.com"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("after the time: %v", err)
		}
		if _, err := f.UserByEmail(t.Context(), "ben@example.com"); err != nil {
			t.Errorf("with an invitation: %v", err)
		}
	})
}

// Linking an identity and the password that it removes are in the log, which resolves who it was.
func TestLinkingAnIdentityIsAudited(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, f *fixture) {
		u := f.join(f.org, "ana@example.com", account.RoleViewer)
		session := f.signIn(u, "")
		for range 2 {
			found, err := f.UserOf(t.Context(), people.Identity{Issuer: "https://idp.test", Subject: "1", Email: u.Email}, account.Actor{Kind: account.ActorUser, Address: "192.0.2.1"}, f.now)
			if err != nil || found.ID != u.ID || found.Password != "" || f.isOpen(session) {
				t.Errorf("linked %+v, %v; open: %t", found, err, f.isOpen(session))
			}
		}
		for _, actor := range []string{u.ID, u.Email} {
			log, err := history.New(f.Store.Store).AuditLog(t.Context(), f.org, history.AuditFilter{Actor: actor, Limit: 2})
			f.check(err)
			if len(log) != 2 || log[0].Action != "password.remove" || log[1].Action != "identity.link" || log[1].Actor.Name != u.Email || string(log[1].After) != `{"issuer":"https://idp.test"}` {
				t.Errorf("the log is %+v", log)
			}
		}
	})
}

// A request of a signed-in person waits for no other transaction, however long nobody used the session.
func TestReadingASessionWaitsForNoWrite(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := storetest.Open(t, address)
		f := &fixture{people.New(s), t, storetest.Organization(t, s, 1, 100).ID, time.Now().Truncate(time.Millisecond)}
		session := f.signIn(f.join(f.org, "ana@example.com", account.RoleViewer), "")
		driver, lock := "sqlite", `UPDATE sessions SET seen_at = seen_at`
		if store.Shared(address) {
			driver, lock = "pgx", `LOCK TABLE sessions IN EXCLUSIVE MODE`
		}
		db, err := sql.Open(driver, address)
		f.check(err)
		defer db.Close()
		tx, err := db.BeginTx(t.Context(), nil)
		f.check(err)
		_, err = tx.ExecContext(t.Context(), lock)
		f.check(err)
		seen := f.now.Add(70 * time.Second)
		if open, err := f.Open(t.Context(), session, seen); err != nil || open.SessionID != session {
			t.Errorf("while others write: %+v, %v", open, err)
		}
		f.check(tx.Rollback())
		f.check(f.Tidy(t.Context(), seen))
		at, err := engine.FindValues[int64](t.Context(), f.Reports, `SELECT seen_at FROM sessions WHERE id = $1`, session)
		f.check(err)
		if len(at) != 1 || at[0] != seen.UnixMilli() {
			t.Errorf("stored as last seen: %v, want %d", at, seen.UnixMilli())
		}
	})
}
