package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"

	"earshot"
	"earshot/internal/job"
	"earshot/internal/provider"
	"earshot/internal/schema"
)

// monitor runs one extraction while the client waits.
func monitor(p provider.Provider) func(*Server, *call) error {
	definition := p.Definition()
	return func(s *Server, c *call) error {
		in, err := c.object()
		if err != nil {
			return err
		}
		request, key := p.Decode(in), c.idempotencyKey(in)
		if err := in.Err(); err != nil {
			return err
		}
		result, receipt, err := s.Jobs.Call(c.r.Context(), &job.Call{
			ID:         c.id,
			Principal:  c.principal,
			Turn:       c.turn,
			Provider:   &definition,
			Request:    request,
			Body:       compact(in.Raw()),
			ReceivedAt: s.Store.Now(),

			IdempotencyKey: key,
		})
		c.receipt = receipt
		if err != nil {
			return err
		}
		if receipt.Replayed {
			c.w.Header().Set(earshot.ReplayedHeader, "true")
		}
		// The result is encoded already; encoding it again would double the cost.
		c.write(http.StatusOK, "application/json", slices.Concat([]byte(`{"success":true,"result":`), result, []byte("}")))
		return nil
	}
}

// idempotencyKey is the key that a call was sent with, nil for none. What is wrong
// with it is noted in the object, beside the mistakes of the body.
func (c *call) idempotencyKey(in *schema.Object) *string {
	given := c.r.Header.Values(earshot.IdempotencyKeyHeader)
	switch {
	case len(given) == 0:
		return nil
	case len(given) > 1:
		in.Reject(earshot.IdempotencyKeyHeader, "is given more than once")
	case !schema.IsIdempotencyKey(given[0]):
		in.Reject(earshot.IdempotencyKeyHeader, "%s", schema.IdempotencyKeyRule)
	}
	return &given[0]
}

// resolve tells where a redirect link of the search engine leads. It is no job: it
// takes no slot and costs nothing.
func (s *Server) resolve(c *call) error {
	if s.Jobs.Draining() {
		return errStopping()
	}
	var body earshot.GotoRequest
	in, err := c.decode(&body)
	if err != nil {
		return err
	}
	if err := in.Err(); err != nil {
		return err
	}
	c.turn.End() // what is left is to wait for the upstream
	destination, err := s.Goto(c.r.Context(), body.URL)
	if err != nil {
		return err
	}
	return c.json(earshot.GotoResponse{URL: destination})
}

// compact takes the white space out of a request that is to be stored.
func compact(body []byte) []byte {
	var small bytes.Buffer
	if json.Compact(&small, body) != nil {
		return body // it was parsed before, so this cannot be
	}
	return small.Bytes()
}
