package main

import (
	"slices"
	"strings"

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

// parametersIn returns the parameters in the path or in the query.
func parametersIn(place string, operation schema.Map) []schema.Map {
	parameters, _ := operation.Get("parameters").([]schema.Map)
	return slices.DeleteFunc(slices.Clone(parameters), func(p schema.Map) bool { return p.Get("in") != place })
}

// okSchema returns the schema of the response, or nil if the response is not JSON.
func okSchema(operation schema.Map) schema.Map {
	return operation.At("responses", "200", "content", "application/json", "schema")
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
