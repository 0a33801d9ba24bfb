package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// tool is an operation of the API.
type tool struct {
	name        string
	method      string
	path        string
	isProvider  bool   // it asks a provider, which costs credits
	wrap        string // the field for an answer that is not an object; "" for one that is
	schema      string // the name of the input's schema, where the operation also accepts lists
	text        func(answer []byte) (string, error)
	description string
	input       map[string]any
}

// lookups are the tools beside the providers. The input and the result of a tool must
// be objects.
var lookups = []tool{
	{name: "countries", method: http.MethodGet, path: "/v1/countries", wrap: "countries", text: countriesText},
	{name: "states", method: http.MethodGet, path: "/v1/states", wrap: "states", text: statesText},
	{name: "quote", method: http.MethodPost, path: "/v1/quote", schema: "TaskRequest", text: quoteText},
	{name: "credits", method: http.MethodGet, path: "/v1/credits", text: creditsText},

	{name: "trackers", method: http.MethodGet, path: "/v1/trackers", text: trackersText},
	{name: "tracker", method: http.MethodGet, path: "/v1/trackers/{name}", text: trackerText},
	{name: "tracker_sweeps", method: http.MethodGet, path: "/v1/trackers/{name}/sweeps", text: sweepsText},
	{name: "tracker_answers", method: http.MethodGet, path: "/v1/trackers/{name}/answers", text: answersText},
	{name: "tracker_answer", method: http.MethodGet, path: "/v1/trackers/{name}/answers/{id}", text: answerText},
	{name: "tracker_metrics", method: http.MethodGet, path: "/v1/trackers/{name}/metrics", text: metricsText},
	{name: "tracker_compare", method: http.MethodGet, path: "/v1/trackers/{name}/compare", text: compareText},
	{name: "tracker_diff", method: http.MethodGet, path: "/v1/trackers/{name}/diff", text: diffText},
	{name: "tracker_discover", method: http.MethodGet, path: "/v1/trackers/{name}/discover", text: discoverText},
	{name: "tracker_alerts", method: http.MethodGet, path: "/v1/trackers/{name}/alerts", text: alertsText},
}

// definition describes the tool to the client.
func (t *tool) definition() *sdk.Tool {
	return &sdk.Tool{
		Name:        t.name,
		Description: t.description,
		InputSchema: t.input,
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: !t.isProvider, OpenWorldHint: &t.isProvider},
	}
}

// description is the part of the API's OpenAPI description that tools are made of.
type description struct {
	Info struct {
		Version string `json:"version"`
	} `json:"info"`
	Paths map[string]struct {
		Get  operation `json:"get"`
		Post operation `json:"post"`
	} `json:"paths"`
	Components struct {
		Schemas map[string]any `json:"schemas"`
	} `json:"components"`
}

type operation struct {
	Summary     string `json:"summary"`
	Description string `json:"description"`
	Parameters  []struct {
		Name        string         `json:"name"`
		Description string         `json:"description"`
		Required    bool           `json:"required"`
		Schema      map[string]any `json:"schema"`
	} `json:"parameters"`
	RequestBody struct {
		Content map[string]struct {
			Schema any `json:"schema"`
		} `json:"content"`
	} `json:"requestBody"`
}

func read(openAPI []byte) (*description, error) {
	d := &description{}
	if err := json.Unmarshal(openAPI, d); err != nil {
		return nil, fmt.Errorf("read the API's description: %w", err)
	}
	return d, nil
}

// tools lists the tools: the named providers, or all, and the lookups.
func (d *description) tools(providers []string) ([]*tool, error) {
	if providers == nil {
		providers = d.providers()
	}
	var tools []*tool
	for _, name := range providers {
		tools = append(tools, &tool{
			name: strings.ReplaceAll(name, "/", "_"), method: http.MethodPost, path: "/v1/monitor/" + name, isProvider: true, text: resultText,
		})
	}
	for _, lookup := range lookups {
		tools = append(tools, &lookup)
	}
	for _, t := range tools {
		if err := d.describe(t); err != nil {
			return nil, fmt.Errorf("describe the tool %s: %w", t.name, err)
		}
	}
	return tools, nil
}

// providers are the providers that the description knows.
func (d *description) providers() []string {
	schema, _ := d.Components.Schemas["Provider"].(map[string]any)
	list, _ := schema["enum"].([]any)
	names := []string{}
	for _, entry := range list {
		if name, ok := entry.(string); ok {
			names = append(names, name)
		}
	}
	return names
}

// describe sets the tool's description and its input schema.
func (d *description) describe(t *tool) error {
	o := d.Paths[t.path].Post
	if t.method == http.MethodGet {
		o = d.Paths[t.path].Get
	}
	if o.Summary == "" {
		return fmt.Errorf("%s %s is not described", t.method, t.path)
	}
	t.description = o.Summary + ". " + o.Description
	schema := o.RequestBody.Content["application/json"].Schema
	switch {
	case t.schema != "":
		schema = map[string]any{"$ref": "#/components/schemas/" + t.schema}
	case t.method == http.MethodGet:
		schema = o.query()
	}
	resolved, err := d.resolve(schema, 0)
	if err != nil {
		return err
	}
	var ok bool
	if t.input, ok = resolved.(map[string]any); !ok {
		return fmt.Errorf("its input is %T", resolved)
	}
	return nil
}

// query is the schema of an operation's parameters.
func (o *operation) query() any {
	properties, required := map[string]any{}, []any{}
	for _, p := range o.Parameters {
		property := maps.Clone(p.Schema)
		property["description"] = p.Description
		properties[p.Name] = property
		if p.Required {
			required = append(required, p.Name)
		}
	}
	return map[string]any{"type": "object", "additionalProperties": false, "properties": properties, "required": required}
}

// maxDepth is deeper than any schema of a request.
const maxDepth = 50

// resolve copies a schema with references replaced by their targets and without
// conditions: many clients support neither, and the API checks anyway.
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
				object[name] = value // keywords beside a reference are more specific
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
