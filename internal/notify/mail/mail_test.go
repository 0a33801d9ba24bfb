package mail_test

import (
	"bufio"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"strings"
	"testing"

	"earshot/internal/notify/mail"
	"earshot/internal/notify/mail/mailtest"
)

func TestSendTextAndHTML(t *testing.T) {
	t.Parallel()
	server := mailtest.Listen(t)
	sender, err := mail.New(mail.Config{Server: server.Address, From: "earshot@example.com", User: "earshot", Password: "hidden", TLS: "none"})
	if err != nil {
		t.Fatal(err)
	}
	status, err := sender.Send(t.Context(), mail.Message{
		To: []string{"ada@example.com", "bob@example.com"}, Subject: "Sichtbarkeit fällt\r\nBcc: eve@example.com", Text: "fell to 31 %\n.\nend", HTML: "<p>fell to 31&nbsp;%</p>",
	})
	if err != nil || status != 250 {
		t.Fatalf("the server answered %d, %v", status, err)
	}
	got := server.Mails()
	if len(got) != 1 || got[0].From != "earshot@example.com" || strings.Join(got[0].To, " ") != "ada@example.com bob@example.com" || got[0].User != "earshot" {
		t.Fatalf("the server got %+v", got)
	}
	parsed, err := netmail.ReadMessage(strings.NewReader(got[0].Data))
	if err != nil {
		t.Fatal(err)
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(parsed.Header.Get("Subject"))
	if err != nil || subject != "Sichtbarkeit fällt Bcc: eve@example.com" || parsed.Header.Get("Bcc") != "" {
		t.Errorf("the subject is %q, %v; Bcc is %q", subject, err, parsed.Header.Get("Bcc"))
	}
	if text, page := parts(t, parsed); text != "fell to 31 %\n.\nend" || page != "<p>fell to 31&nbsp;%</p>" {
		t.Errorf("the parts are %q and %q", text, page)
	}
}

// parts returns the text and the HTML part of a mail.
func parts(t *testing.T, m *netmail.Message) (text, page string) {
	t.Helper()
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	reader := multipart.NewReader(m.Body, params["boundary"])
	for {
		part, err := reader.NextRawPart()
		if errors.Is(err, io.EOF) {
			return text, page
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(quotedprintable.NewReader(part))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(part.Header.Get("Content-Type"), "text/plain") {
			text = string(content)
		} else {
			page = string(content)
		}
	}
}

func TestRefusalOfTheServer(t *testing.T) {
	t.Parallel()
	server := mailtest.Listen(t)
	server.Refuse("550 5.1.1 no such user")
	sender, err := mail.New(mail.Config{Server: server.Address, From: "earshot@example.com", TLS: "none"})
	if err != nil {
		t.Fatal(err)
	}
	status, err := sender.Send(t.Context(), mail.Message{To: []string{"ada@example.com"}, Subject: "x", Text: "x", HTML: "x"})
	if err != nil || status != 550 {
		t.Errorf("the refusal is %d, %v", status, err)
	}
}

func TestMailIsNotSentUnencrypted(t *testing.T) {
	t.Parallel()
	server := mailtest.Listen(t) // offers no TLS
	for _, security := range []string{"", "starttls", "tls"} {
		sender, err := mail.New(mail.Config{Server: server.Address, From: "earshot@example.com", User: "earshot", Password: "hidden", TLS: security})
		if err != nil {
			t.Fatal(err)
		}
		status, err := sender.Send(t.Context(), mail.Message{To: []string{"ada@example.com"}, Subject: "x", Text: "x", HTML: "x"})
		if err == nil || status != 0 || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%q: sent unencrypted: %d, %v", security, status, err)
		}
		if errors.Is(err, mail.ErrNoSTARTTLS) != (security != "tls") {
			t.Errorf("%q: the reason is %v", security, err)
		}
	}
	if got := server.Mails(); len(got) != 0 {
		t.Errorf("the server got %+v", got)
	}
}

func TestInvalidReplyOfTheServer(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { // a server that does not speak SMTP
		conn, err := listener.Accept()
		if err == nil {
			_, _ = bufio.NewWriter(conn).WriteString("hello")
			_ = conn.Close()
		}
	}()
	defer listener.Close()
	sender, err := mail.New(mail.Config{Server: listener.Addr().String(), From: "earshot@example.com", TLS: "none"})
	if err != nil {
		t.Fatal(err)
	}
	if status, err := sender.Send(t.Context(), mail.Message{To: []string{"ada@example.com"}}); err == nil || status != 0 {
		t.Errorf("it answered %d, %v", status, err)
	}
}

func TestInvalidAddressesAndSettings(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"ada@example.com", "a.b+c@sub.example.com", "ü@example.com"} {
		if err := mail.CheckAddress(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{"", "ada", "Ada <ada@example.com>", "<ada@example.com>", "ada@example.com, eve@example.com", "ada@example.com\r\nBcc: eve@example.com", "ada@example.com ", `"a b"@example.com`, "a(b)@example.com"} {
		if mail.CheckAddress(bad) == nil {
			t.Errorf("%q passes", bad)
		}
	}
	for _, cfg := range []mail.Config{
		{Server: "mail.example.com", From: "earshot@example.com"},
		{Server: "mail.example.com:smtp", From: "earshot@example.com"},
		{Server: "mail.example.com:25", From: "Earshot"},
		{Server: "mail.example.com:25", From: "earshot@example.com", TLS: "some"},
	} {
		if _, err := mail.New(cfg); err == nil {
			t.Errorf("%+v passes", cfg)
		}
	}
}
