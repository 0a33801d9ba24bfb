package openapi

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"earshot"
	"earshot/internal/api"
	"earshot/internal/api/mcp"
	"earshot/internal/provider"
	"earshot/internal/schema"
)

// textOf returns the text of an operation. For a call of a provider, it also returns the
// provider's definition, which contains the text.
func (b *builder) textOf(operation api.Operation) (*provider.Definition, *operationText, error) {
	for i := range b.providers {
		about := &b.providers[i]
		if operation.Path != "/v1/monitor/"+about.Name {
			continue
		}
		text := &operationText{}
		if err := yaml.UnmarshalWithOptions(about.Prose, text, yaml.UseOrderedMap(), yaml.Strict()); err != nil {
			return nil, nil, fmt.Errorf("read the prose of %s: %w", about.Name, err)
		}
		text.ID = "monitor" + about.TypeName()
		text.Tag, text.Answer = "Search", "The results."
		if reflect.TypeOf(about.Result) == reflect.TypeFor[earshot.Answer]() {
			text.Tag, text.Answer = "Assistants", "The answer."
		}
		text.Idempotent = true
		text.Errors = []string{"CallForbidden", "NotFound", "Conflict", "TooManyRequests", "Canceled", "BadGateway"}
		return about, text, nil
	}
	return nil, b.texts.Operations[operation.Method+" "+operation.Path], nil
}

// operation describes one operation.
func (b *builder) operation(o api.Operation, about *provider.Definition, text *operationText) (schema.Map, error) {
	entry := object(
		"operationId", text.ID, "tags", []string{text.Tag},
		"summary", text.Summary, "description", text.Description,
	)
	if o.Public {
		entry.Set("security", []any{})
	} else {
		entry.Set("x-scope", string(o.Scope))
	}
	if about != nil {
		entry.Set("x-provider", about.Name)
		entry.Set("x-product", about.Product)
		entry.Set("x-task-type", about.TaskType)
		entry.Set("x-text-field", about.TextField())
	}
	if tool := mcp.Of(o.Method, o.Path); tool != "" {
		entry.Set("x-tool", tool)
	}
	if text.SDK != "" {
		described, err := clientMethod(o, text.SDK)
		if err != nil {
			return nil, err
		}
		entry.Set("x-sdk", described)
	}
	parameters, err := b.parameters(o, text)
	if err != nil {
		return nil, err
	}
	if parameters != nil {
		entry.Set("parameters", parameters)
	}
	if o.Body != nil {
		media := "application/json"
		if o.Method == http.MethodPatch {
			media += " application/merge-patch+json"
		}
		if o.YAML {
			media += " application/yaml"
		}
		entry.Set("requestBody", object(
			"required", !o.BodyOptional,
			"content", contents(media, b.body(o), text.Requests),
		))
	}
	for _, event := range o.Events {
		b.types.Of(event) // adds the schema, to which the description refers
	}
	responses, err := b.answers(o, about, text)
	if err != nil {
		return nil, err
	}
	entry.Set("responses", responses)
	return entry, nil
}

// clientMethod describes the method of the Python and TypeScript clients: its name, whether
// it may be repeated, and the field of the response that it returns, null for nothing.
func clientMethod(o api.Operation, name string) (schema.Map, error) {
	described := object("method", name, "idempotent", o.Idempotent())
	if o.Keyed() {
		described.Set("keyed", true)
	}
	switch {
	case o.Client.ReturnsNothing():
		described.Set("returns", nil)
	case o.Client.Returns != "":
		response := reflect.TypeOf(o.Response)
		field, ok := response.FieldByName(o.Client.Returns)
		if !ok {
			return nil, fmt.Errorf("%s has no field %s", response, o.Client.Returns)
		}
		json, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		described.Set("returns", json)
	}
	return described, nil
}

var pathParameter = regexp.MustCompile(`\{(\w+)\}`)

