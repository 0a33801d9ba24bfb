package track_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/engine"
	"earshot/internal/store/exporting"
	"earshot/internal/store/storetest"
	"earshot/internal/store/tracking"
)

// sqlColumns are the columns of exports that have another name in SQL, because of its keywords.
var sqlColumns = map[string]string{"where": "found_in", "index": "found_index", "start": "start_byte", "end": "end_byte"}

// exported returns the rows of an exported table, sorted, and its columns in SQL.
func (w *world) exported(name, table string) (columns, rows []string) {
	w.Helper()
	export, err := w.services[0].Export(w.Context(), w.organization, name, &earshot.ExportQuery{Table: table}, time.Time{}, time.Time{}, w.now)
	if err != nil {
		w.Fatal(err)
	}
	for line, err := range export.Pieces {
		if err != nil {
			w.Fatal(err)
		}
		columns = nil
		var values []any
		fields := json.NewDecoder(bytes.NewReader(line))
		for token, err := fields.Token(); fields.More(); token, err = fields.Token() { // in the order of the columns
			if err != nil {
				w.Fatal(err)
			}
			column, isColumn := token.(string)
			if !isColumn {
				continue // the beginning of the object
			}
			var value any
			if err := fields.Decode(&value); err != nil {
				w.Fatal(err)
			}
			if renamed, ok := sqlColumns[column]; ok {
				column = renamed
			}
			for i := len(column) - 1; i > 0; i-- {
				if upper := column[i]; upper >= 'A' && upper <= 'Z' {
					column = column[:i] + "_" + strings.ToLower(column[i:])
				}
			}
			switch column {
			case "via":
				if value == "" {
					value = nil
				}
			case "made_up":
				value = map[any]float64{true: 1, false: 0}[value]
			case "domains":
				if value == nil {
					value = []any{}
				}
			}
			columns, values = append(columns, column), append(values, value)
		}
		rows = append(rows, fmt.Sprintf("%#v", values))
	}
	slices.Sort(rows)
	return columns, rows
}

// viewed returns the rows of a view, sorted.
func (w *world) viewed(name, view string, columns []string) (rows []string) {
	w.Helper()
	err := w.store.ShardOf(w.organization).Lookups.Find(w.Context(), func(r engine.Scanner) error {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := r.Scan(into...); err != nil {
			return err
		}
		for i, value := range values {
			switch value := value.(type) {
			case int64:
				values[i] = float64(value)
			case time.Time:
				values[i] = value.UTC().Format("2006-01-02T15:04:05.000Z")
			case string:
				if columns[i] == "domains" {
					var list []any
					if err := json.Unmarshal([]byte(value), &list); err != nil {
						return err
					}
					values[i] = list
				}
			}
		}
		rows = append(rows, fmt.Sprintf("%#v", values))
		return nil
	}, `SELECT `+strings.Join(columns, ", ")+` FROM `+view+` WHERE organization = $1 AND tracker_name = $2`, w.organization, name)
	if err != nil {
		w.Fatal(err)
	}
	slices.Sort(rows)
	return rows
}

// expectStored checks the number of rows in the tables behind the views.
func (w *world) expectStored(what string, want int) {
	w.Helper()
	n := 0
	for _, table := range exporting.RowTables {
		rows, err := engine.FindValues[int64](w.Context(), w.store.ShardOf(w.organization).Lookups, `SELECT COUNT(*) FROM `+table)
		if err != nil {
			w.Fatal(err)
		}
		n += int(rows[0])
	}
	if n != want {
		w.Errorf("%s: %d rows are stored, want %d", what, n, want)
	}
}

