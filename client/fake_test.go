package client_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"time"

	"earshot/client"
)

// fake answers in the place of a service, in memory, so that a test in a synctest
// bubble waits in no time.
type fake struct {
	answers []answer // one for each request; the last goes on for ever
	sent    []sent
}

type answer func(*http.Request) (*http.Response, error)

// sent is a request that arrived.
type sent struct {
	line   string // method and path
	body   string
	header http.Header
	at     time.Time
}

// answering is a client of a service that gives those answers.
func answering(answers ...answer) (*client.Client, *fake) {
	f := &fake{answers: answers}
	c := f.client()
	return c, f
}

func (f *fake) client(options ...client.Option) *client.Client {
	options = append([]client.Option{client.WithHTTPClient(&http.Client{Transport: f})}, options...)
	return client.New("http://service.test", "ear_live_key", options...)
}

// RoundTrip notes the request and gives the answer whose turn it is.
func (f *fake) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	f.sent = append(f.sent, sent{r.Method + " " + r.URL.RequestURI(), string(body), r.Header, time.Now()})
	return f.answers[min(len(f.sent), len(f.answers))-1](r)
}

// lines are the requests that arrived.
func (f *fake) lines() (lines []string) {
	for _, s := range f.sent {
		lines = append(lines, s.line)
	}
	return lines
}

// says answers with a body, and headers in pairs.
func says(status int, body string, header ...string) answer {
	return func(r *http.Request) (*http.Response, error) {
		w := httptest.NewRecorder()
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = w.WriteString(body) // into memory
		resp := w.Result()
		resp.Request = r
		return resp, nil
	}
}

// fails answers with the envelope of an error.
func fails(status int, code, details string, header ...string) answer {
	if details == "" {
		details = "null"
	}
	return says(status, fmt.Sprintf(`{"success":false,"error":{"code":%q,"message":"no","details":%s,"requestId":"r-1"}}`, code, details), header...)
}

// breaks loses the connection, after the request arrived or before it was made.
func breaks(operation string) answer {
	return func(*http.Request) (*http.Response, error) {
		return nil, &net.OpError{Op: operation, Net: "tcp", Err: syscall.ECONNRESET}
	}
}

// cut loses the connection in the middle of an answer.
func cut(r *http.Request) (*http.Response, error) {
	resp, err := says(http.StatusOK, "")(r)
	if err == nil {
		resp.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{"result":`), brokenReader{}))
	}
	return resp, err
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// encoded is a value as JSON.
func encoded(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // the values are ours
	}
	return string(text)
}
