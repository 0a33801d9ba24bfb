package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/api"
	"earshot/internal/api/openapi"
	"earshot/internal/provider"
	"earshot/internal/schema"
	"earshot/test/newprovider/riddle"
)

func TestGeneratedFilesAreCurrent(t *testing.T) {
	t.Chdir("../..") // the root of the module
	files, _, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range files {
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("make generate would change %s (%v)", path, err)
		}
	}
}

// A new provider is in the types of the clients and in the tables of the docs.
func TestNewProvider(t *testing.T) {
	t.Parallel()
	all := []provider.Provider{riddle.New()}
	document, err := openapi.Document(all)
	if err != nil {
		t.Fatal(err)
	}
	if types := typeScript(document); !strings.Contains(types, `"POST /v1/monitor/riddle": { query: undefined; body: RiddleRequest;`) {
		t.Error("the types of the TypeScript client lack it")
	}
	tables := tables(all, document)
	for name, want := range map[string]string{
		"providers": "| `riddle` | text, sources | 9 |", "prices": "| `riddle.base` | 9 | a riddle |",
		"apis": "| `sphinx` | riddle | `https://sphinx.example` |",
	} {
		if !strings.Contains(tables[name], want) {
			t.Errorf("the table of %s lacks %q", name, want)
		}
	}
}

func TestGoClient(t *testing.T) {
	t.Parallel()
	described := func(summary, description string) schema.Map {
		return schema.Map{{Key: "summary", Value: summary}, {Key: "description", Value: description}}
	}
	document := schema.Map{{Key: "paths", Value: schema.Map{
		{Key: "/v1/toys/{id}", Value: schema.Map{
			{Key: "get", Value: described("Read a toy", "Returns one toy.")}, {Key: "post", Value: described("Make a toy", "Makes one toy.")},
		}},
		{Key: "/v1/toys", Value: schema.Map{{Key: "get", Value: described("List toys", "Returns toys.\n\nIn no order.")}}},
	}}}
	code, err := goClient([]api.Operation{
		{
			Method: "GET", Path: "/v1/toys/{id}", Scope: account.ScopeRead, Query: earshot.StateQuery{}, Response: earshot.State{},
			Client: api.Method{Name: "Toy", Takes: []string{"Country"}, Returns: "Name"},
		},
		{
			Method: "POST", Path: "/v1/toys/{id}", Scope: account.ScopeAdmin, Body: earshot.GotoRequest{}, Response: earshot.GotoResponse{},
			Client: api.Method{Name: "MakeToy"},
		},
		{Method: "GET", Path: "/v1/toys", Scope: account.ScopeRead, Query: earshot.BatchQuery{}, Response: earshot.BatchPage{}, Client: api.Method{Name: "Toys"}},
	}, document)
	if err != nil {
		t.Fatal(err)
	}
	_, methods, _ := strings.Cut(string(code), ")\n\n")
	want := "// Toy calls GET /v1/toys/{id}: Read a toy.\n" + `//
// Returns one toy. The key needs the scope read.
func (c *Client) Toy(ctx context.Context, id string, country string) (string, error) {
	var query earshot.StateQuery
	query.Country = country
	answer, err := exchange[earshot.State](ctx, c, call{method: "GET", path: withQuery(pathOf("/v1/toys/{id}", id), query), repeat: idempotent})
	if err != nil {
		return "", err
	}
	return answer.Name, nil
}

// MakeToy calls POST /v1/toys/{id}: Make a toy.
//
// Makes one toy. The key needs the scope admin.
func (c *Client) MakeToy(ctx context.Context, id string, body earshot.GotoRequest) (*earshot.GotoResponse, error) {
	return exchange[earshot.GotoResponse](ctx, c, call{method: "POST", path: pathOf("/v1/toys/{id}", id), body: body, repeat: replayed})
}

// Toys calls GET /v1/toys: List toys.
//
// Returns toys. The iterator fetches pages on demand and stops at the first error. The key needs
// the scope read.
func (c *Client) Toys(ctx context.Context, query earshot.BatchQuery) iter.Seq2[*earshot.BatchRecord, error] {
	return items(func(cursor string) (earshot.List[earshot.BatchRecord], *string, error) {
		query.Cursor = cursor
		page, err := exchange[earshot.BatchPage](ctx, c, call{method: "GET", path: withQuery("/v1/toys", query), repeat: idempotent})
		if err != nil {
			return nil, nil, err
		}
		return page.Batches, page.NextCursor, nil
	})
}
`
	if diff := cmp.Diff(want, methods); diff != "" {
		t.Errorf("the methods are not as declared (-want +got):\n%s", diff)
	}
}

// An invalid declaration stops the generation with an error that names the operation.
func TestInvalidDeclaration(t *testing.T) {
	t.Parallel()
	sound := api.Operation{Method: "POST", Path: "/v1/toys", Body: earshot.GotoRequest{}, Response: earshot.State{}, Client: api.Method{Name: "Toy"}}
	for want, change := range map[string]func(*api.Operation){
		"earshot.GotoRequest has no field Colour": func(o *api.Operation) { o.Client.Takes = []string{"Colour"} },
		"earshot.State has no field Colour":       func(o *api.Operation) { o.Client.Returns = "Colour" },
		"only a DELETE can return nothing":        func(o *api.Operation) { o.Client.Returns = "-" },
		"Toy has no response to return":           func(o *api.Operation) { o.Response = nil },
		"has both a query and a body":             func(o *api.Operation) { o.Query = earshot.StateQuery{} },
		"api.Method is not in package earshot":    func(o *api.Operation) { o.Body = api.Method{} },
	} {
		o := sound
		change(&o)
		_, err := goClient([]api.Operation{o}, nil)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "POST /v1/toys: ") {
			t.Errorf("the error is %v, want one with %q", err, want)
		}
	}
}
