package providertest

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/upstream"
)

// VendorCall is one attempt of a job through a vendor.
type VendorCall struct {
	Vendor   provider.Vendor
	Question *provider.Question
	Site     http.Handler      // plays the vendor
	Options  map[string]string // settings of the vendor
	Tickets  *upstream.Tickets // of the job; may be nil
	// ListPrice charges the vendor's list price if the vendor reports no charge.
	ListPrice bool
}

// Ask makes the attempt. It returns the reply or error, and how the upstream was used. It
// fails the test unless the vendor covers the question.
func (c VendorCall) Ask(tb testing.TB) (reply *provider.Reply, uses []upstream.Use, err error) {
	tb.Helper()
	if err := c.Vendor.Covers(c.Question); err != nil {
		tb.Fatalf("the question is not covered: %v", err)
	}
	server := httptest.NewServer(c.Site)
	defer server.Close()
	about := c.Vendor.Definition()
	name := c.Question.Provider
	var prices map[string]int64
	if c.ListPrice {
		prices = map[string]int64{name: int64(about.Prices[name] * 1e6)}
	}
	client, err := upstream.NewClient(upstream.Config{
		Name: "via:" + about.Name, Via: about.Name, Surface: earshot.SurfaceVendor, Sites: map[string]string{about.Name: server.URL}, Prices: prices,
		API: &upstream.API{
			Name: about.Name, KeyHeader: about.KeyHeader, KeyPrefix: about.KeyPrefix, KeyParameter: about.KeyParameter, Key: VendorKey, Options: c.Options,
		},
		Poll: time.Millisecond,
	})
	if err != nil {
		tb.Fatal(err)
	}
	defer client.Close()
	routes := upstream.NewRoutes(map[string][]*upstream.Client{name: {client}}, slog.New(slog.DiscardHandler))
	attempt := &upstream.Attempt{Provider: name, Place: c.Question.Locale.Place(), Number: 1, Tickets: c.Tickets}
	err = routes.Try(tb.Context(), attempt, func(s *upstream.Session) (err error) {
		reply, err = c.Vendor.Ask(tb.Context(), s, c.Question)
		return err
	})
	return reply, attempt.Uses, err
}

// Result returns the result in a vendor's reply.
func Result(reply *provider.Reply) any {
	switch {
	case reply == nil:
		return nil
	case reply.Web != nil:
		return reply.Web
	case reply.News != nil:
		return reply.News
	}
	return reply.Answer
}

// Always returns a site that answers every request with the document.
func Always(document []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(document) })
}
