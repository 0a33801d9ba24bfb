package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"earshot"
	"earshot/client"
	"earshot/internal/account"
)

// remote is the address and the key of a running server.
type remote struct {
	URL    string `help:"The server." env:"EARSHOT_URL" default:"http://127.0.0.1:8080" placeholder:"URL"`
	APIKey string `help:"A key of your organization; better in the variable, where other users of the machine do not see it." env:"EARSHOT_API_KEY" placeholder:"KEY"`
}

const noKey = `no API key: set EARSHOT_API_KEY. 'earshot serve' prints a key when it starts for the first time; ` +
	`'earshot key create --org default' makes another on the server's machine`

// connect makes the client of the server. It makes no retries, unless the options say
// so, since a user who waits should see at once that there is no server.
func (r *remote) connect(options ...client.Option) (*client.Client, error) {
	if r.APIKey == "" {
		return nil, errors.New(noKey)
	}
	if base, err := url.Parse(r.URL); err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, fmt.Errorf("%q is no address of a server: set EARSHOT_URL to one such as http://127.0.0.1:8080", r.URL)
	}
	return client.New(r.URL, r.APIKey, append([]client.Option{client.WithUserAgent("earshot-cli"), client.WithRetries(0)}, options...)...), nil
}

// statusInterrupted is what shells report of a program that Ctrl-C ended.
const statusInterrupted = 130

// explain turns an error of the client into one that says what to do next.
func (r *remote) explain(err error) error {
	var answer *client.Error
	var unreachable *url.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		return exitError{errors.New("interrupted"), statusInterrupted}
	case errors.As(err, &answer) && answer.Code != "":
		return advised{err, sentence(answer.Message, answer.Details) + r.advice(answer)}
	case errors.As(err, &unreachable):
		return fmt.Errorf("no answer from %s: %w; start a server with 'earshot serve', or set EARSHOT_URL to the address of a running one", r.URL, unreachable.Err)
	default:
		return fmt.Errorf("%w; see that EARSHOT_URL (%s) is the address of an Earshot server", err, r.URL)
	}
}

// advised is an error with another text.
type advised struct {
	error
	text string
}

func (a advised) Error() string { return a.text }

// Unwrap returns the cause for errors.As.
func (a advised) Unwrap() error { return a.error }

// sentence is the message of an error, or the problems of the fields in its details.
func sentence(message string, details json.RawMessage) string {
	var fields []earshot.FieldProblem
	if json.Unmarshal(details, &fields) != nil || len(fields) == 0 {
		return oneLine(message)
	}
	var parts []string
	for _, f := range fields {
		parts = append(parts, oneLine(strings.TrimPrefix(f.Field, "payload.")+": "+f.Message))
	}
	return strings.Join(parts, "; ")
}

// organization returns the name of the organization whose key is used, as an argument for
// a shell. If the server does not say, it is a placeholder.
func (r *remote) organization() string {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if service, err := r.connect(); err == nil {
		if session, err := service.Session(ctx); err == nil && session != nil {
			return shellQuoted(session.Organization)
		}
	}
	return "NAME"
}

// advice is what to do about an error of the service.
func (r *remote) advice(e *client.Error) string {
	switch e.Code {
	case earshot.CodeMissingKey, earshot.CodeInvalidKey:
		return "; see that EARSHOT_API_KEY is a key of this server, or make one on its machine with 'earshot key create --org default'"
	case earshot.CodeNoCredits:
		return "; 'earshot status' tells when the next cycle begins, and on the server's machine this gives more: earshot credits grant --org " + r.organization() + " 1000"
	case earshot.CodeNoPermission:
		return "; make one that may on the server's machine: earshot key create --org " + r.organization() + neededScopes(e)
	case earshot.CodeNotFound:
		return notFoundAdvice(e)
	case earshot.CodeConflict:
		return "; 'earshot tasks --status QUEUED' lists those"
	case earshot.CodeRateLimit:
		return "; wait a second and try again"
	case earshot.CodeConcurrencyLimit:
		return "; wait for one of your calls to end, or queue the question with 'earshot batch'"
	case earshot.CodeQueueLimit:
		return "; wait until some have ended, or remove them with 'earshot tasks clear'"
	case earshot.CodeUpstream:
		return "; nothing was charged. Try again later, or see what works with 'earshot check' on the server's machine"
	case earshot.CodeServerUnavailable:
		return "; try again in a few seconds"
	case earshot.CodeInternal:
		return fmt.Sprintf("; nothing was charged. The server's log tells more under request %s", e.RequestID)
	default:
		return ""
	}
}

// neededScopes is the flag that gives a key the scope that another one lacked; the
// ordinary scopes need none.
func neededScopes(e *client.Error) string {
	var missing earshot.ScopeDetails
	if json.Unmarshal(e.Details, &missing) != nil || account.Scope(missing.RequiredScope) != account.ScopeAdmin {
		return ""
	}
	return " --scopes " + scopeList(append(account.DefaultScopes(), account.ScopeAdmin))
}

// notFoundAdvice is the advice for a provider that does not exist, whose id is its
// path, or for a task.
func notFoundAdvice(e *client.Error) string {
	var missing earshot.ResourceDetails
	if json.Unmarshal(e.Details, &missing) == nil && strings.HasPrefix(missing.ID, "/v1/monitor/") {
		return " (" + oneLine(missing.ID) + "); the providers are " + strings.Join(providerNames(), ", ")
	}
	return " (" + oneLine(cmp.Or(missing.ID, "an empty id")) + "); 'earshot tasks' lists the tasks that there are: those that ended are kept for 24 hours"
}
