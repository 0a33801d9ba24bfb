package upstream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/upstream/browser"
)

// Exchange is a request to an upstream with its response. It is stored as a JSON file. It
// contains the question and the answer, but no key, cookie or proxy.
type Exchange struct {
	At       time.Time        `json:"at"`
	Provider string           `json:"provider"`
	Upstream string           `json:"upstream"`
	Surface  earshot.Surface  `json:"surface"`
	Model    string           `json:"model,omitempty"` // the operator's choice
	Attempt  int              `json:"attempt"`
	Places   []string         `json:"places,omitempty"` // from which the request was sent
	Request  ExchangeRequest  `json:"request"`
	Response ExchangeResponse `json:"response"`
}

// ExchangeRequest is the request without the address of the site.
type ExchangeRequest struct {
	Site    string         `json:"site"`
	Path    string         `json:"path"`
	Query   string         `json:"query,omitempty"`
	Body    string         `json:"body,omitempty"`
	Steps   []browser.Step `json:"steps,omitempty"`
	Locale  geo.Locale     `json:"locale"`
	Pointer bool           `json:"pointer,omitempty"` // only the redirect was needed
}

// ExchangeResponse is the response. Error is set if no response arrived, or only a part of
// it.
type ExchangeResponse struct {
	Status int            `json:"status,omitempty"`
	Header http.Header    `json:"header,omitempty"`
	Body   string         `json:"body,omitempty"`
	Bytes  []byte         `json:"bytes,omitempty"` // instead of Body if the body is not text
	Error  string         `json:"error,omitempty"`
	Reason earshot.Reason `json:"reason,omitempty"` // of Error
}

// Recorder stores exchanges in a folder. It is safe for concurrent use.
type Recorder struct {
	dir string
	log *slog.Logger
}

// NewRecorder returns a recorder. It creates the folder if it does not exist.
func NewRecorder(dir string, log *slog.Logger) (*Recorder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("folder for recordings: %w", err)
	}
	return &Recorder{dir, log}, nil
}

// keep stores an exchange. An error is only logged, so that the job does not fail.
func (r *Recorder) keep(e Exchange) {
	if err := r.write(e); err != nil {
		r.log.Warn("recording an exchange failed", "upstream", e.Upstream, "error", err)
	}
}

// write creates a file whose name sorts by time. The file gets its name only when it is
// complete.
func (r *Recorder) write(e Exchange) error {
	text, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	path := filepath.Join(r.dir, id.String()+".json")
	if err := os.WriteFile(path+".part", text, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".part", path)
}

// recording is an exchanger that records every exchange.
type recording struct {
	client   *Client
	inner    exchanger
	recorder *Recorder
}

func (r recording) exchange(c *call) (*http.Response, error) {
	e := Exchange{
		At: time.Now().UTC(), Provider: c.provider, Upstream: r.client.name, Surface: r.client.surface, Attempt: c.attempt, Request: requestOf(c),
	}
	if r.client.api != nil {
		e.Model = r.client.api.Model
	}
	if place := r.client.locate(c.Locale); place != nil {
		e.Places = []string{place.Country, geo.Locale{Country: place.Country, State: place.State}.Place()}
	}
	resp, err := r.inner.exchange(c)
	if err != nil {
		e.Response.fail(c, err)
		r.recorder.keep(e)
		return nil, err
	}
	e.Response.Status, e.Response.Header = resp.StatusCode, withoutSecrets(resp.Header)
	resp.Body = &taped{Reader: resp.Body, closer: resp.Body, end: func(body []byte, err error) {
		e.Response.setBody(r.scrub(body))
		if err != nil {
			e.Response.fail(c, err)
		}
		r.recorder.keep(e)
	}}
	return resp, nil
}

func requestOf(c *call) ExchangeRequest {
	return ExchangeRequest{
		Site: c.Site, Path: c.Path, Query: c.Query.Encode(), Body: string(c.Body), Steps: c.Steps, Locale: c.Locale, Pointer: c.pointer,
	}
}

// keptHeaders matches the headers that parsers use. Other headers are dropped, because they
// may contain session cookies.
var keptHeaders = regexp.MustCompile(`(?i)^(content-type|location|earshot-partial|retry-after(-ms)?|x-ratelimit-.*)$`)

func withoutSecrets(header http.Header) http.Header {
	out := http.Header{}
	for name, values := range header {
		if keptHeaders.MatchString(name) {
			out[name] = values
		}
	}
	return out
}

// keyLike matches API keys. Error messages may repeat a part of a key.
var keyLike = regexp.MustCompile(`\b(sk|xai|pplx)-[A-Za-z0-9_*-]{4,}|\bAIza[A-Za-z0-9_*-]{4,}`)

// scrub replaces API keys in a body.
func (r recording) scrub(body []byte) []byte {
	if api := r.client.api; api != nil && api.Key != "" {
		body = bytes.ReplaceAll(body, []byte(api.Key), []byte("REDACTED"))
	}
	return keyLike.ReplaceAll(body, []byte("REDACTED"))
}

func (r *ExchangeResponse) setBody(body []byte) {
	if utf8.Valid(body) {
		r.Body = string(body)
	} else {
		r.Bytes = body
	}
}

// fail records why no response arrived, or only a part of it.
func (r *ExchangeResponse) fail(c *call, err error) {
	failure, _ := errors.AsType[*Failure](FailureOf(c.wire.Context(), err))
	if failure == nil { // the job ended first
		failure = Fail(earshot.ReasonTimeout, "%w", err)
	}
	r.Error, r.Reason = failure.Err.Error(), failure.Reason
}

// Document returns the body.
func (r *ExchangeResponse) Document() []byte {
	if r.Bytes != nil {
		return r.Bytes
	}
	return []byte(r.Body)
}

// taped is a body that is copied while it is read.
type taped struct {
	io.Reader
	closer io.Closer
	tape   bytes.Buffer
	err    error // why reading failed
	end    func(body []byte, err error)
}

func (t *taped) Read(p []byte) (int, error) {
	n, err := t.Reader.Read(p)
	t.tape.Write(p[:n])
	if err != nil && err != io.EOF {
		t.err = err
	}
	return n, err
}

// Close passes the copy to end and closes the body.
func (t *taped) Close() error {
	if t.end != nil {
		t.end(t.tape.Bytes(), t.err)
		t.end = nil
	}
	return t.closer.Close()
}
