package service_test

import (
	"net/http"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/store/storetest"
	"earshot/test/harness"
)

// TestWithoutADatabaseEveryOperationIsUnavailable checks that every operation is refused while the
// database cannot be reached, and can be repeated. Tests in internal/store have a database that hangs.
func TestWithoutADatabaseEveryOperationIsUnavailable(t *testing.T) {
	t.Parallel()
	detour, address := storetest.NewDetour(t, storetest.Postgres(t))
	n := harness.StartOn(t, address)
	a := n.Admin(t, n.Organization(t, "business", 1000))
	call := func() *harness.Reply { return n.Post(t, a, harness.ChatPath, harness.GoodCall) }
	call().Has(t, "a call with a database", http.StatusOK)
	detour.Cut()
	for range 2 { // while the node knows the key, and then without it
		refused := func(what string, r *harness.Reply) {
			t.Helper()
			r.Fails(t, what, http.StatusServiceUnavailable, earshot.CodeServerUnavailable)
			if r.Header.Get("Retry-After") != "1" || r.Header.Get("X-Request-Id") == "" || r.Header.Get("X-RateLimit-Limit") == "" {
				t.Errorf("%s: the headers are %v", what, r.Header)
			}
		}
		r := call()
		refused("a call", r)
		if r.Header.Get("X-Credits-Charged") != "0" || r.Header.Get("X-Latency-Ms") == "" {
			t.Errorf("the headers of a call are %v", r.Header)
		}
		refused("a task", n.Post(t, a, harness.TaskPath, harness.GoodTask))
		for _, path := range []string{"/v1/credits", "/v1/async/status", "/v1/requests", "/v1/batches", "/v1/trackers", "/v1/keys", "/v1/ledger", "/v1/nothing"} {
			refused(path, n.Get(t, a, path))
		}
	}
	detour.Open()
	harness.Eventually(t, "the database is back", func() bool { return call().StatusCode == http.StatusOK })
	harness.Eventually(t, "the books are closed", func() bool { return n.Reload(t, a).Running == 0 })
	storetest.Audited(t, n.Store)
}

func TestAFolderForCapturesIsReportedIfAnotherMachineSharesTheDatabase(t *testing.T) {
	t.Parallel()
	address := storetest.Postgres(t)
	const warning = "captures are in the data folder"
	first := harness.StartOn(t, address)
	if _, err := first.Store.Run(`UPDATE nodes SET host = 'elsewhere'`); err != nil {
		t.Fatal(err)
	}
	second := harness.StartOn(t, address)
	if strings.Contains(first.Logs.String(), warning) || !strings.Contains(second.Logs.String(), warning) {
		t.Errorf("the first node logs %s\nthe second node logs %s", first.Logs.Tail(), second.Logs.Tail())
	}
}
