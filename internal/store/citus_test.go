package store_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/orgs"
	"earshot/internal/store/storetest"
)

func TestOrganizationsAreDistributedOverShards(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, storetest.Citus(t))
	for range 16 {
		storetest.Organization(t, s, 1, 100)
	}
	for i, n := range s.Spread(t, "organizations") {
		if n == 0 {
			t.Errorf("shard %d has no organization", i)
		}
	}
	storetest.Audited(t, s)
}

// onServer returns a function that runs statements directly on a server of the cluster.
func onServer(t *testing.T, address string) func(statements ...string) {
	t.Helper()
	db, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return func(statements ...string) {
		t.Helper()
		for _, text := range statements {
			if _, err := db.ExecContext(context.WithoutCancel(t.Context()), text); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
		}
	}
}

func TestAShardCanBeMovedWhileItIsUsed(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, storetest.Citus(t))
	node := aNode(t, s)
	var all []*account.Organization
	for range 4 {
		all = append(all, storetest.Organization(t, s, 5, 100_000))
	}
	stop := make(chan struct{})
	var charged atomic.Int64
	var group errgroup.Group
	// again repeats an operation until it succeeds: it fails while the shard is moved.
	again := func(do func() error) error {
		for {
			var known *earshot.Error
			if err := do(); !errors.As(err, &known) || known.Code != earshot.CodeServerUnavailable {
				return err
			}
		}
	}
	for _, o := range all {
		group.Go(func() error {
			for {
				job := aJob(o, node, 5)
				err := again(func() error { _, err := s.Begin(job); return err })
				if err == nil {
					err = again(func() error { _, err := s.Settle(completed(job, 5), time.Now()); return err })
				}
				if err != nil {
					return err
				}
				charged.Add(5)
				select {
				case <-stop:
					return nil
				default:
				}
			}
		})
	}
	run := onServer(t, os.Getenv(storetest.CitusVariable))
	for range 2 { // to another worker and back; connections stay open
		schema, host, port := s.Place(t)
		run(fmt.Sprintf(`SELECT citus_schema_move('%s', nodename, nodeport) FROM pg_dist_node
			WHERE groupid <> 0 AND (nodename, nodeport) <> ('%s', %d) ORDER BY groupid LIMIT 1`, schema, host, port))
		if _, nowHost, nowPort := s.Place(t); nowHost == host && nowPort == port {
			t.Errorf("%s was not moved", schema)
		}
	}
	close(stop)
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	var left int64
	for _, o := range all {
		now, err := orgs.New(s).Organization(t.Context(), o.ID, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		left += now.Balance
	}
	if want := 4*100_000 - charged.Load(); left != want {
		t.Errorf("%d credits are left, and should be %d", left, want)
	}
	storetest.Audited(t, s)
}

func TestAFilledDatabaseIsRefusedOnceItHasWorkers(t *testing.T) {
	t.Parallel()
	server := os.Getenv(storetest.CitusVariable)
	_, host, port := storetest.Open(t, storetest.Citus(t)).Place(t) // some worker
	name := "plain_" + strings.ToLower(rand.Text())
	worker := net.JoinHostPort(host, strconv.Itoa(int(port)))
	for _, server := range []string{server, onDatabase(t, server, "postgres", worker)} {
		run := onServer(t, server)
		run(`CREATE DATABASE ` + name)
		t.Cleanup(func() { run(`DROP DATABASE ` + name + ` WITH (FORCE)`) })
	}
	open := func() error {
		s, err := store.Open(t.Context(), store.Config{URL: onDatabase(t, server, name, "")})
		if err != nil {
			return err
		}
		if found, err := orgs.New(s).Organizations(t.Context()); err != nil || len(found) != 1 {
			storetest.Organization(t, s, 1, 100)
		}
		return s.Close()
	}
	if err := open(); err != nil {
		t.Fatal(err)
	}
	coordinator := onServer(t, onDatabase(t, server, name, ""))
	coordinator(`CREATE EXTENSION citus`)
	if err := open(); err != nil {
		t.Errorf("with the extension alone: %v", err)
	}
	onServer(t, onDatabase(t, server, name, worker))(`CREATE EXTENSION citus`)
	coordinator(
		`SELECT citus_set_coordinator_host('127.0.0.1', inet_server_port())`,
		fmt.Sprintf(`SELECT citus_add_node('%s', %d)`, host, port))
	if err := open(); err == nil || !strings.Contains(err.Error(), "copy it into an empty database with 'earshot migrate'") {
		t.Errorf("with a worker: %v", err)
	}
	coordinator(fmt.Sprintf(`SELECT citus_remove_node('%s', %d)`, host, port))
	if err := open(); err != nil {
		t.Errorf("without it again: %v", err)
	}
}

