package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/job"
	"earshot/internal/provider"
	"earshot/internal/schema"
)

// monitorOperations returns the call of each provider, and goto.
func monitorOperations(providers []provider.Provider) []Operation {
	var all []Operation
	for _, p := range providers {
		about := p.Definition()
		all = append(all, Operation{
			Method: "POST", Path: "/v1/monitor/" + about.Name, Scope: account.ScopeMonitor, Unaudited: submitsWork, Unkeyed: keyedCall, Body: about.Request, Response: about.Result, serve: monitor(p),
		})
	}
	return append(all, operation(Operation{Method: "POST", Path: "/v1/monitor/websearch/goto", Scope: account.ScopeMonitor, Unaudited: changesNothing, Client: Method{Name: "Goto", Takes: []string{"URL"}, Returns: "URL"}}, (*Server).resolve))
}

// decodeRequest reads the request of a call or task. A valid request that no upstream can serve is
// rejected with the field that the first vendor does not support.
func (s *Server) decodeRequest(p provider.Provider, in *schema.Object) provider.Request {
	request := p.Decode(in)
	if !in.Valid() {
		return request
	}
	if uncovered, ok := errors.AsType[*provider.Uncovered](s.Jobs.Desk.Covers(p.Definition().Name, request)); ok {
		in.Reject(uncovered.Field, "%s by any configured upstream", uncovered.Why)
	}
	return request
}

// monitor returns the handler of a provider's synchronous call.
func monitor(p provider.Provider) func(*Server, *call) error {
	definition := p.Definition()
	return func(s *Server, c *call) error {
		in, err := c.object()
		if err != nil {
			return err
		}
		request, key := s.decodeRequest(p, in), c.idempotencyKey(in)
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
		// The result is already encoded; encoding it again would double the cost.
		c.write(http.StatusOK, "application/json", slices.Concat([]byte(`{"success":true,"result":`), result, []byte("}")))
		return nil
	}
}

// idempotencyKey returns the idempotency key of a call, or nil. Problems of the key are
// recorded in the object, together with the problems of the body.
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

// resolve returns the destination of a redirect link of the search engine. It needs no slot
// and costs nothing.
func (s *Server) resolve(c *call, _ none, in unchecked[earshot.GotoRequest]) (earshot.GotoResponse, error) {
	if s.Jobs.Draining() {
		return earshot.GotoResponse{}, errStopping()
	}
	if err := in.Err(); err != nil {
		return earshot.GotoResponse{}, err
	}
	c.turn.End() // the rest is only waiting for the upstream
	destination, err := s.Goto(c.context(), in.value.URL)
	return earshot.GotoResponse{URL: destination}, err
}

// compact removes the white space of a request before it is stored.
func compact(body []byte) []byte {
	var small bytes.Buffer
	if json.Compact(&small, body) != nil {
		return body // impossible: it was parsed before
	}
	return small.Bytes()
}
