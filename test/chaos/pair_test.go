package chaos

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"earshot/internal/store/storetest"
	"earshot/test/harness/program"
	"earshot/test/harness/tool"
)

// pair is a PostgreSQL server and its standby, which has every commit before it is confirmed. The
// first server is on a disk that can be filled, and has a clock that can be stepped.
type pair struct {
	primary, standby server
	disk             string  // the mount point, or "" if nothing may be mounted
	step             string  // the file with the step of the clock, in seconds
	admin            *sql.DB // of the first server
	books            *sql.DB
	address          string // of whichever server is the primary
}

// diskSize is enough for the primary. PostgreSQL reserves 16 MB for each file of its log.
const diskSize = "1g"

// newPair creates the servers with the programs of the server that the other tests use.
func newPair(t *testing.T) *pair {
	t.Helper()
	given := open(t, "pgx", storetest.Postgres(t))
	var programs, data string
	err := given.QueryRowContext(t.Context(), `SELECT (SELECT setting FROM pg_config WHERE name = 'BINDIR'), current_setting('data_directory')`).Scan(&programs, &data)
	if err != nil {
		t.Fatal(err)
	}
	home, err := os.MkdirTemp("", "earshot-pair.") // another user must be able to enter it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) }) // a temporary folder
	p := &pair{step: filepath.Join(home, "step")}
	p.primary = server{folder: filepath.Join(home, "disk", "primary"), programs: filepath.Join(home, "bin"), port: freePort(t)}
	p.standby = server{folder: filepath.Join(home, "standby"), programs: programs, port: freePort(t)}
	p.mount(t, filepath.Join(home, "disk"))
	p.preload(t, home, programs)
	own := func(path string) {
		t.Helper()
		must(t, "chown", "-R", "--reference="+data, path)
		must(t, "chmod", "-R", "u=rwX,go=", path)
	}
	must(t, "chmod", "755", home)
	for _, s := range []server{p.primary, p.standby} {
		must(t, "mkdir", "-p", s.folder)
		own(s.folder)
		must(t, "chown", "--reference="+data, filepath.Dir(s.folder)) // for the log
	}
	p.primary.control(t, "initdb", "-s", "-o", "-U earshot -A trust -E UTF8 --no-locale --no-sync")
	settings := `listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 200
max_wal_size = 128MB
min_wal_size = 32MB
timezone = 'UTC'
`
	appendTo(t, filepath.Join(p.primary.folder, "postgresql.conf"), settings)
	appendTo(t, filepath.Join(p.primary.folder, "pg_hba.conf"), "host replication all 127.0.0.1/32 trust\n")
	p.primary.start(t)
	t.Cleanup(func() { p.stop(t) })
	must(t, filepath.Join(programs, "pg_basebackup"), "-D", p.standby.folder, "-R", "-c", "fast", "-d", p.primary.address("postgres"))
	own(p.standby.folder)
	p.standby.start(t)
	p.admin = open(t, "pgx", p.primary.address("postgres"))
	for _, query := range []string{`ALTER SYSTEM SET synchronous_standby_names = '*'`, `SELECT pg_reload_conf()`} {
		if _, err := p.admin.ExecContext(t.Context(), query); err != nil {
			t.Fatal(err)
		}
	}
	p.address = fmt.Sprintf("postgres://earshot@127.0.0.1:%d,127.0.0.1:%d/postgres?sslmode=disable&target_session_attrs=read-write", p.primary.port, p.standby.port)
	p.books = open(t, "pgx", p.address)
	return p
}

func (s server) address(database string) string {
	return fmt.Sprintf("postgres://earshot@127.0.0.1:%d/%s?sslmode=disable", s.port, database)
}

// mount puts a small file system at the folder. Root may do that, but not in every container.
func (p *pair) mount(t *testing.T, folder string) {
	t.Helper()
	must(t, "mkdir", "-p", folder)
	if text, err := program.Command(t, "mount", "-t", "tmpfs", "-o", "size="+diskSize, "tmpfs", folder).CombinedOutput(); err != nil {
		t.Logf("without a small disk: %v: %s", err, text)
		return
	}
	p.disk = folder
	t.Cleanup(func() {
		if text, err := exec.CommandContext(context.WithoutCancel(t.Context()), "umount", folder).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, text)
		}
	})
}

