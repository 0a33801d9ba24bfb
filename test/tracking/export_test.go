package tracking

import (
	"bytes"
	"database/sql"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"earshot"
	"earshot/client"
	"earshot/internal/app"
	"earshot/test/harness"
)

const exportPath = "/v1/trackers/shoes/export"

// rows reads a table by the names of its columns.
func rows(t *testing.T, reply *harness.Reply) (table []map[string]string) {
	t.Helper()
	if media := reply.Header.Get("Content-Type"); !strings.HasPrefix(media, "text/csv;") {
		t.Errorf("a table is %s", media)
	}
	records, err := csv.NewReader(bytes.NewReader(reply.Body)).ReadAll()
	if err != nil {
		t.Fatalf("%v in\n%s", err, reply.Body)
	}
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, name := range records[0] {
			row[name] = record[i]
		}
		table = append(table, row)
	}
	return table
}

func TestExports(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "many", 1000)
	applied(t, n, a, "", strings.NewReplacer("best running shoes for beginners", `"=HYPERLINK(\"http://x.example\",\"best\")"`, "prompts:", "  - {name: shoes}\nprompts:").Replace(shoes))
	if got := n.Get(t, a, exportPath).Has(t, "before the first sweep", http.StatusOK); len(got.Body) != 0 {
		t.Errorf("an empty export is %s", got.Body)
	}
	sweep := ended(t, n, a, run(t, n, a, "one").Sweep.ID)

	got := n.Get(t, a, exportPath).Has(t, "answers", http.StatusOK)
	answered, decoder := 0, json.NewDecoder(bytes.NewReader(got.Body))
	for decoder.More() {
		var answer earshot.TrackedAnswer
		if err := decoder.Decode(&answer); err != nil {
			t.Fatal(err)
		}
		if answer.Result != nil {
			answered++
		}
		if !answer.MadeUp && answer.Outcome == earshot.OutcomeAnswered {
			t.Errorf("the lab's answer is not marked: %+v", answer)
		}
	}
	if answered != 4 || bytes.Count(got.Body, []byte("\n")) != 6 || got.Header.Get("Content-Type") != "application/x-ndjson" ||
		got.Header.Get("Content-Disposition") != `attachment; filename="shoes-answers.ndjson"` {
		t.Errorf("%d of the answers have results, with %v:\n%.500s", answered, got.Header, got.Body)
	}
	exportedTables(t, n, a, sweep)
	exportedFindings(t, n, a, sweep)
	askedByTheTracker(t, n, a)
	brokenOff(t, n, a)
}

func exportedTables(t *testing.T, n *harness.Node, a *app.Account, sweep earshot.Sweep) {
	t.Helper()
	table := rows(t, n.Get(t, a, exportPath+"?format=csv&sweep="+sweep.ID).Has(t, "a table", http.StatusOK))
	if len(table) != 6 {
		t.Fatalf("the table has %d rows", len(table))
	}
	for _, row := range table {
		isAnswer := row["outcome"] == "answered"
		// A search page has a text where it has an overview.
		if row["slot"] != sweep.Slot || row["askedAt"] == "" || (!isAnswer && row["text"]+row["sources"] != "") || (isAnswer && strings.HasPrefix(row["target"], "chat") && row["text"] == "") {
			t.Errorf("a row is %v", row)
		}
		if row["promptId"] == "1" && !strings.HasPrefix(row["prompt"], "'=HYPERLINK(") {
			t.Errorf("a spreadsheet would compute %q", row["prompt"])
		}
		if row["promptId"] == "2" && row["tags"] != "trail" {
			t.Errorf("the tags are %q", row["tags"])
		}
	}
	if some := rows(t, n.Get(t, a, exportPath+"?format=csv&tag=trail&target=chatassistant/US").Has(t, "filtered", http.StatusOK)); len(some) != 1 {
		t.Errorf("the filters leave %d rows", len(some))
	}
	sweeps := rows(t, n.Get(t, a, exportPath+"?table=sweeps&format=csv").Has(t, "sweeps", http.StatusOK))
	if len(sweeps) != 1 || sweeps[0]["id"] != sweep.ID || sweeps[0]["answered"] != "4" || sweeps[0]["missing"] != "2" {
		t.Errorf("the sweeps are %v", sweeps)
	}
	var one earshot.Sweep
	n.Get(t, a, exportPath+"?table=sweeps&sweep="+sweep.ID).Has(t, "one sweep", http.StatusOK).Into(t, &one)
	if none := n.Get(t, a, exportPath+"?table=sweeps&to=2020-01-01"); one.ID != sweep.ID || len(none.Body) != 0 {
		t.Errorf("the sweep is %+v, and long ago there was %s", one, none.Body)
	}
	n.Get(t, a, exportPath+"?table=sweeps&tag=trail").Invalid(t, "a filter of answers", http.StatusBadRequest, "tag")
	n.Get(t, a, exportPath+"?format=xls&table=x").Invalid(t, "unknown", http.StatusBadRequest, "format", "table")
	n.Get(t, a, "/v1/trackers/nobody/export").Fails(t, "no tracker", http.StatusNotFound, earshot.CodeNotFound)
	n.Get(t, a, exportPath+"?sweep="+harness.NoTask).Invalid(t, "no sweep", http.StatusBadRequest, "sweep")
}

