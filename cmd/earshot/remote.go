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
	URL    string `help:"The address of the server." env:"EARSHOT_URL" default:"http://127.0.0.1:8080" placeholder:"URL"`
	APIKey string `help:"A key of your organization. Prefer the environment variable, which other users of the machine cannot see." env:"EARSHOT_API_KEY" placeholder:"KEY"`
}

const noKey = `there is no API key: set EARSHOT_API_KEY. 'earshot serve' prints a key when it starts for the first time; ` +
	`to create another one, run 'earshot key create --org default' on the server's machine`

// connect returns a client of the server. By default, the client does not retry, so that
// a user sees at once that there is no server.
func (r *remote) connect(options ...client.Option) (*client.Client, error) {
	if r.APIKey == "" {
		return nil, errors.New(noKey)
	}
	if base, err := url.Parse(r.URL); err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, fmt.Errorf("%q is not the address of a server: set EARSHOT_URL to an address such as http://127.0.0.1:8080", r.URL)
	}
	return client.New(r.URL, r.APIKey, append([]client.Option{client.WithUserAgent("earshot-cli"), client.WithRetries(0)}, options...)...), nil
}

// statusInterrupted is the exit status that shells report for a program ended by Ctrl-C.
const statusInterrupted = 130

// explain adds advice to an error of the client.
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
		return fmt.Errorf("no answer from %s: %w; start a server with 'earshot serve', or set EARSHOT_URL to the address of a running server", r.URL, unreachable.Err)
	default:
		return fmt.Errorf("%w; check that EARSHOT_URL (%s) is the address of an Earshot server", err, r.URL)
	}
}

// advised is an error with a replaced text.
type advised struct {
	error
	text string
}

func (a advised) Error() string { return a.text }

// Unwrap returns the original error.
func (a advised) Unwrap() error { return a.error }

// sentence returns the message of an error or, if its details list invalid fields, their
// problems.
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

// organization returns the name of the key's organization, quoted for a shell. If the
// server does not answer, it returns a placeholder.
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

// advice returns how to handle an error of the service.
func (r *remote) advice(e *client.Error) string {
	switch e.Code {
	case earshot.CodeMissingKey, earshot.CodeInvalidKey:
		return "; check that EARSHOT_API_KEY is a key of this server, or create a key on the server's machine with 'earshot key create --org default'"
	case earshot.CodeNoCredits:
		return "; 'earshot status' shows when the next billing cycle begins. To add credits, run on the server's machine: earshot credits grant --org " + r.organization() + " 1000"
	case earshot.CodeNoPermission:
		return "; to create a key that has it, run on the server's machine: earshot key create --org " + r.organization() + neededScopes(e)
	case earshot.CodeNotFound:
		return notFoundAdvice(e)
	case earshot.CodeConflict:
		return "; 'earshot tasks --status QUEUED' lists the queued tasks"
	case earshot.CodeRateLimit:
		return "; wait one second and try again"
	case earshot.CodeConcurrencyLimit:
		return "; wait for one of your calls to end, or queue the prompt with 'earshot batch'"
	case earshot.CodeQueueLimit:
		return "; wait until some tasks have ended, or remove all queued tasks with 'earshot api DELETE /v1/async/queue'"
	case earshot.CodeUpstream:
		return "; nothing was charged. Try again later, or test the upstreams with 'earshot check' on the server's machine"
	case earshot.CodeServerUnavailable:
		return "; try again in a few seconds"
	case earshot.CodeInternal:
		return fmt.Sprintf("; nothing was charged. The server's log has the cause under request id %s", e.RequestID)
	default:
		return ""
	}
}

// neededScopes returns the flag that adds the missing scope to a new key, or "" for a
// scope that new keys have by default.
func neededScopes(e *client.Error) string {
	var missing earshot.ScopeDetails
	if json.Unmarshal(e.Details, &missing) != nil || account.Scope(missing.RequiredScope) != account.ScopeAdmin {
		return ""
	}
	return " --scopes " + scopeList(append(account.DefaultScopes(), account.ScopeAdmin))
}

// notFoundAdvice returns the advice for an unknown provider, whose id is a path, or for an
// unknown task.
func notFoundAdvice(e *client.Error) string {
	var missing earshot.ResourceDetails
	if json.Unmarshal(e.Details, &missing) == nil && strings.HasPrefix(missing.ID, "/v1/monitor/") {
		return " (" + oneLine(missing.ID) + "); the providers are " + strings.Join(providerNames(), ", ")
	}
	return " (" + oneLine(cmp.Or(missing.ID, "an empty id")) + "); 'earshot tasks' lists all tasks. Finished tasks are stored for 24 hours"
}