// parameters describes the parameters of the path and of the query. Each path parameter
// needs a text in the folder prose. The texts of query parameters are the comments of their type.
func (b *builder) parameters(o api.Operation, text *operationText) ([]schema.Map, error) {
	var parameters []schema.Map
	others := maps.Clone(text.Parameters)
	for _, match := range pathParameter.FindAllStringSubmatch(o.Path, -1) {
		if text.Parameters[match[1]] == "" {
			return nil, fmt.Errorf("prose does not describe the parameter %s", match[1])
		}
		delete(others, match[1])
		parameters = append(parameters, object(
			"name", match[1], "in", "path", "required", true,
			"description", text.Parameters[match[1]],
			"schema", object("type", "string", "minLength", 1),
		))
	}
	for _, name := range slices.Sorted(maps.Keys(others)) {
		return nil, fmt.Errorf("prose describes the parameter %s, which is not in the path", name)
	}
	if text.Idempotent || o.Keyed() {
		description := b.texts.IdempotencyKey
		if o.Keyed() {
			description = b.texts.RequestKey
		}
		parameters = append(parameters, object(
			"name", earshot.IdempotencyKeyHeader, "in", "header", "required", false,
			"description", description,
			"schema", object("type", "string", "minLength", 1, "maxLength", schema.MaxIdempotencyKey),
		))
	}
	if b.isVersioned(o) {
		parameters = append(parameters, object(
			"name", "If-Match", "in", "header", "required", false,
			"description", b.texts.IfMatch,
			"schema", object("type", "string", "minLength", 1),
		))
	}
	if o.Query != nil {
		parameters = append(parameters, b.types.Parameters(o.Query)...)
	}
	return parameters, nil
}

// isVersioned reports whether the operation changes a resource that has an ETag.
func (b *builder) isVersioned(o api.Operation) bool {
	changes := o.Method == http.MethodPut || o.Method == http.MethodPatch || o.Method == http.MethodDelete
	return changes && slices.ContainsFunc(b.operations, func(get api.Operation) bool {
		return get.Method == http.MethodGet && get.Path == o.Path && get.IsTagged()
	})
}

func (b *builder) body(o api.Operation) schema.Map {
	body := b.types.Of(o.Body)
	if body.Get("type") == "array" {
		body.Set("minItems", 1)
		body.Set("maxItems", api.MaxTasks)
	}
	if !o.OrList {
		return body
	}
	return object("oneOf", []schema.Map{
		body, object("type", "array", "minItems", 1, "maxItems", api.MaxTasks, "items", body),
	})
}

func content(media string, shape schema.Map, examples value) schema.Map {
	inner := object("schema", shape)
	if examples.any != nil {
		inner.Set("examples", examples.any)
	}
	return object(media, inner)
}

// contents returns the content for space-separated media types, with examples for the first.
func contents(media string, shape schema.Map, examples value) schema.Map {
	var all schema.Map
	for _, one := range strings.Fields(media) {
		if one == parquet {
			shape = schema.Map{} // JSON Schema cannot describe binary data
		}
		all = append(all, content(one, shape, examples)...)
		examples = value{}
	}
	return all
}

const parquet = "application/vnd.apache.parquet"

// answers describes the 200 response and the error responses.
func (b *builder) answers(o api.Operation, about *provider.Definition, text *operationText) (schema.Map, error) {
	media, shape := "application/json", object("type", "object")
	switch {
	case about != nil:
		shape = object(
			"type", "object", "additionalProperties", false, "required", []string{"success", "result"},
			"properties", object(
				"success", object("type", "boolean", "const", true),
				"result", b.types.Of(about.Result),
			),
		)
	case o.Response != nil:
		shape = b.types.Of(o.Response)
	case text.Media != "":
		media, shape = text.Media, object("type", "string")
	}
	bodies := contents(media, shape, text.Responses)
	if o.Response != nil { // the other media types of the same data
		bodies = append(bodies, contents(text.Media, object("type", "string"), value{})...)
	}
	carries := b.headers(o, http.StatusOK)
	more := text.Headers
	if text.Idempotent || o.Keyed() {
		more = append(more, earshot.ReplayedHeader)
	}
	if o.IsTagged() {
		more = append(more, "ETag")
	}
	for _, name := range more {
		carries.Set(name, headerRef(name))
	}
	answers := object("200", object(
		"description", text.Answer, "headers", carries,
		"content", bodies,
	))
	byStatus, err := b.failures(o, text)
	if err != nil {
		return nil, err
	}
	for _, status := range slices.Sorted(maps.Keys(byStatus)) {
		answers.Set(strconv.Itoa(status), b.failure(o, status, byStatus[status]))
	}
	return answers, nil
}

