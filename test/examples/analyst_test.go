package examples

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"earshot"
	"earshot/internal/store"
	"earshot/internal/store/engine"
	"earshot/internal/store/storetest"
	"earshot/test/harness"
	"earshot/test/harness/tool"
)

// caps is a tracker that the views show. The lab names and cites its brands at random.
const caps = `
brands: [{name: Ollaro, own: true, domains: [ollaro.example]}, {name: Kestrin}, {name: Nordvale}]
prompts: [best caps, warm caps, red caps, light caps, cheap caps, caps for rain, caps for hiking, caps for children]
targets: [{provider: chatassistant, country: US}, {provider: answerengine, country: US}]
exports: {sql: true}
`

// withViews runs a test on each database, whose views show a tracker with two sweeps.
func withViews(t *testing.T, test func(t *testing.T, db *sql.DB, postgres bool)) {
	t.Helper()
	storetest.OnFresh(t, func(t *testing.T, address string) {
		n := harness.StartOn(t, address)
		a := n.Organization(t, "many", 10_000)
		n.SendWith(t, a, http.MethodPut, "/v1/trackers/caps", caps, map[string]string{"Content-Type": "application/yaml"}).Has(t, "apply", http.StatusOK)
		for range 2 {
			n.Post(t, a, "/v1/trackers/caps/sweeps", "{}").Has(t, "run now", http.StatusOK)
			harness.Eventually(t, "the sweep ends", func() bool {
				var page earshot.SweepPage
				n.Get(t, a, "/v1/trackers/caps/sweeps?limit=1").Has(t, "sweeps", http.StatusOK).Into(t, &page)
				return page.Sweeps[0].State == earshot.SweepClosed
			})
		}
		harness.Eventually(t, "the views show both sweeps", func() bool {
			sweeps, err := engine.FindValues[int64](t.Context(), n.Store.Lookups, `SELECT COUNT(DISTINCT sweep) FROM report_metrics`)
			return err == nil && sweeps[0] == 2
		})
		driver, source := "sqlite", "file:"+address+"?_pragma=busy_timeout(10000)"
		if store.Shared(address) {
			driver, source = "pgx", address
		}
		db, err := sql.Open(driver, source)
		if err != nil {
			t.Fatal(err)
		}
		db.SetMaxOpenConns(1) // temporary views belong to a connection
		t.Cleanup(func() {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
		test(t, db, store.Shared(address))
	})
}

// query returns the number of rows of a query that have no NULLs.
func query(t *testing.T, db *sql.DB, name, text string) (complete int) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), text)
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, text)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(values, nil) {
			complete++
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return complete
}

// example returns the path of a file of the examples.
func example(path ...string) string {
	return filepath.Join(append([]string{root, "examples"}, path...)...)
}

