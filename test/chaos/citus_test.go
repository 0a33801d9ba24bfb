package chaos

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/store"
	"earshot/internal/store/engine"
	"earshot/internal/store/storetest"
	"earshot/test/harness"
)

// server is a PostgreSQL that scripts/with-citus.sh made for this run.
type server struct {
	folder, programs string
	port             int
}

// control has pg_ctl do something with the server, as the user that it belongs to.
func (s server) control(t *testing.T, args ...string) {
	t.Helper()
	info, err := os.Stat(s.folder)
	if err != nil {
		t.Fatal(err)
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		t.Fatalf("the folder's owner is a %T", info.Sys())
	}
	command := exec.CommandContext(context.WithoutCancel(t.Context()), filepath.Join(s.programs, "pg_ctl"), append(args, "-D", s.folder, "-w", "-t", "60")...)
	command.Dir = filepath.Dir(s.folder)
	if os.Getuid() == 0 {
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}}
	}
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("pg_ctl %s: %v\n%s", args, err, out)
	}
}

func (s server) kill(t *testing.T) { t.Helper(); s.control(t, "stop", "-m", "immediate") }

func (s server) start(t *testing.T) {
	t.Helper()
	s.control(t, "start", "-l", s.folder+".log", "-o", fmt.Sprintf("-p %d", s.port))
}

// freeze stops all processes of the server, as a failing disk or an overloaded machine does: its
// connections stay open, and nothing answers.
func (s server) freeze(t *testing.T) {
	t.Helper()
	t.Cleanup(func() { s.thaw(t) })
	s.signal(t, syscall.SIGSTOP)
}

// thaw continues the processes of a frozen server.
func (s server) thaw(t *testing.T) { t.Helper(); s.signal(t, syscall.SIGCONT) }

