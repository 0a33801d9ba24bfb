package providertest

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/upstream"
)

// VendorKey is the key that VendorCall sends.
const VendorKey = "operators-own-key-0123456789"

// Bought is how one question to a vendor ended. Its exported JSON is the result.
type Bought struct {
	Located bool                `json:"located"`
	Answer  *earshot.Answer     `json:"answer,omitempty"`
	Web     *earshot.WebSearch  `json:"web,omitempty"`
	News    *earshot.NewsSearch `json:"news,omitempty"`

	Document []byte                 `json:"-"`
	Uses     []upstream.Use         `json:"-"`
	Tickets  []upstream.TicketState `json:"-"`
}

// AskVendor asks a vendor whose API is played by the handler. It polls until the vendor
// has answered or failed. It makes one attempt.
func AskVendor(t *testing.T, vendor provider.Vendor, api http.Handler, q *provider.Question, options map[string]string) (*Bought, error) {
	t.Helper()
	tickets := &upstream.Tickets{Job: "job", Save: func(context.Context, *upstream.Ticket) error { return nil }}
	call := VendorCall{Vendor: vendor, Question: q, Site: api, Options: options, Tickets: tickets, ListPrice: true}
	bought := &Bought{}
	for range 20 {
		reply, uses, err := call.Ask(t)
		if reply != nil {
			bought.Located, bought.Answer, bought.Web, bought.News, bought.Document = reply.Located, reply.Answer, reply.Web, reply.News, reply.Document
		}
		bought.Uses = append(bought.Uses, uses...)
		if pending, ok := errors.AsType[*upstream.Pending](err); ok && pending.After < time.Second {
			continue
		}
		for _, ticket := range tickets.List {
			bought.Tickets = append(bought.Tickets, ticket.State)
		}
		return bought, err
	}
	t.Fatal("the vendor is never ready")
	return nil, nil
}

// HostileVendor asks for hostile documents, and for the documents of testdata in which one
// value has another type. wrap returns a document with a text as its answer. Large documents are
// left out: the providers' own tests read them with the same helpers.
func HostileVendor(t *testing.T, wrap func(text string) []byte, parse Parse) {
	t.Helper()
	for name, document := range HostileDocuments(AnswerText) {
		if len(document) < 256<<10 {
			t.Run(name, func(t *testing.T) { Survives(t, document, Within(wrap, parse)) })
		}
	}
	for _, path := range Documents(t) {
		for _, document := range mutations(t, Stored(t, path)) {
			Survives(t, document, parse)
		}
	}
}

// mutations returns copies of a JSON document. In each of them one value has another type.
func mutations(t *testing.T, document []byte) (mutated []string) {
	t.Helper()
	var root any
	if err := json.Unmarshal(document, &root); err != nil {
		t.Fatal(err)
	}
	others := []any{nil, -7.5, "x", []any{}, map[string]any{}, []any{nil, 1e300, "x", []any{}, map[string]any{}}}
	var walk func(value any)
	try := func(set func(any), old any) {
		set(others[len(mutated)%len(others)])
		text, err := json.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		mutated = append(mutated, string(text))
		set(old)
		walk(old)
	}
	walk = func(value any) {
		switch v := value.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				try(func(other any) { v[key] = other }, v[key])
			}
		case []any:
			for i := range v {
				try(func(other any) { v[i] = other }, v[i])
			}
		}
	}
	walk(root)
	return mutated
}