// exportedFindings exports what is found in answers in every format: the rows are the same.
func exportedFindings(t *testing.T, n *harness.Node, a *app.Account, sweep earshot.Sweep) {
	t.Helper()
	docs, err := os.ReadFile("../../docs/exports.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"answers", "sweeps", "mentions", "citations", "metrics"} {
		_, described, _ := strings.Cut(string(docs), "\n### "+table+"\n")
		described, _, _ = strings.Cut(described, "\n#")
		path := exportPath + "?sweep=" + sweep.ID + "&table=" + table
		objects := n.Get(t, a, path).Has(t, table, http.StatusOK).Body
		lines := bytes.Count(objects, []byte("\n"))
		if cells := rows(t, n.Get(t, a, path+"&format=csv").Has(t, table, http.StatusOK)); lines == 0 || len(cells) != lines {
			t.Errorf("%s has %d lines and %d rows", table, lines, len(cells))
		}
		whole := n.Get(t, a, path+"&format=parquet").Has(t, table, http.StatusOK)
		if whole.Header.Get("Content-Type") != "application/vnd.apache.parquet" {
			t.Errorf("the headers are %v", whole.Header)
		}
		file, err := parquet.OpenFile(bytes.NewReader(whole.Body), int64(len(whole.Body)))
		if err != nil {
			t.Fatalf("%s: %v", table, err)
		}
		if file.NumRows() != int64(lines) {
			t.Errorf("%s has %d rows in Parquet, and %d lines", table, file.NumRows(), lines)
		}
		for _, column := range file.Schema().Fields() {
			if !strings.Contains(described, "`"+column.Name()+"`") {
				t.Errorf("docs/exports.md says nothing of %q in %s", column.Name(), table)
			}
			if column.Optional() && table == "metrics" && bytes.Contains(objects, []byte(`"`+column.Name()+`":""`)) {
				t.Errorf("%s of %s is empty in NDJSON where it is null in Parquet", column.Name(), table)
			}
		}
	}
	// In Berlin that day begins an hour before it does in UTC, whose days answers have.
	n.Get(t, a, exportPath+"?table=sweeps&from=2026-03-11&to=2026-03-10T23:30:00Z").Has(t, "the first half hour of a day", http.StatusOK)
	n.Get(t, a, exportPath+"?table=answers&from=2026-03-11&to=2026-03-10T23:30:00Z").Invalid(t, "a range of answers", http.StatusBadRequest, "to")
	n.Get(t, a, exportPath+"?table=metrics&tag=trail").Invalid(t, "a filter of answers", http.StatusBadRequest, "tag")
}

// askedByTheTracker looks for the tasks among all requests.
func askedByTheTracker(t *testing.T, n *harness.Node, a *app.Account) {
	t.Helper()
	n.Post(t, a, harness.ChatPath, harness.GoodCall).Has(t, "a call", http.StatusOK)
	for query, want := range map[string]int{"": 7, "?tracker=shoes": 6} {
		var page earshot.RequestPage
		n.Get(t, a, "/v1/requests"+query).Has(t, "requests", http.StatusOK).Into(t, &page)
		named := slices.DeleteFunc(slices.Clone(page.Requests), func(r earshot.RequestRecord) bool { return r.Tracker != "shoes" })
		if len(page.Requests) != want || len(named) != min(want, 6) {
			t.Errorf("%q finds %d requests, of which %d name the tracker", query, len(page.Requests), len(named))
		}
	}
	n.Get(t, a, "/v1/requests?tracker=No").Invalid(t, "no name", http.StatusBadRequest, "tracker")
}

// brokenOff loses results: what is left must not look complete.
func brokenOff(t *testing.T, n *harness.Node, a *app.Account) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+n.Database+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var answers int
	err = db.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM report_answers a JOIN report_sweeps s ON s.sweep = a.sweep JOIN report_trackers t ON t.tracker = a.tracker
		WHERE t.name = 'shoes' AND a.target LIKE 'chat%' AND a.asked_at >= t.created_at AND s.credits > 0`).Scan(&answers)
	if err != nil || answers != 3 {
		t.Errorf("the views show %d answers, %v", answers, err)
	}
	if _, err := db.ExecContext(t.Context(), `DELETE FROM bodies`); err != nil {
		t.Fatal(err)
	}
	stream, err := client.New(n.BaseURL, a.Key.Text, client.WithRetries(0)).Export(t.Context(), "shoes", earshot.ExportQuery{Format: "csv"})
	if err == nil {
		_, err = io.ReadAll(stream)
		_ = stream.Close() // it is broken
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		t.Errorf("it ended with %v", err)
	}
}
