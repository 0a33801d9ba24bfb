package lab

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Server is the lab on a free port of the loopback interface.
type Server struct {
	listener    net.Listener
	http        *http.Server
	connections sync.WaitGroup
	work        Work
}

// Work waits until an answer may be composed for an account. The caller must call done
// after composing it.
type Work func(ctx context.Context, account string) (done func(), err error)

// Share makes the lab wait for a turn of the account before it composes an answer. Call it
// before Run.
func (s *Server) Share(work Work) { s.work = work }

// serverKey is the key of the server in the contexts of its requests.
type serverKey struct{}

// Listen starts to listen on a free loopback port for these sites. Connections wait in
// the accept queue until Run is called.
func Listen(ctx context.Context, sites ...Site) (*Server, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("lab: %w", err)
	}
	s := &Server{listener: listener}
	s.http = &http.Server{
		Handler:           s.counted(Handler(sites...)),
		ConnState:         s.follow,
		BaseContext:       func(net.Listener) context.Context { return context.WithValue(context.Background(), serverKey{}, s) },
		ReadHeaderTimeout: 10 * time.Second,
		MaxHeaderBytes:    1 << 20, // a prompt of 10,000 characters may be in the URL
		// Browsers use HTTP/1. The service uses HTTP/2, since thousands of calls may wait.
		Protocols: new(http.Protocols),
		HTTP2:     &http.HTTP2Config{MaxConcurrentStreams: 1000},
	}
	s.http.Protocols.SetHTTP1(true)
	s.http.Protocols.SetUnencryptedHTTP2(true)
	return s, nil
}

// Run answers requests until ctx ends. Then it drops the remaining requests, and returns
// when all goroutines of the lab have ended. Call it only once.
func (s *Server) Run(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { _ = s.http.Close() }) // closing a listener twice does no harm
	err := s.http.Serve(s.listener)
	if stop() {
		_ = s.http.Close()
	}
	s.connections.Wait()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("lab: %w", err)
}

// follow counts the open connections, so that Run can wait for them. A connection counts
// from before its goroutine starts until after its last request.
func (s *Server) follow(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.connections.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.connections.Done()
	case http.StateActive, http.StateIdle:
	}
}

// counted also counts requests, since a request may outlive its connection for a moment.
func (s *Server) counted(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.connections.Add(1)
		defer s.connections.Done()
		handler.ServeHTTP(w, r)
	})
}

// Addr returns the address that the lab listens on.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Dial connects to the lab for every name of its domain. It refuses other names.
func (s *Server) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("lab: %w", err)
	}
	if host != domain && !strings.HasSuffix(host, "."+domain) {
		return nil, fmt.Errorf("lab: %s is not a name of the lab", host)
	}
	var dialer net.Dialer
	return dialer.DialContext(ctx, network, s.Addr())
}