func readFile(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(example(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestQueriesOfViews(t *testing.T) {
	t.Parallel()
	withViews(t, func(t *testing.T, db *sql.DB, postgres bool) {
		files, err := filepath.Glob(example("sql", "*.sql"))
		if err != nil || len(files) == 0 {
			t.Fatal("no queries", err)
		}
		for _, file := range files {
			name := filepath.Base(file)
			if name == "visibility_per_week.sql" && !postgres || name == "visibility_per_week.sqlite.sql" && postgres {
				continue
			}
			if rows := query(t, db, name, readFile(t, "sql", name)); rows == 0 {
				t.Errorf("%s finds nothing", name)
			}
		}
		if postgres {
			grafana(t, db, files)
		}
		dbt(t, db)
	})
}

// grafana runs the queries of the dashboard. Each contains the query of a file.
func grafana(t *testing.T, db *sql.DB, files []string) {
	t.Helper()
	var dashboard struct {
		Templating struct {
			List []struct{ Name, Query string }
		}
		Panels []struct {
			Title   string
			Targets []struct{ RawSQL string }
		}
	}
	if err := json.Unmarshal([]byte(readFile(t, "sql", "grafana.json")), &dashboard); err != nil {
		t.Fatal(err)
	}
	if trackers := query(t, db, "trackers", dashboard.Templating.List[1].Query); trackers != 1 {
		t.Errorf("%d trackers can be chosen", trackers)
	}
	macro := regexp.MustCompile(`\$__timeFilter\((\w+)\)`)
	for _, panel := range dashboard.Panels {
		text := panel.Targets[0].RawSQL
		copied := func(file string) bool {
			_, statement, _ := strings.Cut(readFile(t, "sql", filepath.Base(file)), "\n") // without its comment
			return strings.Contains(text, "(\n"+statement+")")
		}
		if !slices.ContainsFunc(files, copied) {
			t.Errorf("the query of %q is not the one of a file", panel.Title)
		}
		text = strings.ReplaceAll(macro.ReplaceAllString(text, "$1 BETWEEN now() - interval '90 days' AND now()"), "${tracker:sqlstring}", "'caps'")
		if query(t, db, panel.Title, text) == 0 {
			t.Errorf("%q shows nothing", panel.Title)
		}
	}
}

// dbt runs the SQL of the models and the tests of their columns. dbt would replace source and ref
// by the names of views.
func dbt(t *testing.T, db *sql.DB) {
	t.Helper()
	var schema struct {
		Models []struct {
			Name    string
			Columns []struct {
				Name  string
				Tests []string
			}
		}
	}
	if err := yaml.Unmarshal([]byte(readFile(t, "dbt", "models", "schema.yml")), &schema); err != nil {
		t.Fatal(err)
	}
	reference := regexp.MustCompile(`\{\{ (?:source\('earshot', '(report_\w+)'\)|ref\('(\w+)'\)) \}\}`)
	for _, model := range schema.Models { // in the order of their references
		text := reference.ReplaceAllString(readFile(t, "dbt", "models", model.Name+".sql"), "$1$2")
		if _, err := db.ExecContext(t.Context(), "CREATE TEMPORARY VIEW "+model.Name+" AS "+text); err != nil {
			t.Fatalf("%s: %v\n%s", model.Name, err, text)
		}
		if query(t, db, model.Name, "SELECT * FROM "+model.Name) == 0 {
			t.Errorf("%s is empty", model.Name)
		}
		for _, column := range model.Columns {
			for _, test := range column.Tests {
				if test != "not_null" {
					t.Fatalf("no test %s is known", test)
				}
				if n := query(t, db, test, fmt.Sprintf("SELECT 1 FROM %s WHERE %s IS NULL", model.Name, column.Name)); n > 0 {
					t.Errorf("%s.%s is NULL in %d rows", model.Name, column.Name, n)
				}
			}
		}
	}
}

func TestDuckDBAndPandas(t *testing.T) {
	t.Parallel()
	a := newAccount(t, "analysts")
	dir := t.TempDir()
	a.run(t, dir, "earshot", "tracker", "demo", "--days", "15", "--prompts", "4")
	for _, table := range []string{"answers", "mentions", "citations", "metrics"} {
		a.run(t, dir, "earshot", "tracker", "export", "demo", "--table", table, "--format", "parquet", "-o", table+".parquet")
	}
	t.Run("pandas", func(t *testing.T) {
		t.Parallel()
		printed := a.run(t, dir, tool.Python(t, "pandas"), example("pandas", "visibility.py"), "demo")
		if !regexp.MustCompile(`(?s)brand .*Ollaro.*\n\d{4}-\d\d-\d\d .*0\.\d.*domain .*\d\n`).MatchString(printed) {
			t.Errorf("pandas prints\n%s", printed)
		}
	})
	t.Run("DuckDB", func(t *testing.T) {
		t.Parallel()
		tool.Folder(t, example("duckdb", "node_modules"))
		printed := strings.Split(strings.TrimSpace(a.run(t, dir, "node", example("duckdb", "report.mjs"))), "\n")
		if len(printed) != 3 {
			t.Fatalf("DuckDB prints %q", printed)
		}
		for _, line := range printed {
			var rows []map[string]any
			if err := json.Unmarshal([]byte(line), &rows); err != nil || len(rows) == 0 {
				t.Errorf("DuckDB prints %s, %v", line, err)
				continue
			}
			if slices.Contains(slices.Collect(maps.Values(rows[0])), nil) {
				t.Errorf("a value is NULL in %s", line)
			}
		}
	})
}
