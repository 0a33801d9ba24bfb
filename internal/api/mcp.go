package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/limits/ratelimit"
	"earshot/internal/schema"
	"earshot/internal/signin/oidc"
	"earshot/internal/store"
)

func mcpOperations() []Operation {
	return []Operation{
		{Method: "POST", Path: "/mcp", Unaudited: toolCalls, Unkeyed: toolCalls, serve: (*Server).mcp},
		{Method: "GET", Path: "/mcp", serve: (*Server).mcp},
		{Method: "DELETE", Path: "/mcp", Unaudited: toolCalls, serve: (*Server).mcp},
		{Method: "GET", Path: resourcePath, Public: true, serve: (*Server).protectedResource},
		{Method: "GET", Path: resourcePath + "/mcp", Public: true, serve: (*Server).protectedResource},
	}
}

// resourcePath is where a client of /mcp learns which identity provider issues access tokens (RFC 9728).
const resourcePath = "/.well-known/oauth-protected-resource"

// protectedResource names the identity providers of the operator. This service issues no tokens.
func (s *Server) protectedResource(c *call) error {
	issuers := s.SignIn.Issuers()
	if len(issuers) == 0 {
		return s.notFound(c)
	}
	return c.handled(auth.ProtectedResourceMetadataHandler(&oauthex.ProtectedResourceMetadata{
		Resource: s.BaseURL + "/mcp", ResourceName: "Earshot", AuthorizationServers: issuers, ScopesSupported: []string{"openid", "email", "profile"}, BearerMethodsSupported: []string{"header"},
	}))
}

// identifyAgent authenticates an agent by an access token of an identity provider.
func (s *Server) identifyAgent(c *call) error {
	_, token, _ := strings.Cut(c.r.Header.Get("Authorization"), " ")
	done, err := s.keys.admit(c.context(), c.address())
	if err != nil {
		return err
	}
	id, err := s.SignIn.Agent(c.context(), strings.TrimSpace(token), s.BaseURL+"/mcp", s.browser(c))
	done()
	if errors.Is(err, oidc.ErrRefused) {
		return s.turnAway(c, &earshot.Error{Code: earshot.CodeInvalidKey, Message: "this is neither a valid API key nor a valid access token", Err: err})
	}
	if errors.Is(err, oidc.ErrUnavailable) {
		s.Log.Warn("an access token cannot be verified", "request", c.id, "error", err)
		return errPastShare("the identity provider cannot be reached, try again")
	}
	if err != nil {
		return err
	}
	known, err := s.keys.find(c.context(), string(account.SessionSecret)+id, c.address())
	if errors.Is(err, store.ErrNotFound) {
		return s.turnAway(c, errSessionEnded())
	}
	if err != nil {
		return err
	}
	c.credential = token
	return s.admit(c, &known.Principal)
}

// challenge tells a client without a valid key or token where it finds the identity provider.
func (s *Server) challenge(c *call) {
	if c.route.Path == "/mcp" && len(s.SignIn.Issuers()) > 0 {
		c.w.Header().Set("WWW-Authenticate", fmt.Sprintf("Bearer resource_metadata=%q", s.BaseURL+resourcePath+"/mcp"))
	}
}

const toolCalls = "tool calls are requests of their own"

// maxMessages limits the messages of a request, which are all processed at once.
const maxMessages = 20

// mcp serves AI agents. Their tool calls become requests to this API.
func (s *Server) mcp(c *call) error {
	if http.NewCrossOriginProtection().Check(c.r) != nil {
		return &earshot.Error{Code: earshot.CodeNoPermission, Message: "requests from pages of other sites are not allowed"}
	}
	r := c.r.WithContext(context.WithValue(c.r.Context(), counted{}, &ticket{principal: c.principal, credential: c.credential, verdict: c.window}))
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

// ticket is the principal of an agent's request, for the requests of its tool calls. It allows one of them
// without counting it against the rate limit, because the agent's own request was already counted.
// Further requests count.
type ticket struct {
	principal  *account.Principal
	credential string
	verdict    ratelimit.Verdict
	used       atomic.Bool
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
