package api

import (
	"net/http"
	"reflect"
	"slices"

	"earshot/internal/account"
	"earshot/internal/provider"
)

// Operation declares one operation of the API. Its types are zero values, from which the
// OpenAPI document and the Go client are made; nil where there is nothing, or no JSON.
// The functions operation and special take them from the types of the handler. Its prose
// is in openapi/prose.yaml under its method and path.
type Operation struct {
	Method, Path string
	Public       bool          // needs no key and counts against no limit of an account
	Vital        bool          // is answered whatever the load
	Scope        account.Scope // what the key must be allowed to do
	Submits      bool          // takes tasks in: an invalid body is answered with 422
	OrList       bool          // takes a list of bodies as well as one
	YAML         bool          // takes its body, which may be a long one, in YAML as well as in JSON
	Long         bool          // takes a body of up to maxBatch
	BodyOptional bool          // takes a request without a body for one with an empty object
	Repeatable   bool          // a POST that has the same effect however often it is sent
	Finds        string        // the thing that is missing when the store finds nothing
	Client       Method

	Query, Body, Response any
	// Events are what a stream carries, of events or of lines.
	Events []any

	serve func(*Server, *call) error
}

// Method is the method of the Go client that `make generate` writes for an operation. A
// response with a NextCursor becomes an iterator, unless the method takes the cursor.
type Method struct {
	Name string // "" for an operation without a method, or with one that is written by hand
	// Takes are the fields of the query or the body that are parameters, in the place of
	// the whole. The method sends nothing else of it.
	Takes []string
	// Returns is the field of the response that is returned, in the place of the whole.
	Returns string
}

// nothing is returned by a method that only deletes: a thing that is already missing when
// the deletion is sent a second time is no error.
const nothing = "-"

// ReturnsNothing reports whether the method returns only an error.
func (m *Method) ReturnsNothing() bool { return m.Returns == nothing }

// Operations is the whole API: one operation for each provider, and the operations of the
// service itself.
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
		answerOperations(),
		reportOperations(),
		alertOperations(),
		channelOperations(),
		eventOperations(),
		keyOperations(),
		accountOperations(),
		mcpOperations(),
		sessionOperations(),
		publicOperations(),
	)
}

// maxBody is how long the body of an operation may be, 0 for one without.
func (o *Operation) maxBody() int64 {
	switch {
	case o.Body == nil:
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

// handled serves an operation by a plain handler, which fails on its own terms.
func (c *call) handled(h http.Handler) error {
	h.ServeHTTP(statusRecorder{c.w, c}, c.r)
	return nil
}
