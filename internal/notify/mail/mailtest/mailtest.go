// Package mailtest is an SMTP server (RFC 5321) on loopback for tests. It keeps the mails
// that it receives.
package mailtest

import (
	"encoding/base64"
	"net"
	"net/textproto"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Mail is a mail that the server received.
type Mail struct {
	User string // the authenticated user; empty without authentication
	From string
	To   []string
	Data string
}

// Server is an SMTP server.
type Server struct {
	Address string

	mu      sync.Mutex
	mails   []Mail
	refusal string
	conns   sync.WaitGroup
}

// Listen starts a server that ends with the test.
func Listen(tb testing.TB) *Server {
	tb.Helper()
	listener, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	s := &Server{Address: listener.Addr().String()}
	s.conns.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			s.conns.Go(func() { s.serve(conn) })
		}
	})
	tb.Cleanup(func() {
		_ = listener.Close()
		s.conns.Wait()
	})
	return s
}

// Mails returns the mails received so far.
func (s *Server) Mails() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.mails)
}

// Refuse makes the server answer every recipient with a line such as "550 no such user".
// If line is empty, the server accepts every recipient.
func (s *Server) Refuse(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusal = line
}

func (s *Server) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	text := textproto.NewConn(conn)
	say := func(line string) { _ = text.PrintfLine("%s", line) } // the next read fails if the client has left
	say("220 mailtest ready")
	var m Mail
	for {
		line, err := text.ReadLine()
		if err != nil {
			return
		}
		verb, rest, _ := strings.Cut(line, " ")
		switch strings.ToUpper(verb) {
		case "EHLO", "HELO":
			say("250-mailtest")
			say("250-8BITMIME")
			say("250 AUTH PLAIN")
		case "AUTH":
			m.User = userOf(rest)
			say("235 welcome")
		case "MAIL":
			m.From = address(rest)
			say("250 ok")
		case "RCPT":
			s.mu.Lock()
			refusal := s.refusal
			s.mu.Unlock()
			if refusal != "" {
				say(refusal)
				continue
			}
			m.To = append(m.To, address(rest))
			say("250 ok")
		case "DATA":
			say("354 go on")
			data, err := text.ReadDotBytes()
			if err != nil {
				return
			}
			m.Data = string(data)
			s.mu.Lock()
			s.mails = append(s.mails, m)
			s.mu.Unlock()
			m = Mail{User: m.User}
			say("250 taken")
		case "RSET", "NOOP":
			say("250 ok")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("502 unknown")
		}
	}
}

// address returns the address in FROM:<a@b>.
func address(text string) string {
	_, rest, _ := strings.Cut(text, "<")
	found, _, _ := strings.Cut(rest, ">")
	return found
}

// userOf returns the user of AUTH PLAIN.
func userOf(text string) string {
	_, encoded, _ := strings.Cut(text, " ")
	decoded, err := base64.StdEncoding.DecodeString(encoded)
	if parts := strings.Split(string(decoded), "\x00"); err == nil && len(parts) == 3 {
		return parts[1]
	}
	return ""
}
