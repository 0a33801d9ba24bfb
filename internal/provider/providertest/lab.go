// Package providertest contains the checks that every provider must pass: against the lab over real
// HTTP, with its stored documents, and with hostile documents.
//
//	lab.go       a running lab, and asking a provider through it
//	chat.go      all checks of a chat.Assistant
//	steered.go   every way of steering the lab by words in the prompt
//	site.go      an assistant's site in the lab
//	browser.go   the same in a browser
//	result.go    what must hold for every result
//	redirects.go what must hold for the links of search results
//	golden.go    stored documents and their results
//	recorded.go  captures and the recordings that contain some of them
//	hostile.go   documents that are designed to break a parser
package providertest

import (
	"errors"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/schema"
	"earshot/internal/upstream"
	"earshot/internal/upstream/lab"
)

// CaptureURL is the base URL of captures in the sessions of Lab.
const CaptureURL = "http://earshot.test/captures/test"

// Lab is a running lab with the site of one provider, and a client that reaches only the lab.
type Lab struct {
	server *lab.Server
	client *upstream.Client
}

// StartLab runs a lab with the provider's site until the test ends.
func StartLab(tb testing.TB, p provider.Provider) *Lab {
	tb.Helper()
	server, err := lab.Listen(tb.Context(), p.Definition().Lab())
	if err != nil {
		tb.Fatal(err)
	}
	l := &Lab{server: server, client: newClient(tb, server, p, nil)}
	ended := make(chan error, 1)
	go func() { ended <- server.Run(tb.Context()) }() // ends before the cleanup begins
	tb.Cleanup(func() {
		l.client.Close()
		if err := <-ended; err != nil {
			tb.Error(err)
		}
	})
	return l
}

// newClient returns a client of the provider's site in the lab. The client uses the browser unless
// it is nil.
func newClient(tb testing.TB, server *lab.Server, p provider.Provider, browser upstream.Visitor) *upstream.Client {
	tb.Helper()
	about := p.Definition()
	client, err := upstream.NewClient(upstream.Config{
		Surface: earshot.SurfaceLab, Sites: map[string]string{about.Site.Name: about.Lab().URL()}, Dial: server.Dial, Browser: browser,
	})
	if err != nil {
		tb.Fatal(err)
	}
	return client
}

// Session starts an attempt against the lab.
func (l *Lab) Session(attempt int) *upstream.Session { return l.client.NewSession(attempt, CaptureURL) }

// Ask decodes the request body, which must be valid, and makes its first attempt.
func (l *Lab) Ask(tb testing.TB, p provider.Provider, body string) (*provider.Outcome, error) {
	tb.Helper()
	return Decode(tb, p, body).Ask(tb.Context(), l.Session(1))
}

// Answer is like Ask, but requires an answer that passes Check.
func (l *Lab) Answer(tb testing.TB, p provider.Provider, body string) *earshot.Answer {
	tb.Helper()
	outcome, err := l.Ask(tb, p, body)
	if err != nil {
		tb.Fatal(err)
	}
	Check(tb, outcome.Result)
	return Answer(tb, outcome.Result)
}

// Answer returns a result that must be a chat answer.
func Answer(tb testing.TB, result any) *earshot.Answer {
	tb.Helper()
	answer, ok := result.(*earshot.Answer)
	if !ok {
		tb.Fatalf("result is a %T, not an answer", result)
	}
	return answer
}

// Decode decodes a request body that must be valid.
func Decode(tb testing.TB, p provider.Provider, body string) provider.Request {
	tb.Helper()
	request, err := provider.ParseRequest(p, []byte(body))
	if err != nil {
		tb.Fatal(err)
	}
	return request
}

// Refuses checks that the request body is rejected for exactly these problems, in order. Each is
// "field: message" or a prefix of it.
func Refuses(tb testing.TB, p provider.Provider, body string, want []string) {
	tb.Helper()
	in, err := schema.Parse([]byte(body))
	if err != nil {
		tb.Fatal(err)
	}
	p.Decode(in)
	var invalid *earshot.Error
	if !errors.As(in.Err(), &invalid) || invalid.Code != earshot.CodeValidation {
		tb.Fatalf("got %v, want a validation error", in.Err())
	}
	problems, _ := invalid.Details.([]earshot.FieldProblem)
	if len(problems) != len(want) {
		tb.Fatalf("got %d problems, want %d: %v", len(problems), len(want), problems)
	}
	for i, problem := range problems {
		if line := problem.Field + ": " + problem.Message; !strings.HasPrefix(line, want[i]) {
			tb.Errorf("problem %d is %q, want %q", i, line, want[i])
		}
	}
}
