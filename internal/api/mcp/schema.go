package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// description is the part of the OpenAPI document that describes the tools.
type description struct {
	Info struct {
		Version string `json:"version"`
	} `json:"info"`
	Paths      map[string]map[string]*operation `json:"paths"` // by path and method
	Components struct {
		Schemas map[string]map[string]any `json:"schemas"`
	} `json:"components"`

	providers []*operation // that can be asked, by name
}

type operation struct {
	Method, Path string
	Provider     string `json:"x-provider"`
	Product      string `json:"x-product"`
	TaskType     string `json:"x-task-type"`
	TextField    string `json:"x-text-field"`
	Scope        string `json:"x-scope"`
	SDK          struct {
		Idempotent bool `json:"idempotent"`
	} `json:"x-sdk"`
	Parameters []struct {
		Name        string         `json:"name"`
		In          string         `json:"in"`
		Description string         `json:"description"`
		Schema      map[string]any `json:"schema"`
	} `json:"parameters"`
	RequestBody struct {
		Content map[string]struct {
			Schema map[string]any `json:"schema"`
		} `json:"content"`
	} `json:"requestBody"`
}

// monitors stands for the operations of all providers.
const monitors = "POST /v1/monitor/{provider}"

// readOpenAPI reads the OpenAPI document. If providers is not nil, others cannot be asked.
func readOpenAPI(openAPI []byte, providers []string) (*description, error) {
	d := &description{}
	if err := json.Unmarshal(openAPI, d); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	for path, methods := range d.Paths {
		for method, o := range methods {
			o.Method, o.Path = strings.ToUpper(method), path
			if o.Provider != "" && (providers == nil || slices.Contains(providers, o.Provider)) {
				d.providers = append(d.providers, o)
			}
		}
	}
	slices.SortFunc(d.providers, func(a, b *operation) int { return strings.Compare(a.Provider, b.Provider) })
	return d, nil
}

// operation returns an operation such as GET /v1/trackers, or nil.
func (d *description) operation(name string) *operation {
	method, path, _ := strings.Cut(name, " ")
	return d.Paths[path][strings.ToLower(method)]
}

// operations returns the operations that a tool calls.
func (d *description) operations(t *tool) (all []*operation, err error) {
	for _, name := range t.ops {
		if name == monitors {
			all = append(all, d.providers...)
			continue
		}
		o := d.operation(name)
		if o == nil {
			return nil, fmt.Errorf("there is no operation %s", name)
		}
		all = append(all, o)
	}
	return all, nil
}

// allows reports whether a key with the scopes may use a tool: it may make the request that charges or
// changes, if there is one. A tool with several such requests offers several ways.
func (d *description) allows(t *tool, scopes []string) bool {
	all, _ := d.operations(t) // describe has returned the error
	if slices.ContainsFunc(all, func(o *operation) bool { return !o.reads() }) {
		all = slices.DeleteFunc(all, (*operation).reads)
	}
	return slices.ContainsFunc(all, func(o *operation) bool { return slices.Contains(scopes, o.Scope) })
}

// reads reports whether an operation changes and charges nothing.
func (o *operation) reads() bool { return o.Method == "GET" || o.Scope == "read" }

// describe returns a tool as clients see it. Its annotations follow from the operations that it calls.
func (d *description) describe(t *tool) (*sdk.Tool, error) {
	all, err := d.operations(t)
	if err != nil {
		return nil, err
	}
	properties, required := map[string]any{}, slices.Clone(t.needs)
	maps.Copy(properties, t.own)
	if properties["provider"] != nil {
		properties["provider"] = text("One of " + d.choices() + "; by either name.")
	}
	reads, destroys, repeatable, asks := true, false, true, false
	for _, o := range all {
		reads = reads && o.reads()
		destroys = destroys || o.Method == "PUT" || o.Method == "PATCH" || o.Method == "DELETE"
		once := !o.reads() && o.Method == "POST" && !o.SDK.Idempotent // it starts work that asks providers
		repeatable, asks = repeatable && !once, asks || once
	}
	for _, field := range strings.Fields(t.args) {
		name, byDefault, _ := strings.Cut(field, "=")
		property := d.property(all[0], name)
		if property == nil {
			return nil, fmt.Errorf("%s %s has no %s", all[0].Method, all[0].Path, name)
		}
		if byDefault != "" {
			property["default"] = byDefault
			if property["type"] == "integer" {
				property["default"] = json.Number(byDefault)
			}
		}
		properties[name] = property
	}
	for _, name := range slices.Sorted(maps.Keys(inPath)) {
		if t.run == nil && strings.Contains(all[0].Path, inPath[name]) {
			properties[name] = text("")
			required = append(required, name)
		}
	}
	if !reads {
		properties["idempotencyKey"] = map[string]any{"type": "string", "description": "A key of your own: a repeated call with it has no second effect."}
	}
	if !t.quiet {
		properties["format"] = map[string]any{"enum": []any{"table", "json"}}
		properties["maxKB"] = map[string]any{"type": "integer", "minimum": 1, "maximum": maxKB, "default": defaultKB}
	}
	schema := map[string]any{"type": "object", "additionalProperties": false, "properties": properties}
	if len(required) > 0 {
		schema["required"] = required
	}
	return &sdk.Tool{
		Name: t.name, Title: t.title, Description: t.about, InputSchema: schema,
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: reads, DestructiveHint: &destroys, IdempotentHint: repeatable, OpenWorldHint: &asks},
	}, nil
}

// inPath are the arguments that are parameters of the path.
var inPath = map[string]string{"tracker": "{name}", "id": "{id}"}

// property returns the schema of a parameter of an operation, or of a field of its body, or nil.
func (d *description) property(o *operation, name string) map[string]any {
	for _, p := range o.Parameters {
		if p.Name == name {
			return described(p.Schema, p.Description)
		}
	}
	property, _ := d.body(o)[name].(map[string]any)
	about, _ := property["description"].(string)
	if reference, ok := property["$ref"].(string); ok {
		property = d.Components.Schemas[strings.TrimPrefix(reference, "#/components/schemas/")]
	}
	if property == nil {
		return nil
	}
	return described(property, about)
}

// body returns the fields of an operation's body.
func (d *description) body(o *operation) map[string]any {
	schema := o.RequestBody.Content["application/json"].Schema
	if reference, ok := schema["$ref"].(string); ok {
		schema = d.Components.Schemas[strings.TrimPrefix(reference, "#/components/schemas/")]
	}
	fields, _ := schema["properties"].(map[string]any)
	return fields
}

// described returns the keywords of a schema that help a model, with a description. Agents pay for
// every byte, and the API validates the values.
func described(schema map[string]any, about string) map[string]any {
	short := map[string]any{}
	for _, keyword := range []string{"type", "enum", "minimum", "maximum", "default", "items"} {
		if value, ok := schema[keyword]; ok {
			short[keyword] = value
		}
	}
	if about != "" {
		short["description"] = about
	}
	return short
}
