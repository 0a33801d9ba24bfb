package main

import (
	"bytes"
	"database/sql"
	"errors"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver, to lock tables

	"earshot/internal/app"
	"earshot/internal/store"
	"earshot/internal/store/engine"
	"earshot/internal/store/storetest"
	"earshot/test/harness"
	"earshot/test/harness/program"
)

// The requests whose responses are compared before and after the migration.
var movedQuestions = []string{
	"/v1/credits", "/v1/ledger", "/v1/usage", "/v1/requests", "/v1/async/tasks", "/v1/async/status", "/v1/batches", "/v1/channels",
	"/v1/trackers", "/v1/trackers/demo/sweeps", "/v1/trackers/demo/answers", "/v1/trackers/demo/rules",
	"/v1/trackers/demo/metrics?by=prompt,sweep&metric=visibility", "/v1/trackers/demo/metrics", "/v1/trackers/demo/sources", "/v1/trackers/demo/export?table=mentions",
}

// An API node runs no tasks, so that some are queued.
func apiOnly(c *app.Config) { c.Role = app.RoleAPI }

// fillForMove creates data of every kind through a server, and returns the responses.
func fillForMove(t *testing.T, file string) (a *app.Account, answers map[string]string) {
	t.Helper()
	n := harness.StartOn(t, file, apiOnly)
	a = n.Admin(t, n.Organization(t, "hobby", 1000))
	n.Post(t, a, harness.ChatPath, harness.GoodCall).Has(t, "a call", http.StatusOK)
	n.Post(t, a, harness.BatchPath, "["+harness.GoodTask+","+harness.GoodTask+"]").Has(t, "a batch", http.StatusOK)
	n.Send(t, a, http.MethodPut, "/v1/channels/ops", `{"kind":"webhook","url":"https://receiver.example/"}`).Has(t, "a channel", http.StatusOK)
	n.Post(t, a, "/v1/trackers/demo/demo", `{"days":5,"prompts":3}`).Has(t, "a demo", http.StatusOK)
	answers = asked(t, n, a)
	if err := n.Stop(); err != nil {
		t.Fatal(err)
	}
	return a, answers
}

func asked(t *testing.T, n *harness.Node, a *app.Account) map[string]string {
	t.Helper()
	answers := map[string]string{}
	for _, path := range movedQuestions {
		reply := n.Get(t, a, path)
		reply.Has(t, path, http.StatusOK)
		answers[path] = strings.ReplaceAll(string(reply.Body), n.BaseURL, "")
	}
	return answers
}

// killAt runs a command and kills it while it waits for a locked table.
func killAt(t *testing.T, address, table string, command *exec.Cmd) {
	t.Helper()
	db, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(t.Context(), `LOCK TABLE `+table+` IN SHARE MODE`); err != nil {
		t.Fatal(err)
	}
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	harness.Eventually(t, "the command waits for "+table, func() bool {
		waiting := 0
		if err := tx.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM pg_locks WHERE NOT granted AND relation = $1::regclass`, table).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
		return waiting > 0
	})
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); err == nil {
		t.Fatalf("it was done before it was killed:\n%s", &output)
	}
}

func TestMigrateContinuesAfterKill(t *testing.T) {
	t.Parallel()
	from, to := filepath.Join(t.TempDir(), "earshot.db"), storetest.FreshPostgres(t)
	binary := program.Earshot(t)
	a, want := fillForMove(t, from)
	target, err := store.Open(t.Context(), store.Config{URL: to}) // its tables can be locked now
	if err != nil {
		t.Fatal(err)
	}
	if err := target.Close(); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"answers", "cells"} {
		killAt(t, to, table, program.Command(t, binary, "migrate", "--from", "sqlite:"+from, "--to", to))
		if _, err := store.Open(t.Context(), store.Config{URL: to}); !errors.Is(err, engine.ErrUnfinishedTransfer) {
			t.Errorf("half a database is opened: %v", err)
		}
	}
	wants(t, mustRun(t, "migrate", "--from", filepath.Dir(from), "--database", to), "the metrics of 1 trackers are the same in both databases\n")

	n := harness.StartOn(t, to, apiOnly)
	if diff := cmp.Diff(want, asked(t, n, a)); diff != "" {
		t.Errorf("answers before and after (-want +got):\n%s", diff)
	}
	storetest.Audited(t, n.Store)
	storetest.Audited(t, storetest.Open(t, from))
}
