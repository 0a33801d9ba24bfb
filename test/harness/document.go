package harness

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"earshot/internal/app"
	"earshot/internal/provider"
)

// Document is the OpenAPI document of the service, for checks against it.
type Document struct {
	*openapi3.T
	Whole  any            // the document as JSON
	routes *http.ServeMux // finds the operation of a request

	// The compiler caches compiled schemas. The checks of kin-openapi would compile them
	// again for each value.
	mu       sync.Mutex // guards compiler
	compiler *jsonschema.Compiler
}

const documentURL = "https://service.test/openapi.json"

// usual returns the document of a node without further providers.
var usual = describe()

// describe returns a function that returns the document of a node with further providers.
// The document is created only once.
func describe(further ...provider.Provider) func() (*Document, error) {
	return sync.OnceValues(func() (*Document, error) { return newDocument(append(app.Providers(), further...)) })
}

func newDocument(providers []provider.Provider) (*Document, error) {
	text, err := app.OpenAPI(providers)
	if err != nil {
		return nil, err
	}
	d := &Document{routes: http.NewServeMux(), compiler: jsonschema.NewCompiler()}
	if d.T, err = openapi3.NewLoader().LoadFromData(text); err != nil {
		return nil, fmt.Errorf("load the OpenAPI document: %w", err)
	}
	if d.Whole, err = jsonschema.UnmarshalJSON(bytes.NewReader(text)); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	d.Operations(func(name string, _ *openapi3.Operation) { d.routes.Handle(name, http.NotFoundHandler()) })
	d.compiler.AssertFormat()
	return d, d.compiler.AddResource(documentURL, d.Whole)
}

