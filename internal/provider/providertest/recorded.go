package providertest

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// Exchange is a call that a capture holds, and its answer.
type Exchange struct {
	Method, URL string
	Status      int
	Body        []byte // of the answer
}

// Exchanges are the calls in a capture: those of a VCR cassette in YAML or of a
// proxy's log, or the document itself, as the answer to a call that is not known.
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
	Status yaml.Node // a number, or an object with a code
	Code   int       // go-vcr, whose status is a line of text
	Body   yaml.Node
	Parsed yaml.Node `yaml:"parsed_body"` // the body as values
}

// cassette are the exchanges of a VCR cassette.
func cassette(tb testing.TB, document []byte) []Exchange {
	tb.Helper()
	type interaction struct{ Request, Response recordedMessage }
	var c struct {
		Interactions []interaction
		HTTP         []interaction `yaml:"http_interactions"`
		Requests     []recordedMessage
		Responses    []recordedMessage
	}
	if err := yaml.Unmarshal(document, &c); err != nil {
		tb.Fatal(err)
	}
	for i := range c.Requests {
		c.HTTP = append(c.HTTP, interaction{c.Requests[i], c.Responses[i]})
	}
	var exchanges []Exchange
	for _, i := range append(c.Interactions, c.HTTP...) {
		if status := i.Response.status(); status != 0 { // calls of other protocols have none
			exchanges = append(exchanges, Exchange{
				Method: strings.ToUpper(i.Request.Method), URL: i.Request.URI + i.Request.URL, Status: status, Body: i.Response.body(tb),
			})
		}
	}
	return exchanges
}

func (m recordedMessage) status() int {
	status := m.Code
	if m.Status.Kind == yaml.MappingNode {
		var object struct{ Code int }
		_ = m.Status.Decode(&object) // then it stays 0
		return object.Code
	}
	if status == 0 {
		_ = m.Status.Decode(&status)
	}
	return status
}

func (m recordedMessage) body(tb testing.TB) []byte {
	tb.Helper()
	if !m.Parsed.IsZero() {
		keepDates(&m.Parsed)
		var value any
		if err := m.Parsed.Decode(&value); err != nil {
			tb.Fatal(err)
		}
		body, err := json.Marshal(value)
		if err != nil {
			tb.Fatal(err)
		}
		return body
	}
	text := m.Body
	if text.Kind == yaml.MappingNode {
		var object struct{ String yaml.Node }
		if err := text.Decode(&object); err != nil {
			tb.Fatal(err)
		}
		text = object.String
	}
	if !strings.HasSuffix(text.ShortTag(), "binary") {
		return []byte(text.Value)
	}
	body, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text.Value), ""))
	if err != nil {
		tb.Fatal(err)
	}
	return gunzip(tb, body)
}

// keepDates makes text of the scalars that YAML would read as a time.
func keepDates(n *yaml.Node) {
	if n.ShortTag() == "!!timestamp" {
		n.Tag = "!!str"
	}
	for _, inner := range n.Content {
		keepDates(inner)
	}
}

// proxyLog are the exchanges in a log of JSON lines, the request and its response
// on one line or on one line each. Only answers matter.
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

// gunzip unpacks what was packed by gzip, and gives anything else as it is.
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
