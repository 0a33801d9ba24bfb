package api

import (
	"net/http"
	"reflect"
	"slices"
	"strings"

	"earshot/internal/account"
	"earshot/internal/provider"
)

// Operation declares one operation of the API. Query, Body and Response are zero values of
// its types, from which the OpenAPI document and the Go client are generated; nil means
// none, or not JSON. The functions operation and special derive them from the handler. The
// texts of the document are in openapi/prose.
type Operation struct {
	Method, Path string
	Public       bool          // needs no key and does not count against an account's limits
	Vital        bool          // is served under any load
	AnyQuery     bool          // ignores the URL's parameters: probes, scrapers and links add their own
	Scope        account.Scope // the scope that the key needs
	Submits      bool          // submits tasks: an invalid body gets 422
	OrList       bool          // accepts a list of bodies as well as one body
	Form         bool          // accepts the form of a page, which the handler reads
	YAML         bool          // accepts YAML as well as JSON, up to maxDefinition
	Long         bool          // accepts a body of up to maxBatch
	BodyOptional bool          // treats a missing body as an empty object
	Claims       bool          // claims the Idempotency-Key first, because the change and the response are not one transaction
	Unkeyed      string        // why a POST that changes something takes no Idempotency-Key
	Finds        string        // the name of the thing in the error for store.ErrNotFound
	Audit        string        // its actions in the audit log, separated by commas
	Unaudited    string        // why an operation other than GET is not in the audit log
	Client       Method

	Query, Body, Response any
	// Events are zero values of the events or lines of a stream.
	Events []any

	serve func(*Server, *call) error
}

// name returns the method and the path.
func (o *Operation) name() string { return strings.TrimSpace(o.Method + " " + o.Path) }

// Values of Unaudited.
const (
	changesNothing = "changes nothing"
	submitsWork    = "the history and the ledger show submitted work"
	sendsTest      = "sends a test message and changes nothing"
)

// Values of Unkeyed.
const (
	repeatable = "a repeated request changes nothing more"
	keyedCall  = "a call keeps its key with its job"
	signsIn    = "nobody is signed in yet"
)

// Method is the method of the Go client that `make generate` writes for an operation. For a
// response with a NextCursor, the method is an iterator, unless Takes contains the cursor.
type Method struct {
	Name string // "" for an operation without a method, or with a handwritten one
	// Takes are the fields of the query or the body that become parameters, instead of the
	// whole. The method sends no other fields.
	Takes []string
	// Returns is the field of the response that the method returns, instead of the whole.
	Returns string
}

// nothing is the Returns of a method that only deletes. "Not found" is no error when the
// method sends the request a second time.
const nothing = "-"

// ReturnsNothing reports whether the method returns only an error.
func (m *Method) ReturnsNothing() bool { return m.Returns == nothing }

// Idempotent reports whether a client may repeat a request without a key whose response was lost.
func (o *Operation) Idempotent() bool {
	return o.Method != http.MethodPost || o.Unkeyed == repeatable || o.Unaudited == changesNothing
}

// Operations returns the whole API: one operation for each provider, and the operations of
// the service itself.
func Operations(providers []provider.Provider) []Operation {
	return slices.Concat(
		monitorOperations(providers),
		lookupOperations(),
		taskOperations(),
		requestOperations(),
		batchOperations(),
		usageOperations(),
		trackerOperations(),
		sweepOperations(),
		numberOperations(),
		contentOperations(),
		answerOperations(),
		reportOperations(),
		alertOperations(),
		reviewOperations(),
		channelOperations(),
		shareOperations(),
		eventOperations(),
		keyOperations(),
		accountOperations(),
		auditOperations(),
		mcpOperations(),
		userOperations(),
		invitationOperations(),
		sessionOperations(),
		signInOperations(),
		operatorOperations(),
		publicOperations(),
	)
}

// FixedStatuses reports whether the specification lists all statuses of an operation with a body. 415 is
// not among them, so a wrong media type is a validation error there.
func (o *Operation) FixedStatuses() bool { return o.Scope == account.ScopeMonitor || o.Submits }

// maxBody returns the maximum length of the operation's body, or 0 if it has no body.
func (o *Operation) maxBody() int64 {
	switch {
	case o.Body == nil && !o.Form:
		return 0
	case o.Public:
		return maxSignIn
	case o.YAML:
		return maxDefinition
	case o.Long || o.OrList || reflect.TypeOf(o.Body).Kind() == reflect.Slice:
		return maxBatch
	default:
		return maxBody
	}
}

// handled serves a request with a plain handler, which writes its own errors.
func (c *call) handled(h http.Handler) error {
	h.ServeHTTP(statusRecorder{c.w, c}, c.r)
	return nil
}
