package contract_test

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/google/uuid"

	"earshot/test/harness"
)

// document is the API's description, and what the rows of the contract need of it.
type document struct{ *harness.Document }

func load(t *testing.T) document {
	t.Helper()
	return document{harness.OpenAPI(t)}
}

// operation is the documented operation that the row is about.
func (c row) operation() string {
	if c.as != "" {
		return c.as
	}
	path, _, _ := strings.Cut(c.path, "?")
	return c.method + " " + path
}

// request tells what is wrong with the row's request.
func (d document) request(t *testing.T, c row, s *stage) error {
	t.Helper()
	method, path, _ := strings.Cut(c.operation(), " ")
	// It is looked up by name: some rows are about requests that no route fits.
	operation, place := d.Find(c.operation())
	if operation == nil {
		t.Fatalf("%s is not documented", c.operation())
	}
	route := &routers.Route{Spec: d.T, Path: path, PathItem: d.Paths.Value(path), Method: method, Operation: operation}
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
	switch documented := operation.RequestBody; {
	case documented == nil:
		return err
	case len(body) > 0:
		return errors.Join(err, d.CheckBody(harness.Within(place, "requestBody"), documented.Value.Content, req.Header.Get("Content-Type"), body))
	case documented.Value.Required:
		return errors.Join(err, errors.New("there is no body"))
	default:
		return err
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
				if err := d.Check(harness.Within(place, "schema"), example); err != nil {
					t.Errorf("%s: %v", place, err)
				}
			}
		}
		for name, inner := range object {
			walk(harness.Within(place, name), inner)
		}
		list, _ := node.([]any)
		for i, inner := range list {
			walk(harness.Within(place, strconv.Itoa(i)), inner)
		}
	}
	walk("#", d.Whole)
	if checked < 100 {
		t.Errorf("there are %d examples", checked)
	}
}

// mediaType is the content type of the row's response.
func (c row) mediaType() string { return cmp.Or(c.media, "application/json") }

// TestEveryDocumentedResponseHasARow also holds that every operation has a valid call, and
// that no content type of a response is documented that no call returns.
func TestEveryDocumentedResponseHasARow(t *testing.T) {
	t.Parallel()
	rows := map[string]bool{}
	for _, c := range contract {
		rows[fmt.Sprintf("%s %d %s", c.operation(), c.status, c.mediaType())] = true
	}
	documented := map[string]bool{}
	load(t).Operations(func(name string, o *openapi3.Operation) {
		for status, response := range o.Responses.Map() {
			for media := range response.Value.Content {
				one := name + " " + status + " " + media
				documented[one] = true
				if !rows[one] {
					t.Errorf("%s has no row", one)
				}
			}
		}
	})
	for response := range rows {
		if !documented[response] {
			t.Errorf("%s has a row but is not documented", response)
		}
	}
}

// TestEveryParameterHasAValidCall holds that each parameter of a query and each content
// type of a body is part of a call that succeeds, and that the document allows.
func TestEveryParameterHasAValidCall(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, c := range contract {
		if c.status != http.StatusOK {
			continue
		}
		_, query, _ := strings.Cut(c.path, "?")
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		for name := range values {
			used[c.operation()+" ?"+name] = true
		}
		if c.body != "" {
			used[c.operation()+" "+cmp.Or(c.header["Content-Type"], "application/json")] = true
		}
	}
	load(t).Operations(func(name string, o *openapi3.Operation) {
		for _, p := range o.Parameters {
			if p.Value.In == "query" && !used[name+" ?"+p.Value.Name] {
				t.Errorf("%s: no valid call has the parameter %s", name, p.Value.Name)
			}
		}
		if o.RequestBody == nil {
			return
		}
		for media := range o.RequestBody.Value.Content {
			if !used[name+" "+media] {
				t.Errorf("%s: no valid call has a body in %s", name, media)
			}
		}
	})
}

