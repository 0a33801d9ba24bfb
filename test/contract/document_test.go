package contract_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/google/uuid"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"earshot/internal/app"
	"earshot/test/harness"
)

// document is the API's description, ready to check against.
type document struct {
	*openapi3.T
	schemas *schemas
}

// load reads the document once; it never changes.
var loadOnce = sync.OnceValues(func() (d document, err error) {
	text, err := app.OpenAPI(app.Providers())
	if err != nil {
		return d, err
	}
	if d.T, err = openapi3.NewLoader().LoadFromData(text); err != nil {
		return d, err
	}
	d.schemas, err = newSchemas(text)
	return d, err
})

func load(t *testing.T) document {
	t.Helper()
	d, err := loadOnce()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// schemas are the document's, each compiled when it is first asked for. The checker of
// parameters compiles them anew each time, which took half of the time of these tests.
type schemas struct {
	whole    any        // the document
	mu       sync.Mutex // a compiler is for one at a time
	compiler *jsonschema.Compiler
}

const documentURL = "https://service.test/openapi.json"

func newSchemas(text []byte) (*schemas, error) {
	whole, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	return &schemas{whole: whole, compiler: compiler}, compiler.AddResource(documentURL, whole)
}

// check tells what is wrong with a value, by the schema at a place of the document.
func (s *schemas) check(place string, value any) error {
	s.mu.Lock()
	schema, err := s.compiler.Compile(documentURL + place)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// checkBody tells what is wrong with a body, by the content at a place of the document.
func (s *schemas) checkBody(place string, content openapi3.Content, media string, body []byte) error {
	media, _, _ = strings.Cut(media, ";")
	if content[media] == nil {
		return fmt.Errorf("the content type is %q", media)
	}
	var value any = string(body)
	if media == "application/json" {
		var err error
		if value, err = jsonschema.UnmarshalJSON(bytes.NewReader(body)); err != nil {
			return err
		}
	}
	return s.check(within(place, "content", media, "schema"), value)
}

// within is the place below another that the names lead to.
func within(place string, names ...string) string {
	for _, name := range names {
		place += "/" + strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(name)
	}
	return place
}

// operation is the documented operation that the row is about.
func (c row) operation() string {
	if c.as != "" {
		return c.as
	}
	path, _, _ := strings.Cut(c.path, "?")
	return c.method + " " + path
}

// find gives the documented operation that the row is about, and its place. It is looked
// up by name: some rows are about requests that no route fits.
func (d document) find(t *testing.T, c row) (route *routers.Route, place string) {
	t.Helper()
	method, path, _ := strings.Cut(c.operation(), " ")
	item := d.Paths.Value(path)
	if item == nil || item.GetOperation(method) == nil {
		t.Fatalf("%s is not documented", c.operation())
	}
	return &routers.Route{Spec: d.T, Path: path, PathItem: item, Method: method, Operation: item.GetOperation(method)},
		within("#", "paths", path, strings.ToLower(method))
}

// request tells what is wrong with the row's request.
func (d document) request(t *testing.T, c row, s *stage) error {
	t.Helper()
	route, place := d.find(t, c)
	req := c.request(t, s)
	params := map[string]string{}
	parts := strings.Split(req.URL.Path, "/")
	for i, name := range strings.Split(route.Path, "/") {
		if strings.HasPrefix(name, "{") && i < len(parts) {
			params[strings.Trim(name, "{}")] = parts[i]
		}
	}
	err := openapi3filter.ValidateRequest(t.Context(), &openapi3filter.RequestValidationInput{
		Request: req, PathParams: params, Route: route,
		Options: &openapi3filter.Options{
			AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, ExcludeRequestBody: true, SkipSettingDefaults: true, MultiError: true,
		},
	})
	body, readErr := io.ReadAll(req.Body)
	if readErr != nil {
		t.Fatal(readErr)
	}
	switch documented := route.Operation.RequestBody; {
	case documented == nil:
		return err
	case len(body) > 0:
		return errors.Join(err, d.schemas.checkBody(within(place, "requestBody"), documented.Value.Content, req.Header.Get("Content-Type"), body))
	case documented.Value.Required:
		return errors.Join(err, errors.New("there is no body"))
	default:
		return err
	}
}

// response tells what is wrong with a response to the row's request.
func (d document) response(t *testing.T, c row, r *exchange) error {
	t.Helper()
	route, place := d.find(t, c)
	documented := route.Operation.Responses.Status(r.StatusCode)
	if documented == nil {
		return fmt.Errorf("a response %d is not documented", r.StatusCode)
	}
	place = within(place, "responses", strconv.Itoa(r.StatusCode))
	if documented.Ref != "" {
		place = documented.Ref
	}
	var wrong []error
	for name, header := range documented.Value.Headers {
		values := r.Header.Values(name)
		if len(values) > 1 || len(values) == 0 && header.Value.Required {
			wrong = append(wrong, fmt.Errorf("header %s is there %d times", name, len(values)))
		}
		for _, text := range values {
			var value any = text
			if number, err := strconv.ParseInt(text, 10, 64); err == nil && header.Value.Schema.Value.Type.Is("integer") {
				value = number
			}
			if err := d.schemas.check(within(header.Ref, "schema"), value); err != nil {
				wrong = append(wrong, fmt.Errorf("header %s: %w", name, err))
			}
		}
	}
	return errors.Join(append(wrong, d.schemas.checkBody(place, documented.Value.Content, r.Header.Get("Content-Type"), r.Body))...)
}

// operations calls do for each operation of the document.
func (d document) operations(do func(name string, o *openapi3.Operation)) {
	for path, item := range d.Paths.Map() {
		for method, o := range item.Operations() {
			do(method+" "+path, o)
		}
	}
}

func TestTheDocumentIsValid(t *testing.T) {
	t.Parallel()
	d := load(t)
	if !d.IsOpenAPI31OrLater() {
		t.Errorf("it is of version %s", d.OpenAPI)
	}
	// It would compile a schema for each example.
	if err := d.Validate(t.Context(), openapi3.DisableExamplesValidation()); err != nil {
		t.Error(err)
	}
}

// TestExamplesAreAsDescribed checks the examples of bodies, headers and parameters.
func TestExamplesAreAsDescribed(t *testing.T) {
	t.Parallel()
	d := load(t)
	checked := 0
	var walk func(place string, node any)
	walk = func(place string, node any) {
		object, _ := node.(map[string]any)
		if object["schema"] != nil {
			examples := []any{object["example"]}
			named, _ := object["examples"].(map[string]any)
			for _, example := range named {
				object, _ := example.(map[string]any)
				examples = append(examples, object["value"])
			}
			for _, example := range examples {
				if example == nil {
					continue
				}
				checked++
				if err := d.schemas.check(within(place, "schema"), example); err != nil {
					t.Errorf("%s: %v", place, err)
				}
			}
		}
		for name, inner := range object {
			walk(within(place, name), inner)
		}
		list, _ := node.([]any)
		for i, inner := range list {
			walk(within(place, strconv.Itoa(i)), inner)
		}
	}
	walk("#", d.schemas.whole)
	if checked < 100 {
		t.Errorf("there are %d examples", checked)
	}
}

func TestEveryDocumentedResponseHasARow(t *testing.T) {
	t.Parallel()
	rows := map[string]bool{}
	for _, c := range contract {
		rows[c.operation()+" "+strconv.Itoa(c.status)] = true
	}
	documented := map[string]bool{}
	load(t).operations(func(name string, o *openapi3.Operation) {
		for status := range o.Responses.Map() {
			response := name + " " + status
			documented[response] = true
			if !rows[response] {
				t.Errorf("%s has no row", response)
			}
		}
	})
	for response := range rows {
		if !documented[response] {
			t.Errorf("%s has a row but is not documented", response)
		}
	}
}

// TestTheDocumentSeesFaults shows that the checker reads the parts of the
// document that only version 3.1 has.
func TestTheDocumentSeesFaults(t *testing.T) {
	t.Parallel()
	d := load(t)
	id := uuid.Must(uuid.NewV7()).String()
	failure := func(code, details string) string {
		return `{"success":false,"error":{"code":"` + code + `","message":"x",` + details + `"timestamp":"2026-09-08T09:30:00.128Z","requestId":"` + id + `"}}`
	}
	const answer = `"surface":"lab","text":"x","sources":[],"citationPills":[],"searchQueries":[],"mapSearchQueries":[],"relatedQueries":[],"entities":[]`
	for body, want := range map[string]struct {
		status int
		right  bool
	}{
		failure("VALIDATION_ERROR", `"details":[{"field":"x","message":"y"}],`):                                      {400, true},
		failure("VALIDATION_ERROR", ``):                                                                              {400, false},
		failure("VALIDATION_ERROR", `"details":{"limit":3},`):                                                        {400, false},
		failure("INVALID_API_KEY", `"details":[{"field":"x","message":"y"}],`):                                       {400, false},
		failure("INVALID_API_KEY", ``):                                                                               {400, false},
		strings.Replace(failure("VALIDATION_ERROR", `"details":[{"field":"x","message":"y"}],`), "false", "true", 1): {400, false},
		`{"success":true,"result":{"model":null,` + answer + `}}`:                                                    {200, true},
		`{"success":true,"result":{"model":"m",` + answer + `}}`:                                                     {200, true},
		`{"success":true,"result":{"model":3,` + answer + `}}`:                                                       {200, false},
		`{"success":true,"result":{` + answer + `}}`:                                                                 {200, false},
		`{"success":true,"result":{"model":null,"more":1,` + answer + `}}`:                                           {200, false},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, harness.ChatPath, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp := &http.Response{Request: req, StatusCode: want.status, Header: http.Header{"Content-Type": {"application/json"}}}
		for _, name := range nine {
			resp.Header.Set(name, "1")
		}
		resp.Header.Set("X-Request-Id", id)
		err = d.response(t, row{method: "POST", path: harness.ChatPath}, &exchange{Reply: &harness.Reply{Response: resp, Body: []byte(body)}})
		if (err == nil) != want.right {
			t.Errorf("%s: %v", body, err)
		}
		resp.Header.Del("X-Request-Id")
		if d.response(t, row{method: "POST", path: harness.ChatPath}, &exchange{Reply: &harness.Reply{Response: resp, Body: []byte(body)}}) == nil {
			t.Errorf("%s: a header is missing and nobody minds", body)
		}
	}
}