// TestPreparedTransactionsOfACrashAreEnded leaves two prepared transactions on a worker, as a coordinator
// does that crashes between the phases of a commit: one that it had decided to commit, and one that
// it had not.
func TestPreparedTransactionsOfACrashAreEnded(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, storetest.Citus(t))
	_, host, port := s.Place(t)
	onCoordinator := onServer(t, os.Getenv(storetest.CitusVariable))
	onWorker := onServer(t, onDatabase(t, os.Getenv(storetest.CitusVariable), "postgres", net.JoinHostPort(host, strconv.Itoa(int(port)))))
	// Citus ends them every minute; prevent this until the test has checked them.
	onCoordinator(`ALTER SYSTEM SET citus.recover_2pc_interval = '-1'`, `SELECT pg_reload_conf()`)
	t.Cleanup(func() { onCoordinator(`ALTER SYSTEM RESET citus.recover_2pc_interval`, `SELECT pg_reload_conf()`) })
	var decided, open *account.Organization
	for open == nil { // both on the first shard
		before := s.Spread(t, "organizations")[0]
		o := storetest.Organization(t, s, 5, 1000)
		switch {
		case s.Spread(t, "organizations")[0] == before:
		case decided == nil:
			decided = o
		default:
			open = o
		}
	}
	for i, o := range []*account.Organization{decided, open} {
		// Citus identifies the owner by the name of the transaction: group 0 is the coordinator.
		id := fmt.Sprintf("citus_0_%d_%d_0", time.Now().UnixNano()%1_000_000+1_000_000, i)
		onWorker(fmt.Sprintf(`SET citus.enable_manual_changes_to_shards = on; BEGIN; UPDATE %s SET slots = 7 WHERE id = '%s'; PREPARE TRANSACTION '%s'`, s.ShardTable(t), o.ID, id))
		if o == decided {
			onCoordinator(fmt.Sprintf(`INSERT INTO pg_dist_transaction (groupid, gid) SELECT groupid, '%s' FROM pg_dist_node WHERE (nodename, nodeport) = ('%s', %d)`, id, host, port))
		}
	}
	node := aNode(t, s)
	var known *earshot.Error
	if _, err := s.Begin(aJob(open, node, 5)); !errors.As(err, &known) || known.Code != earshot.CodeServerUnavailable {
		t.Errorf("while its row is locked: %v", err)
	}
	onCoordinator(`SELECT recover_prepared_transactions()`)
	for o, slots := range map[*account.Organization]int{decided: 7, open: 5} {
		job := aJob(o, node, 5)
		begin(t, s, job)
		settle(t, s, completed(job, 5), time.Now())
		if now, err := orgs.New(s).Organization(t.Context(), o.ID, time.Now()); err != nil || now.Plan.Slots != slots {
			t.Errorf("got %+v, %v, and not %d slots", now, err, slots)
		}
	}
	storetest.Audited(t, s)
}

// onDatabase changes the database in an address, and the server unless host is "".
func onDatabase(t *testing.T, address, database, host string) string {
	t.Helper()
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	at.Path = "/" + database
	if host != "" {
		at.Host = host
	}
	return at.String()
}
