// Package mail sends mail through the operator's SMTP server.
package mail

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	netmail "net/mail"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	gomail "github.com/wneessen/go-mail"

	"earshot/internal/track/alert"
)

// sendTime is the timeout for sending one mail.
const sendTime = 15 * time.Second

// Config is the operator's SMTP server.
type Config struct {
	Server   string // HOST:PORT
	From     string // the address of the sender
	User     string // empty to send without authentication
	Password string
	// TLS is the encryption of the connection: "starttls" (the default), "tls", or "none"
	// for an unencrypted connection.
	TLS string
}

// Sender sends mail.
type Sender struct {
	cfg     Config
	options []gomail.Option
	host    string
}

// New checks the settings. It does not connect.
func New(cfg Config) (*Sender, error) {
	host, portText, err := net.SplitHostPort(cfg.Server)
	port, portErr := strconv.Atoi(portText)
	if err != nil || portErr != nil || host == "" {
		return nil, fmt.Errorf("the SMTP server must be HOST:PORT, but is %q", cfg.Server)
	}
	if err := CheckAddress(cfg.From); err != nil {
		return nil, fmt.Errorf("the sender of mail (%q) %w", cfg.From, err)
	}
	s := &Sender{cfg: cfg, host: host, options: []gomail.Option{gomail.WithPort(port), gomail.WithTimeout(sendTime)}}
	switch cfg.TLS {
	case "", "starttls":
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	case "tls":
		s.options = append(s.options, gomail.WithSSL())
	case "none":
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.NoTLS))
	default:
		return nil, fmt.Errorf("the encryption of SMTP must be starttls, tls or none, but is %q", cfg.TLS)
	}
	if cfg.User != "" {
		auth := gomail.SMTPAuthAutoDiscover
		if cfg.TLS == "none" {
			auth = gomail.SMTPAuthPlainNoEnc // the operator chose this, for example for a server on the same machine
		}
		s.options = append(s.options, gomail.WithSMTPAuth(auth), gomail.WithUsername(cfg.User), gomail.WithPassword(cfg.Password))
	}
	return s, nil
}

// CheckAddress returns an error unless text is a plain mail address: without a name, a
// comment, a second address or a line break.
func CheckAddress(text string) error {
	parsed, err := netmail.ParseAddress(text)
	if err != nil || parsed.Name != "" || parsed.Address != text || strings.ContainsFunc(text, unsafe) {
		return errors.New("must be an address such as ada@example.com, without a name")
	}
	return nil
}

// unsafe reports whether a character must not occur in an address.
func unsafe(r rune) bool {
	return unicode.IsControl(r) || unicode.IsSpace(r) || strings.ContainsRune(`<>(),;:\"`, r)
}

// Message is a mail.
type Message = alert.Mail

// Send sends a mail to the server and returns the server's reply code; 250 means that the
// server accepted the mail. Send returns an error if there was no reply. The error
// contains no secret.
func (s *Sender) Send(ctx context.Context, m Message) (status int, err error) {
	msg := gomail.NewMsg()
	if err := errors.Join(msg.From(s.cfg.From), msg.To(m.To...)); err != nil {
		return 0, fmt.Errorf("address a mail: %w", err)
	}
	msg.Subject(oneLine(m.Subject))
	msg.SetDate()
	msg.SetMessageID()
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	if m.HTML != "" {
		msg.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	}
	if m.FileName != "" {
		if err := msg.AttachReader(m.FileName, bytes.NewReader(m.File), gomail.WithFileContentType(gomail.TypeTextHTML)); err != nil {
			return 0, fmt.Errorf("attach to a mail: %w", err)
		}
	}
	var line connection
	defer line.close()
	client, err := gomail.NewClient(s.host, append(slices.Clip(s.options), gomail.WithDialContextFunc(line.dialer(s.cfg.TLS)))...)
	if err != nil {
		return 0, fmt.Errorf("create an SMTP client: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	err = client.DialAndSendWithContext(ctx, msg)
	if err == nil {
		return 250, nil
	}
	if refused, ok := errors.AsType[*gomail.SendError](err); ok && refused.ErrorCode() >= 400 {
		return refused.ErrorCode(), nil
	}
	if strings.Contains(err.Error(), "does not support STARTTLS") { // the library has no error type for this
		err = ErrNoSTARTTLS
	}
	return 0, fmt.Errorf("send a mail: %w", err)
}

// ErrNoSTARTTLS means that the server does not support STARTTLS, but Config.TLS requires
// it. Its text can be shown to users.
var ErrNoSTARTTLS = errors.New("the SMTP server does not offer STARTTLS: the operator must set --smtp-tls to tls, or to none to send in the clear")

// connection is the connection for one mail. The library does not close it if the server
// does not support STARTTLS.
type connection struct{ net.Conn }

func (c *connection) dialer(security string) gomail.DialContextFunc {
	dial := (&net.Dialer{Timeout: sendTime}).DialContext
	if security == "tls" {
		dial = (&tls.Dialer{}).DialContext
	}
	return func(ctx context.Context, network, address string) (conn net.Conn, err error) {
		conn, err = dial(ctx, network, address)
		c.Conn = conn
		return conn, err
	}
}

func (c *connection) close() {
	if c.Conn != nil {
		_ = c.Close() // the library may have closed it
	}
}

// oneLine replaces line breaks, which would end the header.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, unicode.IsControl), " ")
}
