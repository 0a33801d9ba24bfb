package api

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/limits/ratelimit"
)

func mcpOperations() []Operation {
	return []Operation{
		{Method: "POST", Path: "/mcp", serve: (*Server).mcp},
		{Method: "GET", Path: "/mcp", serve: (*Server).mcp},
		{Method: "DELETE", Path: "/mcp", serve: (*Server).mcp},
	}
}

// mcp serves AI agents. What they ask for comes back as requests to this API.
func (s *Server) mcp(c *call) error {
	if http.NewCrossOriginProtection().Check(c.r) != nil {
		return &earshot.Error{Code: earshot.CodeNoPermission, Message: "pages of other sites may not call this"}
	}
	r := c.r.WithContext(context.WithValue(c.r.Context(), counted{}, &ticket{verdict: c.window}))
	if r.Method == http.MethodPost {
		body, err := c.body(maxBody)
		if err != nil {
			return err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	c.leave()                                   // a call of the API takes a place of its own, for as long as it needs one
	c.w.Header().Set("X-Accel-Buffering", "no") // else a proxy may hold back reports of progress
	s.MCP.ServeHTTP(inParts{statusRecorder{c.w, c}}, r)
	if c.status == 0 {
		c.status = statusClientGone // before there was anything to say
	}
	return nil
}

// counted is where a context has the ticket of the request that it belongs to.
type counted struct{}

// ticket lets a request of an agent make one request to the API: its window has
// counted it already. Further ones count.
type ticket struct {
	verdict ratelimit.Verdict
	used    atomic.Bool
}

// count counts a request of an account against its window.
func (s *Server) count(ctx context.Context, p *account.Principal) (ratelimit.Verdict, error) {
	if t, ok := ctx.Value(counted{}).(*ticket); ok && !t.used.Swap(true) {
		return t.verdict, nil
	}
	return s.Limiter.Take(ctx, p.OrganizationID, p.RequestsPerSecond)
}

// inParts is a response that comes in parts, each of which the client must take in
// time.
type inParts struct{ statusRecorder }

// Write sends a part.
func (w inParts) Write(b []byte) (int, error) {
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(writeTime))
	return w.statusRecorder.Write(b)
}

// Unwrap lets a part be flushed.
func (w inParts) Unwrap() http.ResponseWriter { return w.ResponseWriter }
