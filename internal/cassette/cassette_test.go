package cassette_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot/internal/cassette"
)

const answer = `{"answer":"Käse <b>","id":"1"}`

// exchange is what the recordings below hold, but for their headers.
func exchange(header http.Header) cassette.Exchange {
	return cassette.Exchange{
		Method: "POST", URL: "https://api.test/ask", RequestBody: []byte(`{"q":1}`),
		Status: 201, Header: header, Body: []byte(answer),
	}
}

func TestRecordings(t *testing.T) {
	t.Parallel()
	gzipped := base64.StdEncoding.EncodeToString(packed(t, answer, gzip.NewWriter))
	deflated := base64.StdEncoding.EncodeToString(packed(t, answer, zlib.NewWriter))
	plain := base64.StdEncoding.EncodeToString([]byte(answer))
	typed := http.Header{"X-Kind": {"a", "b"}}
	tests := map[string]struct {
		document string
		header   http.Header
	}{
		"vcrpy": {`interactions:
- request:
    body: '{"q":1}'
    headers: {}
    method: POST
    uri: https://api.test/ask
  response:
    body:
      string: '` + answer + `'
    headers:
      x-kind: [a, b]
    status: {code: 201, message: Created}
version: 1
`, typed},
		"vcrpy over httpx": {`interactions:
- request: {method: POST, uri: "https://api.test/ask", body: '{"q":1}'}
  response:
    content: '` + answer + `'
    headers: {}
    status_code: 201
`, http.Header{}},
		"packed bytes": {`interactions:
- request: {method: POST, uri: "https://api.test/ask", body: !!binary eyJxIjoxfQ==}
  response:
    body:
      string: !!binary |
        ` + gzipped[:20] + "\n        " + gzipped[20:] + `
    headers: {content-encoding: gzip}
    status: {code: 201}
`, http.Header{"Content-Encoding": {"gzip"}}},
		"parsed bodies": {`interactions:
- request:
    method: POST
    uri: https://api.test/ask
    headers: {}
    parsed_body: {q: 1}
  response:
    headers: {}
    parsed_body: {answer: "Käse <b>", id: '1'}
    status: {code: 201, message: Created}
`, http.Header{}},
		"lists of their own": {`requests:
- body: '{"q":1}'
  method: POST
  uri: https://api.test/ask
responses:
- body: {string: '` + answer + `'}
  headers: {}
  status: {code: 201}
`, http.Header{}},
		"VCR": {`---
http_interactions:
- request:
    method: post
    uri: https://api.test/ask
    body: {encoding: UTF-8, string: '{"q":1}'}
  response:
    status: {code: 201, message: Created}
    headers: {Content-Encoding: [deflate]}
    body:
      encoding: ASCII-8BIT
      string: !binary |-
        ` + deflated + `
recorded_with: VCR 6
`, http.Header{"Content-Encoding": {"deflate"}}},
		"Betamax": {`{"http_interactions": [{
  "request": {"method": "POST", "uri": "https://api.test/ask", "body": {"encoding": "utf-8", "string": "{\"q\":1}"}},
  "response": {"status": {"code": 201}, "headers": {}, "body": {"encoding": "utf-8", "base64_string": "` + plain + `"}}}]}`, http.Header{}},
		"go-vcr": {`---
version: 2
interactions:
- id: 0
  request:
    body: '{"q":1}'
    url: https://api.test/ask
    method: POST
  response:
    body: '` + answer + `'
    headers: {X-Kind: [a, b]}
    status: 201 Created
    code: 201
`, typed},
		"HAR": {
			`{"log": {"version": "1.2", "entries": [{
  "request": {"method": "POST", "url": "https://api.test/ask", "postData": {"mimeType": "application/json", "text": "{\"q\":1}"}},
  "response": {"status": 201, "headers": [{"name": "content-encoding", "value": "br"}],
    "content": {"mimeType": "application/json", "encoding": "base64", "text": "` + plain + `"}}}]}}`,
			http.Header{"Content-Encoding": {"br"}},
		},
		"one line": {`{"method":"POST","url":"https://api.test/ask","request_body":"{\"q\":1}","status":201,"response_body":` + quoted(answer) + `}`, nil},
		"two lines": {`{"host":"api.test","method":"POST","path":"/ask","request_body":"{\"q\":1}"}
{"host":"api.test","status":201,"response_body":` + quoted(answer) + `}
`, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := []cassette.Exchange{exchange(tt.header)}
			if diff := cmp.Diff(want, cassette.Bodies([]byte(tt.document))); diff != "" {
				t.Errorf("exchanges (-want +got):\n%s", diff)
			}
		})
	}
}