// signal sends a signal to the server's first process, and then to all processes that it has started.
func (s server) signal(t *testing.T, signal syscall.Signal) {
	t.Helper()
	file, err := os.ReadFile(filepath.Join(s.folder, "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(file), "\n")
	send := func(text string) {
		pid, err := strconv.Atoi(text)
		if err == nil {
			err = syscall.Kill(pid, signal)
		}
		if err != nil && !errors.Is(err, syscall.ESRCH) { // it has ended meanwhile
			t.Fatalf("signal process %q: %v", text, err)
		}
	}
	send(first)
	started, err := os.ReadFile("/proc/" + first + "/task/" + first + "/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range strings.Fields(string(started)) {
		send(text)
	}
}

// servers are the coordinator and the workers.
func servers(t *testing.T, coordinator *sql.DB) (all []server) {
	t.Helper()
	const about = `SELECT concat_ws(' ', current_setting('data_directory'), (SELECT setting FROM pg_config WHERE name = 'BINDIR'), current_setting('port'))`
	found, err := coordinator.QueryContext(t.Context(), about+` UNION ALL SELECT result FROM run_command_on_workers($$`+about+`$$)`)
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	for found.Next() {
		var text string
		var s server
		if err := found.Scan(&text); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Sscan(text, &s.folder, &s.programs, &s.port); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(s.folder, "/earshot-postgres.") {
			if os.Getenv("CI") == "true" {
				t.Fatalf("%s is not ours to stop", s.folder)
			}
			t.Skipf("%s is not ours to stop", s.folder)
		}
		all = append(all, s)
	}
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// spread makes the database and gives a way to read the rows of all workers as if they were
// in one place.
func (d *database) spread(t *testing.T, address string) *sql.DB {
	t.Helper()
	s, err := store.Open(t.Context(), store.Config{URL: address})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	query := at.Query()
	own := query.Get("search_path")
	books := own + "_books"
	d.must(t, t.Context(), `CREATE SCHEMA `+books)
	t.Cleanup(func() { d.must(t, context.WithoutCancel(t.Context()), `DROP SCHEMA `+books+` CASCADE`) })
	var views string
	err = d.admin.QueryRowContext(t.Context(), `SELECT string_agg(text, '; ') FROM (
			SELECT format('CREATE VIEW %I.%I AS ', $1 || '_books', relname) || string_agg(format('SELECT * FROM %I.%I', nspname, relname), ' UNION ALL ') AS text
			FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname ~ ('^' || $1 || '_[0-9]+$') AND relkind = 'r'
			GROUP BY relname) AS views`, own).Scan(&views)
	if err != nil {
		t.Fatal(err)
	}
	d.must(t, t.Context(), views)
	query.Set("search_path", books)
	at.RawQuery = query.Encode()
	return open(t, "pgx", at.String())
}

// cutAll ends every session on every server, whatever it is doing.
func (d *database) cutAll(t *testing.T) {
	t.Helper()
	const end = `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'earshot'`
	d.must(t, t.Context(), `SELECT * FROM run_command_on_all_nodes($$`+end+`$$)`)
}

// TestAWorkerThatIsGoneStopsOnlyItsOrganizations freezes a worker of Citus, kills it, and then
// kills the coordinator, under two nodes that go on.
func TestAWorkerThatIsGoneStopsOnlyItsOrganizations(t *testing.T) { // others must not need the cluster meanwhile
	address := storetest.Citus(t)
	all := servers(t, open(t, "pgx", address))
	node, other := harness.Pair(t, address)
	var accounts []*app.Account
	for range 12 {
		accounts = append(accounts, node.Organization(t, "many", 1000))
	}
	// ask has each organization submit a task on both nodes, and tells which could.
	ask := func(what string) (tasks map[*app.Account][]string, refused int) {
		t.Helper()
		tasks = map[*app.Account][]string{}
		for _, a := range accounts {
			for _, n := range []*harness.Node{node, other} {
				reply := n.Post(t, a, harness.TaskPath, harness.ChatTask(what))
				switch reply.StatusCode {
				case http.StatusOK, http.StatusCreated, http.StatusAccepted:
					var submitted struct{ Task earshot.Task }
					reply.Into(t, &submitted)
					tasks[a] = append(tasks[a], submitted.Task.ID)
				case http.StatusServiceUnavailable:
					refused++
				default:
					t.Errorf("%s: status %d: %s", what, reply.StatusCode, reply.Body)
				}
			}
		}
		return tasks, refused
	}
	finish := func(tasks map[*app.Account][]string) {
		t.Helper()
		for a, ids := range tasks {
			for _, id := range ids {
				if ended := node.Wait(t, a, id); ended.Task.Status != earshot.StatusCompleted {
					t.Errorf("task %s ended as %s", id, ended.Task.Status)
				}
			}
		}
	}
	before, refused := ask("before")
	if refused > 0 {
		t.Fatalf("%d tasks were refused while all servers run", refused)
	}
	worker, names := all[1], nodes(t, node)
	for _, fault := range []struct {
		name       string
		begin, end func(server, *testing.T)
	}{
		{"a frozen worker", server.freeze, server.thaw},
		{"a killed worker", server.kill, server.start},
	} {
		began, from := time.Now(), heartbeat(t, node)
		fault.begin(worker, t)
		during, refused := ask(fault.name)
		if refused == 0 || len(during) == 0 {
			t.Errorf("%s: %d tasks are refused and %d organizations have theirs queued", fault.name, refused, len(during))
		}
		t.Logf("%s: %d refused, %d organizations go on, after %s", fault.name, refused, len(during), time.Since(began))
		finish(during) // the tasks of other shards end while the worker is gone
		t.Logf("%s: theirs have ended after %s", fault.name, time.Since(began))
		// Both nodes outlast the time after which silent nodes are declared dead.
		harness.Eventually(t, "heartbeats", func() bool { return heartbeat(t, node) > from+2*store.TakeoverAfter.Milliseconds() })
		for _, n := range []*harness.Node{node, other} {
			if reply := n.Get(t, nil, "/readyz"); reply.StatusCode != http.StatusOK {
				t.Errorf("%s: /readyz: %d %s", fault.name, reply.StatusCode, reply.Body)
			}
		}
		if now := nodes(t, node); !slices.Equal(now, names) {
			t.Errorf("%s: the nodes were %v and are %v", fault.name, names, now)
		}
		fault.end(worker, t)
		harness.Eventually(t, "all organizations are served again", func() bool {
			_, refused = ask("after " + fault.name)
			return refused == 0
		})
	}
	finish(before)

	all[0].kill(t)
	all[0].start(t)
	harness.Eventually(t, "the nodes find the coordinator again", func() bool {
		_, refused = ask("after the coordinator")
		return refused == 0
	})
	harness.Eventually(t, "all tasks have ended", func() bool {
		for _, a := range accounts {
			if o := node.Reload(t, a); o.Queued+o.Running > 0 {
				return false
			}
		}
		return true
	})
	storetest.Audited(t, node.Store)
}

// nodes returns the ids of the live nodes.
func nodes(t *testing.T, n *harness.Node) []string {
	t.Helper()
	ids, err := engine.FindValues[string](t.Context(), n.Store.Lookups, `SELECT id FROM nodes ORDER BY id`)
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// heartbeat returns the time of the last heartbeat of the node that has been silent longest.
func heartbeat(t *testing.T, n *harness.Node) int64 {
	t.Helper()
	at, err := engine.FirstOf(engine.FindValues[int64](t.Context(), n.Store.Lookups, `SELECT MIN(seen_at) FROM nodes`))
	if err != nil {
		t.Fatal(err)
	}
	return at
}