// OpenAPI returns the document of the service.
func OpenAPI(tb testing.TB) *Document {
	tb.Helper()
	d, err := usual()
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

// Operations calls do for each operation of the document. The name is method and path.
func (d *Document) Operations(do func(name string, o *openapi3.Operation)) {
	for at, item := range d.Paths.Map() {
		for method, o := range item.Operations() {
			do(method+" "+at, o)
		}
	}
}

// Find returns an operation by its name, and its JSON pointer in the document.
func (d *Document) Find(name string) (o *openapi3.Operation, place string) {
	method, at, _ := strings.Cut(name, " ")
	item := d.Paths.Value(at)
	if item == nil {
		return nil, ""
	}
	return item.GetOperation(method), Within("#", "paths", at, strings.ToLower(method))
}

// operationOf returns the name of the operation of a request, or "" if it is not documented.
func (d *Document) operationOf(req *http.Request) string {
	if path.Clean(req.URL.Path) != req.URL.Path {
		return ""
	}
	_, name := d.routes.Handler(req)
	if !strings.HasPrefix(name, req.Method+" ") { // such as HEAD
		return ""
	}
	return name
}

// Within appends names to a JSON pointer.
func Within(place string, names ...string) string {
	for _, name := range names {
		place += "/" + strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(name)
	}
	return place
}

// Check validates a value with the schema at a place of the document.
func (d *Document) Check(place string, value any) error {
	d.mu.Lock()
	schema, err := d.compiler.Compile(documentURL + place)
	d.mu.Unlock()
	if err != nil {
		return fmt.Errorf("compile %s: %w", place, err)
	}
	return schema.Validate(value)
}

// CheckBody validates a body with the content at a place of the document.
func (d *Document) CheckBody(place string, content openapi3.Content, media string, body []byte) error {
	media, _, _ = strings.Cut(media, ";")
	if content[media] == nil {
		return fmt.Errorf("the content type %q is not documented", media)
	}
	var value any = string(body)
	var err error
	switch media {
	case "application/json", "application/merge-patch+json":
		value, err = jsonschema.UnmarshalJSON(bytes.NewReader(body))
	case "application/yaml":
		err = yaml.Unmarshal(body, &value)
	}
	if err != nil {
		return fmt.Errorf("read the body: %w", err)
	}
	return d.Check(Within(place, "content", media, "schema"), value)
}

// ordinary are headers that the document does not list: headers of HTTP itself, and those
// that every response has.
var ordinary = []string{"Connection", "Content-Length", "Content-Type", "Date", "Transfer-Encoding", "Vary", "X-Content-Type-Options"}

// Response validates a response to an operation: its status, content type, headers and
// body must be documented.
func (d *Document) Response(operation string, r *Reply) error {
	o, place := d.Find(operation)
	if o == nil {
		return fmt.Errorf("%s is not documented", operation)
	}
	documented := o.Responses.Status(r.StatusCode)
	if documented == nil {
		return fmt.Errorf("a response %d is not documented", r.StatusCode)
	}
	place = Within(place, "responses", strconv.Itoa(r.StatusCode))
	if documented.Ref != "" {
		place = documented.Ref
	}
	wrong := d.headers(place, documented.Value.Headers, r.Header)
	wrong = append(wrong, d.CheckBody(place, documented.Value.Content, r.Header.Get("Content-Type"), r.Body))
	return errors.Join(wrong...)
}

// headers validates the headers of a response with the response at a place of the document.
func (d *Document) headers(place string, documented openapi3.Headers, sent http.Header) []error {
	var wrong []error
	known := slices.Clone(ordinary)
	for name, header := range documented {
		known = append(known, http.CanonicalHeaderKey(name))
		values := sent.Values(name)
		if len(values) > 1 || len(values) == 0 && header.Value.Required {
			wrong = append(wrong, fmt.Errorf("the response has the header %s %d times", name, len(values)))
		}
		at := Within(place, "headers", name)
		if header.Ref != "" {
			at = header.Ref
		}
		for _, text := range values {
			if err := d.Check(Within(at, "schema"), headerValue(header.Value.Schema.Value, text)); err != nil {
				wrong = append(wrong, fmt.Errorf("header %s: %w", name, err))
			}
		}
	}
	for name := range sent {
		if !slices.Contains(known, name) {
			wrong = append(wrong, fmt.Errorf("header %s is not documented", name))
		}
	}
	return wrong
}

// headerValue converts the text of a header to the type of its schema.
func headerValue(schema *openapi3.Schema, text string) any {
	if number, err := strconv.ParseInt(text, 10, 64); err == nil && schema.Type.Is("integer") {
		return number
	}
	return text
}

// Webhook validates a message to a receiver of webhooks.
func (d *Document) Webhook(header http.Header, body string) error {
	var wrong []error
	for name, item := range d.Webhooks {
		place := Within("#", "webhooks", name, "post")
		err := d.CheckBody(Within(place, "requestBody"), item.Post.RequestBody.Value.Content, header.Get("Content-Type"), []byte(body))
		if err != nil {
			wrong = append(wrong, fmt.Errorf("not a %s: %w", name, err))
			continue
		}
		for i, p := range item.Post.Parameters {
			value := headerValue(p.Value.Schema.Value, header.Get(p.Value.Name))
			if err := d.Check(Within(place, "parameters", strconv.Itoa(i), "schema"), value); err != nil {
				return fmt.Errorf("header %s: %w", p.Value.Name, err)
			}
		}
		return nil
	}
	return errors.Join(wrong...)
}

// asDocumented fails the test if the response to a request is not as documented. It does
// nothing in benchmarks.
func (n *Node) asDocumented(tb testing.TB, req *http.Request, r *Reply) {
	tb.Helper()
	if _, measured := tb.(*testing.B); measured {
		return
	}
	d, err := n.describe()
	if err != nil {
		tb.Fatal(err)
	}
	if operation := d.operationOf(req); operation != "" {
		if err := d.Response(operation, r); err != nil {
			tb.Errorf("%s %s: the response %d is not as documented: %v\n%.500s", req.Method, req.URL, r.StatusCode, err, r.Body)
		}
	}
}
