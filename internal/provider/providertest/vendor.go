package providertest

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
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
