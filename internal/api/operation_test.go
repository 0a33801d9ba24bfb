package api_test

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/api"
	"earshot/internal/api/openapi"
	"earshot/internal/provider"
	"earshot/internal/schema"
)

// Operations that are declared in a test serve requests.
func TestDeclarationServes(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, o := range api.ToyOperations() {
		s.api.Serve(o)
	}
	kite := request{method: "GET", path: "/v1/toys/kite?country=DE", key: s.key}
	if got, want := s.succeeds(t, kite).body, `{"code":"DE","name":"`+s.org.ID+`"}`; got != want {
		t.Errorf("the response is %s, want %s", got, want)
	}
	kite.path = "/v1/toys/kite"
	s.invalid(t, kite, 400, "country")
	kite.path = "/v1/toys/ball?country=DE"
	if r := s.fails(t, kite, 404, earshot.CodeNotFound); r.details != `{"id":"ball"}` || !strings.Contains(r.body, "there is no toy with this id") {
		t.Errorf("a missing toy gives %s", r.body)
	}
	made := request{method: "POST", path: "/v1/toys/kite", key: s.key, body: `{"url":"http://toys.example"}`}
	if got, want := s.succeeds(t, made).body, `{"success":true,"url":"HTTP://TOYS.EXAMPLE"}`; got != want {
		t.Errorf("the response is %s, want %s", got, want)
	}
	made.body = `{"url":7,"colour":"red"}`
	s.invalid(t, made, 400, "colour", "url")
	made.key = s.newKey(t, account.ScopeRead)
	s.fails(t, made, 403, earshot.CodeNoPermission)
}

// Every operation that can change something says what it writes to the audit log, or why nothing.
func TestOperationsDeclareTheirAudit(t *testing.T) {
	t.Parallel()
	for _, o := range api.Operations([]provider.Provider{echo{}}) {
		declared := (o.Audit != "") != (o.Unaudited != "")
		if (o.Method == http.MethodGet) == declared {
			t.Errorf("%s %s has Audit %q and Unaudited %q", o.Method, o.Path, o.Audit, o.Unaudited)
		}
	}
}

const toyProse = `
operations:
  GET /v1/toys/{id}:
    {id: getToy, tag: Lookups, summary: Read a toy, description: Returns one toy., answer: The toy., parameters: {id: The toy's id.}}
  POST /v1/toys/{id}:
    {id: makeToy, tag: Lookups, summary: Make a toy, description: Makes one toy., answer: The toy., parameters: {id: The toy's id.}}
`

// describe returns the OpenAPI document with the toy operations.
func describe(t *testing.T, toys []api.Operation) (schema.Map, error) {
	t.Helper()
	sources, err := openapi.SourcesOf(nil)
	if err != nil {
		t.Fatal(err)
	}
	sources.Operations = append(sources.Operations, toys...)
	general, err := fs.ReadFile(sources.Prose, "prose/general.yaml")
	if err != nil {
		t.Fatal(err)
	}
	sources.Prose = fstest.MapFS{"general.yaml": {Data: general}, "toys.yaml": {Data: []byte(toyProse)}}
	return sources.Describe()
}

// The same operations are in the OpenAPI document.
func TestDeclarationIsDescribed(t *testing.T) {
	t.Parallel()
	described, err := describe(t, api.ToyOperations())
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(described)
	if err != nil {
		t.Fatal(err)
	}
	type shape struct {
		Ref string `json:"$ref"`
	}
	type content map[string]struct{ Schema shape }
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
			Scope       string `json:"x-scope"`
			Parameters  []struct{ Name, In string }
			RequestBody struct{ Content content }
			Responses   map[string]struct{ Content content }
		}
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	read, made := document.Paths["/v1/toys/{id}"]["get"], document.Paths["/v1/toys/{id}"]["post"]
	got := []any{
		read.OperationID, read.Scope, read.Parameters, read.Responses["200"].Content["application/json"].Schema.Ref,
		made.OperationID, made.Scope, made.RequestBody.Content["application/json"].Schema.Ref,
	}
	want := []any{
		"getToy", "read",
		[]struct{ Name, In string }{{"id", "path"}, {"country", "query"}},
		"#/components/schemas/State",
		"makeToy", "admin", "#/components/schemas/GotoRequest",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the document is not as declared (-want +got):\n%s", diff)
	}
	if _, ok := read.Responses["404"]; !ok {
		t.Error("the document lacks the answer to a missing toy")
	}
}

// Prose without an operation is an error.
func TestProseWithoutAnOperation(t *testing.T) {
	t.Parallel()
	if _, err := describe(t, nil); err == nil || !strings.Contains(err.Error(), "which is not an operation") {
		t.Errorf("the error is %v", err)
	}
}
