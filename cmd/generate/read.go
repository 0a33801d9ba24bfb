package main

import (
	"iter"
	"slices"
	"strings"

	"earshot/internal/api/openapi"
	"earshot/internal/schema"
)

// resolve returns the component that a schema refers to, or the schema itself.
func resolve(document, shape schema.Map) schema.Map {
	ref, ok := shape.Get("$ref").(string)
	if !ok {
		return shape
	}
	return document.At("components", "schemas", componentName(ref))
}

// componentName returns the name of a component from a reference to it.
func componentName(ref string) string { return ref[strings.LastIndex(ref, "/")+1:] }

// operation is an operation of a document.
type operation struct {
	schema.Map
	document    schema.Map
	verb, path  string
	method      string // of the clients, such as trackers.metrics; "" for none
	group, name string // its parts; a method of the client itself has no group
}

// operations returns the operations of a document in order.
func operations(document schema.Map) iter.Seq[operation] {
	return func(yield func(operation) bool) {
		for endpoint, described := range openapi.Operations(document) {
			o := operation{Map: described, document: document}
			o.verb, o.path, _ = strings.Cut(endpoint, " ")
			o.method, _ = described.At("x-sdk").Get("method").(string)
			dot := strings.LastIndex(o.method, ".")
			o.group, o.name = o.method[:max(dot, 0)], o.method[dot+1:]
			if !yield(o) {
				return
			}
		}
	}
}

// in returns the parameters in the path or in the query.
func (o operation) in(place string) []schema.Map {
	parameters, _ := o.Get("parameters").([]schema.Map)
	return slices.DeleteFunc(slices.Clone(parameters), func(p schema.Map) bool { return p.Get("in") != place })
}

// returns returns the field of the response that the method returns, and reports whether there is
// another result than the whole response. Without a field, the method returns nothing.
func (o operation) returns() (field string, other bool) {
	about := o.At("x-sdk")
	field, _ = about.Get("returns").(string)
	return field, slices.ContainsFunc(about, func(e schema.Entry) bool { return e.Key == "returns" })
}

// reply is the shape of a successful response.
type reply struct {
	json   schema.Map // nil if the response is not JSON
	shape  schema.Map // json, with its reference resolved
	events bool       // it is a stream of server-sent events
	other  bool       // it may have another media type than JSON
	list   string     // the list of a page that a method reads; the caller of events keeps the cursor
}

func (o operation) reply() (r reply) {
	content := o.At("responses", "200", "content")
	for media := range content.Objects() {
		if media != "application/json" {
			r.events, r.other = media == "text/event-stream", true
		}
	}
	r.json = content.At("application/json", "schema")
	r.shape = resolve(o.document, r.json)
	fields := r.shape.At("properties")
	if fields.Get("nextCursor") == nil || o.name == "events" {
		return r
	}
	for name, field := range fields.Objects() {
		if field.Get("type") == "array" {
			r.list = name
		}
	}
	return r
}

// describe returns the description of a schema, or "".
func describe(shape schema.Map) string {
	text, _ := shape.Get("description").(string)
	return text
}

// isOptional reports whether an object may lack a field.
func isOptional(object schema.Map, name string) bool {
	required, _ := object.Get("required").([]string)
	return !slices.Contains(required, name)
}
