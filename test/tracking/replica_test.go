package tracking

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/store"
	"earshot/internal/store/storetest"
	"earshot/internal/store/transfer"
	"earshot/test/harness"
)

// What a replica answers, when there is one.
var replicaReads = []string{"metrics", "compare", "sources", "discover", "report", "export?table=citations", "answers"}

// copyOf is a copy of a database as a replica has it that is behind.
func copyOf(t *testing.T, database string) string {
	t.Helper()
	behind := storetest.Postgres(t)
	copying, err := transfer.Begin(t.Context(), store.Config{URL: database}, store.Config{URL: behind})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := copying.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := copying.Copy(t.Context(), func(transfer.State) {}); err != nil {
		t.Fatal(err)
	}
	if err := copying.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	return behind
}

func TestReportsAreReadFromAReplica(t *testing.T) {
	t.Parallel()
	database := storetest.Postgres(t)
	n := harness.StartOn(t, database)
	a := n.Organization(t, "hobby", 1000)
	makeDemo(t, n, a, `{"days":3,"prompts":2}`)
	if err := n.Stop(); err != nil {
		t.Fatal(err)
	}
	behind := copyOf(t, database)

	n = harness.StartOn(t, database, func(c *app.Config) { c.ReportsDatabase = behind })
	n.Send(t, a, http.MethodDelete, "/v1/trackers/demo", "").Has(t, "delete", http.StatusOK)
	n.Get(t, a, "/v1/trackers/demo").Fails(t, "the database has it no more", http.StatusNotFound, earshot.CodeNotFound)
	n.Get(t, a, "/v1/trackers/demo/sweeps").Fails(t, "the database has its sweeps no more", http.StatusNotFound, earshot.CodeNotFound)
	for _, path := range replicaReads {
		n.Get(t, a, "/v1/trackers/demo/"+path).Has(t, "the replica still has "+path, http.StatusOK)
	}
	n.Post(t, a, "/v1/trackers/demo/names/try", `{"names":["Nobody Else"]}`).Has(t, "the replica is searched", http.StatusOK)

	away := harness.StartOn(t, database, func(c *app.Config) { c.ReportsDatabase = "postgres://nobody@127.0.0.1:1/nothing" })
	for _, path := range replicaReads {
		away.Get(t, a, "/v1/trackers/demo/"+path).Fails(t, "without the replica: "+path, http.StatusServiceUnavailable, earshot.CodeServerUnavailable)
	}
	away.Get(t, nil, "/readyz").Has(t, "without the replica", http.StatusOK)
	away.Get(t, a, "/v1/trackers").Has(t, "without the replica", http.StatusOK)
	if !strings.Contains(away.Logs.String(), "the database for reports does not answer") {
		t.Error("the log does not tell of a replica that is away")
	}
}

func TestAReplicaIsOfPostgresAndOnlyRead(t *testing.T) {
	t.Parallel()
	address := storetest.Postgres(t)
	_, err := app.New(t.Context(), app.Config{Listen: "127.0.0.1:0", Data: filepath.Join(t.TempDir(), "data"), ReportsDatabase: address})
	if err == nil || !strings.Contains(err.Error(), "--reports-database") {
		t.Errorf("a replica of SQLite: %v", err)
	}
	s := storetest.Open(t, address)
	replica, err := s.OpenReplica(address)
	if err != nil {
		t.Fatal(err)
	}
	defer replica.Close()
	if node, err := replica.RegisterNode("somewhere", 1, s.Now()); err == nil {
		t.Errorf("a replica took the node %s", node)
	}
}
