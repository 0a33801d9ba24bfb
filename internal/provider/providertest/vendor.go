package providertest

import (
	"encoding/json"
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

	Document []byte `json:"-"`
	Ledger   `json:"-"`
}

// AskVendor makes one attempt to ask a vendor whose API is played by the handler, at the vendor's
// list price. It fails the test unless the vendor covers the question.
func AskVendor(t *testing.T, vendor provider.Vendor, api http.Handler, q *provider.Question, options map[string]string) (*Bought, error) {
	t.Helper()
	return AskVendorLater(t, vendor, api, q, options, time.Time{})
}

// AskVendorLater is like AskVendor, after a submission at that time of which nobody knows how it
// ended.
func AskVendorLater(t *testing.T, vendor provider.Vendor, api http.Handler, q *provider.Question, options map[string]string, submitted time.Time) (*Bought, error) {
	t.Helper()
	about := vendor.Definition()
	if err := about.Covers(q); err != nil {
		t.Fatalf("the question is not covered: %v", err)
	}
	server := httptest.NewServer(api)
	defer server.Close()
	client, err := upstream.NewClient(upstream.Config{
		Name: "via:" + about.Name, Via: about.Name, Surface: earshot.SurfaceVendor, Sites: map[string]string{about.Name: server.URL}, Poll: time.Millisecond,
		Prices: map[string]upstream.Price{q.Provider: about.Price(q.Provider, options)},
		API: &upstream.API{
			Name: about.Name, KeyHeader: about.KeyHeader, KeyPrefix: about.KeyPrefix, KeyParameter: about.KeyParameter, Key: VendorKey, Options: options,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	bought := &Bought{Ledger: Ledger{submitted: submitted}}
	session := client.Open(upstream.Visit{Provider: q.Provider, Job: t.Context(), Attempt: 1, Buyer: &bought.Ledger})
	reply, err := vendor.Ask(t.Context(), session, q)
	if reply != nil {
		bought.Located, bought.Answer, bought.Web, bought.News, bought.Document = reply.Located, reply.Answer, reply.Web, reply.News, reply.Document
	}
	if most, got := q.Parts(), bought.Buys(); got.Requests > most.Requests || got.Pages > most.Pages || got.Overviews > most.Overviews || got.Extras > most.Extras {
		t.Errorf("it bought %+v, more than the quoted %+v", got, most)
	}
	if most := client.Price(q.Provider).Of(q.Parts()); bought.USD() > most && !bought.Reported() {
		t.Errorf("it cost %d, more than the quoted %d", bought.USD(), most)
	}
	return bought, err
}

// Result returns the result that was bought.
func (b *Bought) Result() any {
	switch {
	case b.Web != nil:
		return b.Web
	case b.News != nil:
		return b.News
	case b.Answer != nil:
		return b.Answer
	}
	return nil
}

// Always returns a site that answers every request with the document.
func Always(document []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(document) })
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
