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

// fake is an in-memory service, so that tests in a synctest bubble do not really wait.
type fake struct {
	answers []answer // one for each request; the last one repeats
	sent    []sent
}

type answer func(*http.Request) (*http.Response, error)

// sent is a received request.
type sent struct {
	line   string // method and path
	body   string
	header http.Header
	at     time.Time
}

// answering returns a client of a fake service with the given answers.
func answering(answers ...answer) (*client.Client, *fake) {
	f := &fake{answers: answers}
	c := f.client()
	return c, f
}

func (f *fake) client(options ...client.Option) *client.Client {
	options = append([]client.Option{client.WithHTTPClient(&http.Client{Transport: f})}, options...)
	return client.New("http://service.test", "ear_live_key", options...)
}

// RoundTrip records the request and returns the next answer.
func (f *fake) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	f.sent = append(f.sent, sent{r.Method + " " + r.URL.RequestURI(), string(body), r.Header, time.Now()})
	return f.answers[min(len(f.sent), len(f.answers))-1](r)
}

// lines returns the received requests.
func (f *fake) lines() (lines []string) {
	for _, s := range f.sent {
		lines = append(lines, s.line)
	}
	return lines
}

// says answers with a body and with headers, given as name, value, name, value.
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

// fails answers with an error response.
func fails(status int, code, details string, header ...string) answer {
	if details == "" {
		details = "null"
	}
	return says(status, fmt.Sprintf(`{"success":false,"error":{"code":%q,"message":"no","details":%s,"requestId":"r-1"}}`, code, details), header...)
}

// breaks fails in a network operation: "dial" before the connection, "read" after the request.
func breaks(operation string) answer {
	return func(*http.Request) (*http.Response, error) {
		return nil, &net.OpError{Op: operation, Net: "tcp", Err: syscall.ECONNRESET}
	}
}

// cut breaks the connection in the middle of a response.
func cut(r *http.Request) (*http.Response, error) {
	resp, err := says(http.StatusOK, "")(r)
	if err == nil {
		resp.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{"result":`), brokenReader{}))
	}
	return resp, err
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// encoded returns a value as JSON.
func encoded(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // impossible for our own values
	}
	return string(text)
}
