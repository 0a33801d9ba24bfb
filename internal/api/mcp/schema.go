package mcp

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// input returns the schema of a tool's arguments: the parameters of the path and of the
// query, and the fields of the body.
func (d *description) input(t *tool, o *operation) (map[string]any, error) {
	schema := map[string]any{"type": "object", "additionalProperties": false}
	if body := o.RequestBody.schema(); body != nil {
		resolved, err := d.resolve(body, 0)
		if err != nil {
			return nil, err
		}
		var ok bool
		if schema, ok = resolved.(map[string]any); !ok || schema["type"] != "object" {
			return nil, fmt.Errorf("the input is %v instead of an object", resolved)
		}
		t.hasBody = true
	}
	properties, _ := schema["properties"].(map[string]any)
	if properties == nil {
		properties = map[string]any{}
	}
	required, _ := schema["required"].([]any)
	for _, p := range o.Parameters {
		if p.In == "header" {
			continue
		}
		resolved, err := d.resolve(p.Schema, 0)
		if err != nil {
			return nil, err
		}
		property, _ := resolved.(map[string]any)
		property["description"] = p.Description
		properties[p.Name] = property
		if p.Required && !slices.Contains(required, any(p.Name)) {
			required = append(required, p.Name)
		}
		if p.In == "query" {
			t.query = append(t.query, p.Name)
		}
	}
	schema["properties"] = properties
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema, nil
}

// maxDepth is deeper than any schema of a request.
const maxDepth = 50

// resolve returns a copy of a schema with references replaced by their targets and without
// conditions. Many clients support neither in the schema of an input, and the API validates
// the input.
func (d *description) resolve(schema any, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("a schema is nested more than %d deep", maxDepth)
	}
	switch schema := schema.(type) {
	case map[string]any:
		return d.resolveObject(schema, depth)
	case []any:
		list := make([]any, len(schema))
		for i, element := range schema {
			var err error
			if list[i], err = d.resolve(element, depth+1); err != nil {
				return nil, err
			}
		}
		return list, nil
	default:
		return schema, nil
	}
}

func (d *description) resolveObject(schema map[string]any, depth int) (any, error) {
	object := maps.Clone(schema)
	if reference, ok := schema["$ref"].(string); ok {
		referred, ok := d.Components.Schemas[strings.TrimPrefix(reference, "#/components/schemas/")].(map[string]any)
		if !ok {
			return nil, fmt.Errorf("there is no %s", reference)
		}
		object = maps.Clone(referred)
		for name, value := range schema {
			if name != "$ref" {
				object[name] = value // keywords next to a reference are more specific
			}
		}
		return d.resolve(object, depth+1)
	}
	for name, value := range object {
		if slices.Contains([]string{"if", "then", "else", "allOf", "dependentSchemas"}, name) {
			delete(object, name)
			continue
		}
		resolved, err := d.resolve(value, depth+1)
		if err != nil {
			return nil, err
		}
		object[name] = resolved
	}
	return object, nil
}

// output returns the schema of a tool's structured result.
func (d *description) output(answer any) (map[string]any, error) {
	resolved, err := d.resolve(answer, 0)
	if err != nil {
		return nil, err
	}
	schema, ok := shape(resolved, true).(map[string]any)
	if !ok || schema["type"] != "object" {
		return nil, fmt.Errorf("the output is %v instead of an object", resolved)
	}
	return schema, nil
}

// shape returns the keywords of a resolved schema that describe the shape of values. An
// output schema has no others: it must be short, and it must fit the results of later
// releases, because clients check results against it. Unless whole is true, objects have no
// fields: describing optional objects would double the length of the list of tools.
func shape(schema any, whole bool) any {
	switch schema := schema.(type) {
	case map[string]any:
		shaped := map[string]any{}
		for keyword, value := range schema {
			switch keyword {
			case "type", "const":
				shaped[keyword] = value
			case "items":
				shaped[keyword] = shape(value, whole)
			case "anyOf", "required":
				if whole {
					shaped[keyword] = shape(value, whole)
				}
			case "properties":
				if whole {
					shaped[keyword] = shapeFields(value, schema["required"])
				}
			}
		}
		return shaped
	case []any:
		list := make([]any, len(schema))
		for i, element := range schema {
			list[i] = shape(element, whole)
		}
		return list
	default:
		return schema
	}
}

// shapeFields returns the shapes of an object's properties.
func shapeFields(properties, required any) map[string]any {
	shaped := map[string]any{}
	named, _ := properties.(map[string]any)
	names, _ := required.([]any)
	for name, property := range named {
		shaped[name] = shape(property, slices.Contains(names, any(name)))
	}
	return shaped
}
