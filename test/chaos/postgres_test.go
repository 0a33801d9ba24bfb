package chaos

import (
	"context"
	"crypto/rand"
	"database/sql"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"earshot/internal/store/storetest"
)

// database is the PostgreSQL that nodes share. They have a role of their own, by
// which their sessions are told from those of other tests.
type database struct {
	admin   *sql.DB
	books   *sql.DB // in the schema of the nodes
	wire    *wire
	role    string
	address string // of the nodes
}

func newDatabase(t *testing.T) *database {
	t.Helper()
	address := storetest.FreshPostgres(t)
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	d := &database{admin: open(t, "pgx", os.Getenv(storetest.PostgresVariable)), books: open(t, "pgx", address), role: "chaos_" + strings.ToLower(rand.Text())}
	password := rand.Text()
	d.must(t, t.Context(), `CREATE ROLE `+d.role+` LOGIN PASSWORD '`+password+`'`)
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		d.must(t, ctx, `DROP OWNED BY `+d.role+` CASCADE`)
		d.must(t, ctx, `DROP ROLE `+d.role)
	})
	d.must(t, t.Context(), `GRANT ALL ON SCHEMA `+at.Query().Get("search_path")+` TO `+d.role)
	at.User = url.UserPassword(d.role, password)
	d.wire, at.Host = newWire(t, at.Host)
	d.address = at.String()
	return d
}

func (d *database) must(t *testing.T, ctx context.Context, query string) {
	t.Helper()
	if _, err := d.admin.ExecContext(ctx, query); err != nil {
		t.Fatalf("%v: %s", err, query)
	}
}

// cut ends every session of the nodes, whatever it is doing.
func (d *database) cut(t *testing.T) int {
	t.Helper()
	var n int
	err := d.admin.QueryRowContext(t.Context(), `
		SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'earshot' AND usename = $1`, d.role).Scan(&n)
	if err != nil {
		t.Fatalf("cut the connections: %v", err)
	}
	return n
}

// ours tells that scripts/with-postgres.sh made the server for this run, so that
// it may be crashed.
func (d *database) ours(t *testing.T) bool {
	t.Helper()
	var folder string
	if err := d.admin.QueryRowContext(t.Context(), `SELECT current_setting('data_directory')`).Scan(&folder); err != nil {
		t.Fatal(err)
	}
	return strings.Contains(folder, "/earshot-postgres.")
}

// crash kills a server process as the system would when memory runs out. The
// server then drops every session at once, starts anew and recovers from its log.
func (d *database) crash(t *testing.T) {
	t.Helper()
	if _, err := d.admin.ExecContext(t.Context(), `COPY (SELECT 1) TO PROGRAM 'kill -KILL $PPID'`); err == nil {
		t.Fatal("the database survived")
	}
	for deadline := time.Now().Add(startTime); ; time.Sleep(10 * time.Millisecond) {
		err := d.admin.PingContext(t.Context())
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the database did not come back: %v", err)
		}
	}
}
