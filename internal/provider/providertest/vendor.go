package providertest

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/upstream"
)

// VendorKey is the key that AskVendor sends.
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
	if err := vendor.Covers(q); err != nil {
		t.Fatalf("not covered: %v", err)
	}
	server := httptest.NewServer(api)
	defer server.Close()
	about := vendor.Definition()
	client, err := upstream.NewClient(upstream.Config{
		Name: "via:" + about.Name, Via: about.Name, Surface: earshot.SurfaceVendor, Sites: map[string]string{about.Name: server.URL}, Poll: time.Millisecond,
		API:    &upstream.API{Name: about.Name, KeyHeader: about.KeyHeader, KeyPrefix: about.KeyPrefix, KeyParameter: about.KeyParameter, Key: VendorKey, Options: options},
		Prices: map[string]int64{q.Provider: int64(about.Prices[q.Provider] * 1e6)},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	routes := upstream.NewRoutes(map[string][]*upstream.Client{q.Provider: {client}}, slog.New(slog.DiscardHandler))
	tickets := &upstream.Tickets{Job: "job", Save: func(context.Context, *upstream.Ticket) error { return nil }}
	bought := &Bought{}
	for range 20 {
		attempt := &upstream.Attempt{Provider: q.Provider, Place: q.Locale.Place(), Number: 1, Tickets: tickets}
		err := routes.Try(t.Context(), attempt, func(up *upstream.Session) error {
			reply, err := vendor.Ask(t.Context(), up, q)
			if reply != nil {
				bought.Located, bought.Answer, bought.Web, bought.News, bought.Document = reply.Located, reply.Answer, reply.Web, reply.News, reply.Document
			}
			return err
		})
		bought.Uses = append(bought.Uses, attempt.Uses...)
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