// TestViewsShowTheRowsOfExports compares the views with exports after sweeps, changed rules,
// another setting, the expiry of answers, and the deletion of the tracker.
func TestViewsShowTheRowsOfExports(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		// Answers are found by their ids, which contain the real time.
		w := newWorld(t, address, time.Now())
		w.result = `{"surface":"lab","text":"1. Ollaro makes good hats [1].\n2. Kestrin makes none.","sources":[{"url":"https://ollaro.example/hats","label":"Hats","position":1},{"url":"https://hats.example/","label":"Other hats","position":2}]}`
		definition := "brands: [{name: %s, own: true, domains: [ollaro.example]}, {name: Kestrin}]\nprompts: [best hats, good hats, red hats, cheap hats, warm hats, hats]\n" +
			"targets: [{provider: chatassistant, country: US}]\nkeep: 5d\n%s\n"
		equal := func(what, name string) {
			t.Helper()
			all := 0
			for _, table := range []string{"mentions", "citations", "metrics"} {
				columns, want := w.exported(name, table)
				if len(want) == 0 {
					t.Fatalf("%s: no %s are exported", what, table)
				}
				if diff := cmp.Diff(want, w.viewed(name, "report_"+table, columns)); diff != "" {
					t.Errorf("%s: report_%s differs (-export +view):\n%s", what, table, diff)
				}
				all += len(want)
			}
			w.expectStored(what, all)
		}
		settle := func() {
			for range 8 { // until answers are analysed and days are written
				w.stepOf(0)
			}
		}
		w.apply("hats", fmt.Sprintf(definition, "Ollaro", "exports: {sql: true}"))
		w.run("hats", false)
		settle()
		equal("a sweep", "hats")
		w.run("hats", false)
		settle()
		equal("two sweeps", "hats")
		if store.Shared(address) {
			readByRole(t, address)
		}

		// A node wrote some rows and was killed.
		for _, statement := range []string{`UPDATE export_days SET version = version + 1`, `UPDATE exported_citations SET version = version + 1`} {
			if _, err := w.store.ShardOf(w.organization).Run(statement); err != nil {
				t.Fatal(err)
			}
		}
		w.apply("hats", fmt.Sprintf(definition, "Ollaro Hats, aliases: [good hats]", "exports: {sql: true}"))
		settle()
		equal("other rules", "hats")

		w.apply("hats", fmt.Sprintf(definition, "Ollaro", ""))
		settle()
		w.expectStored("without exports", 0)
		w.apply("hats", fmt.Sprintf(definition, "Ollaro", "exports: {sql: true}"))
		settle()
		equal("turned on again", "hats")

		if err := tracking.New(w.store).DeleteTracker(t.Context(), w.organization, "hats", account.Operator(), w.now); err != nil {
			t.Fatal(err)
		}
		if rows := w.viewed("hats", "report_metrics", []string{"metric"}); len(rows) > 0 {
			t.Errorf("the view shows %d metrics of a deleted tracker", len(rows))
		}
		settle()
		w.expectStored("a deleted tracker", 0)
		for range 3 {
			if _, err := tracking.New(w.store).DeleteTracked(t.Context(), w.now); err != nil {
				t.Fatal(err)
			}
		}
		left, err := engine.FindValues[int64](t.Context(), w.store.ShardOf(w.organization).Lookups, `SELECT (SELECT COUNT(*) FROM trackers) + (SELECT COUNT(*) FROM export_days)`)
		if err != nil || left[0] > 0 {
			t.Errorf("%v rows of the deleted tracker are left, %v", left, err)
		}

		w.apply("caps", fmt.Sprintf(definition, "Ollaro", "exports: {sql: true}"))
		w.run("caps", false)
		settle()
		equal("another tracker", "caps")
		w.now = w.now.AddDate(0, 0, 6)
		if err := exporting.New(w.store).Expire(w.now); err != nil {
			t.Fatal(err)
		}
		settle()
		w.expectStored("answers have expired", 0)
		storetest.Audited(t, w.store)
	})
}

// readByRole reads the views as a role that may read nothing else.
func readByRole(t *testing.T, address string) {
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
	defer func() { _ = tx.Rollback() }() // also removes the role
	for _, statement := range []string{
		`CREATE ROLE analyst`,
		`DO $$ BEGIN EXECUTE 'GRANT USAGE ON SCHEMA ' || current_schema() || ' TO analyst'; END $$`,
		`GRANT SELECT ON report_trackers, report_sweeps, report_answers, report_mentions, report_citations, report_metrics TO analyst`,
		`SET LOCAL ROLE analyst`,
	} {
		if _, err := tx.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	for _, view := range []string{"report_trackers", "report_sweeps", "report_answers", "report_mentions", "report_citations", "report_metrics"} {
		var rows int
		if err := tx.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM `+view).Scan(&rows); err != nil || rows == 0 {
			t.Errorf("the role reads %d rows of %s, %v", rows, view, err)
		}
	}
	if _, err := tx.ExecContext(t.Context(), `SELECT * FROM exported_mentions`); err == nil || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("the role reads a table: %v", err)
	}
}