// failures returns the names of an operation's failures by status: the failures of all
// operations of its kind, and its own, which replace them.
func (b *builder) failures(o api.Operation, text *operationText) (map[int]string, error) {
	var names []string
	if !o.Vital {
		names = append(names, "ServiceUnavailable")
	}
	switch {
	case o.Submits:
		names = append(names, "InvalidBody")
	case !o.AnyQuery:
		names = append(names, "BadRequest")
	}
	if o.Body != nil && !o.FixedStatuses() {
		names = append(names, "UnsupportedMediaType")
	}
	if !o.Public {
		names = append(names, "Unauthorized", "ScopeMissing", "RateLimited", "InternalError")
		if strings.Contains(o.Path, "{") {
			names = append(names, "NotFound")
		}
		if o.Keyed() {
			names = append(names, "KeyUsed")
		}
		if b.isVersioned(o) {
			names = append(names, "Changed")
		}
	}
	byStatus := map[int]string{}
	for _, name := range append(names, text.Errors...) {
		failure, ok := b.texts.Failures[name]
		if !ok || len(failure.Codes) == 0 {
			return nil, fmt.Errorf("failure %q does not exist or has no code", name)
		}
		byStatus[api.StatusOf(earshot.Code(failure.Codes[0]), o.Submits)] = name
	}
	return byStatus, nil
}

// failure returns a reference to the component of a failure, and adds the component if it
// is new. Failures of monitor calls have their own components, because they have more headers.
func (b *builder) failure(o api.Operation, status int, name string) schema.Map {
	component := name
	if isMonitor(o) && status != http.StatusUnauthorized {
		component = "Monitor" + name
	}
	text := b.texts.Failures[name]
	if b.responses.Get(component) == nil {
		b.responses.Set(component, object(
			"description", text.Description, "headers", b.headers(o, status),
			"content", content("application/json", object(
				"allOf", []schema.Map{b.types.Of(earshot.ErrorResponse{}), onlyCodes(text.Codes)},
			), value{object("example", object("value", exampleFailure(text)))}),
		))
	}
	return object("$ref", "#/components/responses/"+component)
}

func isMonitor(o api.Operation) bool { return strings.HasPrefix(o.Path, "/v1/monitor/") }

func onlyCodes(codes []string) schema.Map {
	code := object("properties", object("code", object("enum", codes)))
	return object("properties", object("error", code))
}

func exampleFailure(text failureText) schema.Map {
	inner, _ := text.Example.any.(schema.Map)
	inner = append(slices.Clone(inner),
		schema.Entry{Key: "timestamp", Value: "2026-09-08T09:30:00.128Z"},
		schema.Entry{Key: "requestId", Value: "01a0805a-5a31-7d6a-8f10-2c94be07a1d3"})
	return object("success", false, "error", inner)
}

var (
	basicHeaders = []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-Request-Id"}
	// Headers of monitor calls: about the account, and about the call.
	accountHeaders = []string{"X-Concurrent-Limit", "X-Concurrent-Current", "X-Concurrent-Remaining", "X-Credits-Remaining"}
	callHeaders    = []string{"X-Credits-Charged", "X-Latency-Ms"}
)

// headers returns the headers of a response with the given status. A monitor call may be
// refused before its account is known, so the account's headers are optional then.
func (b *builder) headers(o api.Operation, status int) schema.Map {
	var all schema.Map
	for _, name := range basicHeaders {
		all.Set(name, headerRef(name))
	}
	if isMonitor(o) && status != http.StatusUnauthorized {
		known := status != http.StatusTooManyRequests && status != http.StatusInternalServerError && status != http.StatusServiceUnavailable
		for _, name := range accountHeaders {
			all.Set(name, b.header(name, known))
		}
		for _, name := range callHeaders {
			all.Set(name, b.header(name, known || status == http.StatusInternalServerError))
		}
	}
	if status == http.StatusPreconditionFailed {
		all.Set("ETag", b.header("ETag", false))
	}
	if status == http.StatusServiceUnavailable {
		all.Set("Retry-After", headerRef("Retry-After"))
	}
	return all
}

// header returns a reference to a required header, or the description of an optional one.
func (b *builder) header(name string, always bool) schema.Map {
	if always {
		return headerRef(name)
	}
	all, _ := b.texts.Headers.any.(schema.Map)
	return slices.DeleteFunc(slices.Clone(all.At(name)), func(e schema.Entry) bool { return e.Key == "required" })
}

func headerRef(name string) schema.Map { return object("$ref", "#/components/headers/"+name) }
