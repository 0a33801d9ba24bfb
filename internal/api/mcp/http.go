package mcp

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// incoming is the context key of the client's HTTP request.
type incoming struct{}

// Handler serves clients over streamable HTTP without sessions, so that each request can go
// to another node. The server's Caller must be InProcess.
//
// Requests to a loopback address with another Host are refused, because a web page may have
// sent them by DNS rebinding. If named is true, they are accepted: the service has a public
// name, which a proxy on the same machine passes on as the Host.
func (s *Server) Handler(named bool) http.Handler {
	streams := sdk.NewStreamableHTTPHandler(
		func(*http.Request) *sdk.Server { return s.protocol },
		&sdk.StreamableHTTPOptions{Stateless: true, DisableLocalhostProtection: named})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		streams.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), incoming{}, r)))
	})
}

// InProcess calls the API in the same process on behalf of the client of Handler.
type InProcess struct {
	API http.Handler
}

// Call sends a request; its context says who the caller is. It is canceled together with the caller's own
// request: without a session, clients of older protocol versions have no other way to
// cancel, and nobody else could receive the response.
func (p InProcess) Call(ctx context.Context, method, path string, header http.Header, body any) (int, []byte, http.Header, error) {
	caller, ok := ctx.Value(incoming{}).(*http.Request)
	if !ok {
		return 0, nil, nil, errors.New("the call does not belong to an HTTP request")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(caller.Context(), cancel)()
	req, err := newRequest(ctx, method, path, header, body)
	if err != nil {
		return 0, nil, nil, err
	}
	req.Host, req.RemoteAddr = caller.Host, caller.RemoteAddr
	answer := &answerWriter{header: http.Header{}}
	p.API.ServeHTTP(answer, req)
	if err := caller.Context().Err(); err != nil {
		return 0, nil, nil, err
	}
	return answer.status, answer.body.Bytes(), answer.header, nil
}

// answerWriter collects the API's response. It has no connection, so deadlines have no
// effect.
type answerWriter struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header returns the headers to set.
func (w *answerWriter) Header() http.Header { return w.header }

// WriteHeader stores the status.
func (w *answerWriter) WriteHeader(status int) { w.status = status }

func (w *answerWriter) Write(b []byte) (int, error) { return w.body.Write(b) }

// SetReadDeadline exists because the API calls it.
func (w *answerWriter) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline exists because the API calls it.
func (w *answerWriter) SetWriteDeadline(time.Time) error { return nil }