// TestEveryEventIsDocumented holds that each type of event that the service sends has a
// webhook in the document.
func TestEveryEventIsDocumented(t *testing.T) {
	t.Parallel()
	d := load(t)
	var types []string
	for _, w := range d.Webhooks {
		for _, part := range w.Post.RequestBody.Value.Content["application/json"].Schema.Value.AllOf {
			if kind := part.Value.Properties["type"]; kind != nil && kind.Value.Const != nil {
				types = append(types, fmt.Sprint(kind.Value.Const))
			}
		}
	}
	slices.Sort(types)
	if want := []string{"alert.raised", "alert.test", "report.made", "sweep.completed", "sweep.skipped"}; !slices.Equal(types, want) {
		t.Errorf("the types are %q, want %q", types, want)
	}
	for _, name := range []string{"taskFinished", "webhookTest"} {
		if d.Webhooks[name] == nil {
			t.Errorf("there is no webhook %s", name)
		}
	}
}

// TestDescriptionsReadWell holds that what was made from comments of Go reads as prose.
func TestDescriptionsReadWell(t *testing.T) {
	t.Parallel()
	var walk func(place string, node any)
	walk = func(place string, node any) {
		switch node := node.(type) {
		case map[string]any:
			if text, ok := node["description"].(string); ok && ofGo.MatchString(text) {
				t.Errorf("%s says %q", place, text)
			}
			for name, inner := range node {
				walk(harness.Within(place, name), inner)
			}
		case []any:
			for i, inner := range node {
				walk(harness.Within(place, strconv.Itoa(i)), inner)
			}
		}
	}
	walk("#", load(t).Whole)
}

// ofGo finds the rest of a comment without its subject, and names that only Go has.
var ofGo = regexp.MustCompile(`^(Are|Is|Has been) |\bCode[A-Z]|\b[A-Z][a-z]+[A-Z]+[a-z]*\.[A-Z]`)

// TestWhatIsNotDocumentedIsSeen shows that a response is refused whose status, content type
// or header the document does not have, and a webhook of an unknown type.
func TestWhatIsNotDocumentedIsSeen(t *testing.T) {
	t.Parallel()
	d := load(t)
	for name, want := range map[string]struct {
		status             int
		media, header, say string
	}{
		"as documented":         {200, "application/json", "", ""},
		"another status":        {418, "application/json", "", "a response 418 is not documented"},
		"another content type":  {200, "text/csv", "", `the content type "text/csv" is not documented`},
		"another header":        {200, "application/json", "X-New", "header X-New is not documented"},
		"a header of a refusal": {200, "application/json", "Retry-After", "header Retry-After is not documented"},
	} {
		header := http.Header{"Content-Type": {want.media}, "X-Request-Id": {harness.NoTask}, "X-Ratelimit-Limit": {"1"}, "X-Ratelimit-Remaining": {"1"}}
		if want.header != "" {
			header.Set(want.header, "1")
		}
		err := d.Response("GET /v1/countries", &harness.Reply{Response: &http.Response{StatusCode: want.status, Header: header}, Body: []byte(`["AD"]`)})
		if got := fmt.Sprint(err); err != nil && got != want.say || (err == nil) != (want.say == "") {
			t.Errorf("%s: %v, want %s", name, err, want.say)
		}
	}
	header := http.Header{"Content-Type": {"application/json"}, "Webhook-Id": {harness.NoTask}, "Webhook-Timestamp": {"1788859804"}, "Webhook-Signature": {"v1,x"}}
	for body, right := range map[string]bool{`{"test":true,"sentAt":"2026-09-08T09:30:00.128Z"}`: true, `{"type":"sweep.begun","tracker":"hats"}`: false} {
		if err := d.Webhook(header, body); (err == nil) != right {
			t.Errorf("%s: %v", body, err)
		}
	}
	header.Set("webhook-id", "x")
	if d.Webhook(header, `{"test":true,"sentAt":"2026-09-08T09:30:00.128Z"}`) == nil {
		t.Error("an id that is no UUID is not seen")
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
		err = d.Response("POST "+harness.ChatPath, &harness.Reply{Response: resp, Body: []byte(body)})
		if (err == nil) != want.right {
			t.Errorf("%s: %v", body, err)
		}
		resp.Header.Del("X-Request-Id")
		if d.Response("POST "+harness.ChatPath, &harness.Reply{Response: resp, Body: []byte(body)}) == nil {
			t.Errorf("%s: a header is missing and nobody minds", body)
		}
	}
}