func quoted(text string) string {
	quoted, _ := json.Marshal(text)
	return string(quoted)
}

func packed[W io.WriteCloser](t *testing.T, text string, packer func(io.Writer) W) []byte {
	t.Helper()
	var b bytes.Buffer
	w := packer(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// cassetteOf is a cassette with one exchange, whose response has this body.
func cassetteOf(body string) string {
	return "interactions:\n- request: {method: GET, uri: 'https://api.test/'}\n  response:\n    status: {code: 200}\n    headers: {content-encoding: br}\n" + body
}

func TestValuesAsTheyWere(t *testing.T) {
	t.Parallel()
	got := cassette.Bodies([]byte(cassetteOf(`    parsed_body:
      z: [1, 1.50, -2e3, 0x10, true, null, ~, '1', 2025-11-15, yes, .inf]
      a: &shared
        text: |-
          two
          lines
      again: *shared
`)))
	want := `{"z":[1,1.50,-2e3,16,true,null,null,"1","2025-11-15","yes",".inf"],"a":{"text":"two\nlines"},"again":{"text":"two\nlines"}}`
	if len(got) != 1 || string(got[0].Body) != want {
		t.Errorf("got %+v, want the body %s", got, want)
	}
}

func TestCalls(t *testing.T) {
	t.Parallel()
	called := `version: 1
interactions:
- request_sample: {json: {model: m}, raw: eA==}
  response_sample:
    json: {outputs: [{message: {content: Käse <b>}}]}
    raw: eA==
- request_stream: {json: {model: m}}
  response_stream:
    chunks_json:
    - chunk: {text: "two\nlines"}
    - chunk: {text: end}
    chunks_raw: [eA==, eA==]
`
	asJSON := `{"interactions":[
  {"response_sample":{"json":{"outputs":[{"message":{"content":"Käse <b>"}}]}}},
  {"response_stream":{"chunks_json":[{"chunk":{
    "text":"two\nlines"}}, {"chunk":{"text":"end"}}]}}]}`
	want := []cassette.Exchange{
		{Status: 200, Body: []byte(`{"outputs":[{"message":{"content":"Käse <b>"}}]}`)},
		{Status: 200, Body: []byte(`{"text":"two\nlines"}` + "\n" + `{"text":"end"}` + "\n")},
	}
	for _, document := range []string{called, asJSON} {
		if diff := cmp.Diff(want, cassette.Bodies([]byte(document))); diff != "" {
			t.Errorf("exchanges (-want +got):\n%s", diff)
		}
	}
}

func TestPackedRecording(t *testing.T) {
	t.Parallel()
	document := packed(t, cassetteOf("    body: {string: found}\n"), gzip.NewWriter)
	if got := cassette.Bodies(document); len(got) != 1 || string(got[0].Body) != "found" {
		t.Errorf("got %+v", got)
	}
	if got := cassette.Bodies(document[:len(document)/2]); got != nil {
		t.Errorf("a recording that was cut off yields %+v", got)
	}
}

func TestNoRecordings(t *testing.T) {
	t.Parallel()
	documents := map[string]string{
		"nothing":            "",
		"page":               "<!doctype html>\n<pre>\ninteractions:\n- request: x\n</pre>",
		"event stream":       "event: message\ndata: {\"interactions\":[]}\n\ndata: [DONE]\n\n",
		"answer":             `{"candidates":[{"content":{"parts":[{"text":"interactions:\n- request"}]}}]}`,
		"events":             "{\"type\":\"response.created\",\"response\":{\"status\":\"done\"}}\n{\"type\":\"response.completed\"}\n",
		"stored interaction": `{"interactions":[{"id":"v1","status":"completed","object":"interaction"}]}`,
		"responses only":     `{"responses":[{"status":200,"body":"x"}]}`,
		"number":             "7",
		"prose":              "It has three interactions: one, two and three.",
		"brotli":             cassetteOf("    body: {string: !!binary iwWAaGVsbG+A/w==}\n"),
		"no call answered": "interactions:\n- request_sample: {json: {model: m}}\n  response_sample: {json: null, raw: eA==}\n" +
			"- response_stream: {chunks_json: [{text: x}, {chunk: x}], chunks_raw: [eA==]}\n- response_sample: text\n",
	}
	for name, document := range documents {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := cassette.Bodies([]byte(document)); got != nil {
				t.Errorf("got %+v, want none", got)
			}
		})
	}
}

