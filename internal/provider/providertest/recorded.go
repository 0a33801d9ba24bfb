package providertest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// Exchange is a call in a capture, and its response.
type Exchange struct {
	Method, URL string
	Status      int
	Body        []byte // of the response
}

// Exchanges returns the calls in a capture: from a VCR cassette in YAML or from a proxy log. Any
// other capture is the response to an unknown call.
func Exchanges(tb testing.TB, path string) []Exchange {
	tb.Helper()
	document := Stored(tb, path)
	switch filepath.Ext(strings.TrimSuffix(path, ".gz")) {
	case ".yaml", ".yml":
		return cassette(tb, document)
	}
	if bytes.Contains(document, []byte(`"response_body"`)) {
		return proxyLog(document)
	}
	return []Exchange{{Status: 200, Body: document}}
}

// recordedMessage is a request or a response in a cassette.
type recordedMessage struct {
	Method string
	URI    string
	URL    string
	Status any // a number, a status line, or an object with a code
	Code   int // of go-vcr, whose status is a line of text
	Body   any // text, bytes, or an object with a string
	Parsed any `yaml:"parsed_body"` // the body as YAML values
}

// cassette returns the exchanges of a VCR cassette.
func cassette(tb testing.TB, document []byte) []Exchange {
	tb.Helper()
	type interaction struct{ Request, Response recordedMessage }
	var c struct {
		Interactions []interaction
		HTTP         []interaction `yaml:"http_interactions"`
		Requests     []recordedMessage
		Responses    []recordedMessage
	}
	document = bytes.ReplaceAll(document, []byte(" !binary "), []byte(" !!binary ")) // Ruby writes the tag this way
	if err := yaml.Unmarshal(document, &c); err != nil {
		tb.Fatal(err)
	}
	for i := range c.Requests {
		c.HTTP = append(c.HTTP, interaction{c.Requests[i], c.Responses[i]})
	}
	var exchanges []Exchange
	for _, i := range append(c.Interactions, c.HTTP...) {
		if status := i.Response.status(); status != 0 { // calls of other protocols have no status
			exchanges = append(exchanges, Exchange{
				Method: strings.ToUpper(i.Request.Method), URL: i.Request.URI + i.Request.URL, Status: status, Body: i.Response.body(tb),
			})
		}
	}
	return exchanges
}

func (m recordedMessage) status() int {
	status := m.Status
	if object, ok := status.(map[string]any); ok {
		status = object["code"]
	}
	if number, ok := status.(uint64); ok {
		return int(number)
	}
	return m.Code
}

func (m recordedMessage) body(tb testing.TB) []byte {
	tb.Helper()
	if m.Parsed != nil {
		body, err := json.Marshal(m.Parsed)
		if err != nil {
			tb.Fatal(err)
		}
		return body
	}
	body := m.Body
	if object, ok := body.(map[string]any); ok {
		body = object["string"]
	}
	switch body := body.(type) {
	case []byte:
		return gunzip(tb, body)
	case string:
		return []byte(body)
	default:
		return nil
	}
}

// proxyLog returns the exchanges of a log of JSON lines. A line has a request and its response, or
// only one of them; only responses are read.
func proxyLog(document []byte) []Exchange {
	var exchanges []Exchange
	for line := range bytes.Lines(document) {
		var l struct {
			Body string `json:"response_body"`
		}
		if json.Unmarshal(line, &l) == nil && l.Body != "" {
			exchanges = append(exchanges, Exchange{Status: 200, Body: []byte(l.Body)})
		}
	}
	return exchanges
}

// gunzip decompresses gzip data and returns any other data unchanged.
func gunzip(tb testing.TB, document []byte) []byte {
	tb.Helper()
	if !bytes.HasPrefix(document, []byte{0x1f, 0x8b}) {
		return document
	}
	packed, err := gzip.NewReader(bytes.NewReader(document))
	if err != nil {
		tb.Fatal(err)
	}
	document, err = io.ReadAll(packed)
	if err != nil {
		tb.Fatal(err)
	}
	return document
}
