package api

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/sharing"
)

// ToyOperations returns operations as a contributor would add them: declarations with
// handlers.
func ToyOperations() []Operation {
	return []Operation{
		operation(Operation{Method: "GET", Path: "/v1/toys/{id}", Scope: account.ScopeRead, Finds: "toy"}, func(_ *Server, c *call, q earshot.StateQuery, _ none) (*earshot.State, error) {
			if c.subject() != "kite" {
				return nil, store.ErrNotFound
			}
			return &earshot.State{Code: q.Country, Name: c.organization()}, nil
		}),
		operation(Operation{Method: "POST", Path: "/v1/toys/{id}", Scope: account.ScopeAdmin}, func(_ *Server, _ *call, _ none, body earshot.GotoRequest) (earshot.GotoResponse, error) {
			return earshot.GotoResponse{URL: strings.ToUpper(body.URL)}, nil
		}),
	}
}

// Serve adds an operation.
func (s *Server) Serve(o Operation) { s.mux.Handle(o.Method+" "+o.Path, s.handler(o)) }

// CountLinkQueries counts how often links are looked up in the database.
func (s *Server) CountLinkQueries() *atomic.Int64 {
	var n atomic.Int64
	find := s.shares.find
	s.shares.find = func(ctx context.Context, id string, now time.Time) (*sharing.Link, error) {
		n.Add(1)
		return find(ctx, id, now)
	}
	return &n
}

// LinkPass returns a cookie that opens a link until a time.
func LinkPass(l *sharing.Link, expires time.Time) *http.Cookie {
	return &http.Cookie{Name: linkCookie, Value: pass(l, expires.Unix())}
}