func TestHostile(t *testing.T) {
	t.Parallel()
	rep := strings.Repeat
	bomb := "bomb:\n- &a0 [x,x,x,x,x,x,x,x,x,x]\n"
	for i := range 9 {
		level, below := string(rune('1'+i)), string(rune('0'+i))
		bomb += "- &a" + level + " [" + rep("*a"+below+",", 10) + "]\n"
	}
	documents := map[string]string{
		"alias bomb":     cassetteOf("    parsed_body: *a9\n") + bomb,
		"expanded":       bomb + cassetteOf("    parsed_body: *a9\n"),
		"cycle":          cassetteOf("    parsed_body: &c {again: *c}\n"),
		"deep flow":      cassetteOf("    parsed_body: " + rep("[", 100_000) + "\n"),
		"deep blocks":    cassetteOf("    parsed_body:\n    " + rep("- ", 100_000) + "\n"),
		"wide":           cassetteOf("    parsed_body: [" + rep("a,", 4<<20) + "]\n"),
		"many lines":     cassetteOf("    body: {string: x}\n") + rep("a:\n", 3<<20),
		"long string":    cassetteOf("    body: {string: '" + rep("x", 17<<20) + "'}\n"),
		"deep JSON":      `{"interactions":` + rep(`[`, 1_000_000),
		"nested strings": `{"interactions":[{"request":{},"response":{"status":200,"body":` + rep(`{"string":`, 9_000) + rep("}", 9_000) + `}}]}`,
		"not UTF-8":      cassetteOf("    body: {string: \xff\xfe}\n"),
		"packed bomb":    string(packed(t, rep("\x00", 17<<20), gzip.NewWriter)),
	}
	for name, document := range documents {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, e := range cassette.Bodies([]byte(document)) {
				if len(e.Body) > 0 {
					t.Errorf("got a body of %d bytes", len(e.Body))
				}
			}
		})
	}
}

func FuzzBodies(f *testing.F) {
	f.Add([]byte(cassetteOf("    parsed_body: &a {a: *a, b: !!binary eA==}\n")))
	f.Add([]byte("interactions:\n- response_stream: {chunks_json: [{chunk: {a: b}}]}\n"))
	f.Add([]byte(`{"log":{"entries":[{"request":{},"response":{"status":200,"content":{"text":"x"}}}]}}`))
	f.Fuzz(func(t *testing.T, document []byte) {
		for _, e := range cassette.Bodies(document) {
			if e.Status < 0 || e.Status > 999 {
				t.Errorf("status %d", e.Status)
			}
		}
	})
}
