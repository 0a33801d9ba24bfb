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
	"earshot/internal/schema"
)

func mcpOperations() []Operation {
	return []Operation{
		{Method: "POST", Path: "/mcp", Unaudited: "tool calls are requests of their own", serve: (*Server).mcp},
		{Method: "GET", Path: "/mcp", serve: (*Server).mcp},
		{Method: "DELETE", Path: "/mcp", Unaudited: "tool calls are requests of their own", serve: (*Server).mcp},
	}
}

// maxMessages limits the messages of a request, which are all processed at once.
const maxMessages = 20

// mcp serves AI agents. Their tool calls become requests to this API.
func (s *Server) mcp(c *call) error {
	if http.NewCrossOriginProtection().Check(c.r) != nil {
		return &earshot.Error{Code: earshot.CodeNoPermission, Message: "requests from pages of other sites are not allowed"}
	}
	r := c.r.WithContext(context.WithValue(c.r.Context(), counted{}, &ticket{verdict: c.window}))
	if r.Method == http.MethodPost {
		body, err := c.body(maxBody)
		if err != nil {
			return err
		}
		if bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")) {
			if _, err := schema.Split(body, maxMessages); err != nil {
				return err
			}
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	c.leave() // the requests to the API take their own turns
	release, ok := s.calls.Hold(c.organization())
	if !ok {
		return errPastShare("this node has too many requests in flight, try again")
	}
	defer release()
	c.w.Header().Set("X-Accel-Buffering", "no") // otherwise a proxy may buffer progress notifications
	s.MCP.ServeHTTP(inParts{statusRecorder{c.w, c}}, r)
	if c.status == 0 {
		c.status = statusClientGone // before the response began
	}
	return nil
}

// counted is the context key of the ticket of an agent's request.
type counted struct{}

// ticket allows one request to the API without counting it against the rate limit, because
// the agent's own request was already counted. Further requests count.
type ticket struct {
	verdict ratelimit.Verdict
	used    atomic.Bool
}

// count counts a request against the rate limit of its account.
func (s *Server) count(ctx context.Context, p *account.Principal) (ratelimit.Verdict, error) {
	if t, ok := ctx.Value(counted{}).(*ticket); ok && !t.used.Swap(true) {
		return t.verdict, nil
	}
	return s.Limiter.Take(ctx, p.OrganizationID, p.RequestsPerSecond)
}

// inParts is a streamed response with a timeout for each part.
type inParts struct{ statusRecorder }

// Write sends a part.
func (w inParts) Write(b []byte) (int, error) {
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(writeTime))
	return w.statusRecorder.Write(b)
}

// Unwrap lets http.ResponseController flush a part.
func (w inParts) Unwrap() http.ResponseWriter { return w.ResponseWriter }