// preload makes a pg_ctl that starts the server with a clock that can be stepped.
func (p *pair) preload(t *testing.T, home, programs string) {
	t.Helper()
	library := filepath.Join(home, "stepclock.so")
	compiler, err := exec.LookPath("cc")
	tool.Need(t, err)
	must(t, compiler, "-O2", "-shared", "-fPIC", "-o", library, "../../scripts/stepclock.c", "-ldl")
	must(t, "mkdir", "-p", p.primary.programs)
	script := fmt.Sprintf("#!/bin/sh\nexport LD_PRELOAD=%q CLOCK_STEP_FILE=%q\nexec %q \"$@\"\n", library, p.step, filepath.Join(programs, "pg_ctl"))
	if err := os.WriteFile(filepath.Join(p.primary.programs, "pg_ctl"), []byte(script), 0o755); err != nil { // another user runs it
		t.Fatal(err)
	}
}

// stop stops the servers that run.
func (p *pair) stop(t *testing.T) {
	t.Helper()
	for _, s := range []server{p.standby, p.primary} {
		if _, err := os.Stat(filepath.Join(s.folder, "postmaster.pid")); err == nil {
			s.kill(t)
		}
	}
}

// stepClock moves the clock of the primary ahead, until the returned function is called.
func (p *pair) stepClock(t *testing.T, by time.Duration) (back func()) {
	t.Helper()
	appendTo(t, p.step, fmt.Sprintf("%d\n", int(by.Seconds())))
	if err := os.Chmod(p.step, 0o644); err != nil { // another user reads it
		t.Fatal(err)
	}
	var now time.Time
	if err := p.admin.QueryRowContext(t.Context(), `SELECT clock_timestamp()`).Scan(&now); err != nil || time.Until(now) < by-time.Minute {
		t.Fatalf("the clock of the database was not stepped by %s: %s, %v", by, now, err)
	}
	return func() {
		t.Helper()
		if err := os.Remove(p.step); err != nil {
			t.Error(err)
		}
	}
}

// fill leaves no room on the disk of the primary, until the returned function is called. That
// starts the server again if it has stopped, as an operator would.
func (p *pair) fill(t *testing.T) (free func()) {
	t.Helper()
	ballast := filepath.Join(p.disk, "ballast")
	_ = program.Command(t, "dd", "if=/dev/zero", "of="+ballast, "bs=1M").Run() // ends when the disk is full
	if _, err := p.admin.ExecContext(t.Context(), `CREATE TABLE ballast AS SELECT generate_series(1, 1000000)`); err == nil {
		t.Fatal("the disk is not full")
	}
	return func() {
		t.Helper()
		if err := os.Remove(ballast); err != nil {
			t.Error(err)
		}
		for deadline := time.Now().Add(startTime); p.admin.PingContext(t.Context()) != nil; time.Sleep(100 * time.Millisecond) {
			if isDown(p.primary) {
				p.primary.start(t)
			}
			if time.Now().After(deadline) {
				t.Fatal("the primary does not come back")
			}
		}
	}
}

// isDown reports whether the server has ended, and not only its sessions.
func isDown(s server) bool {
	conn, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", s.port), time.Second)
	if err == nil {
		conn.Close()
	}
	return err != nil
}

// failOver kills the primary and promotes the standby, which goes on without one.
func (p *pair) failOver(t *testing.T) {
	t.Helper()
	p.primary.kill(t)
	p.standby.control(t, "promote")
}

// must runs a program.
func must(t *testing.T, name string, args ...string) {
	t.Helper()
	if text, err := program.Command(t, name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, text)
	}
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = file.WriteString(text)
	}
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// freePort returns a port on which nothing listens.
func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	address, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		t.Fatal(syscall.EINVAL)
	}
	return address.Port
}
