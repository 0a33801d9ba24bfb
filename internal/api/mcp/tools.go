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

// tool is an MCP tool that calls one operation of the API.
type tool struct {
	name        string
	method      string
	path        string
	isProvider  bool   // asks a provider, which costs credits
	wrap        string // the field for an answer that is not an object, otherwise ""
	schema      string // the name of the input's schema, if the operation also accepts lists
	text        func(answer []byte) (string, error)
	description string
	input       map[string]any
}

// lookups are the tools other than the providers. The input and the result of a tool must
// be objects.
var lookups = []tool{
	{name: "countries", method: http.MethodGet, path: "/v1/countries", wrap: "countries", text: textOf(countriesText)},
	{name: "states", method: http.MethodGet, path: "/v1/states", wrap: "states", text: textOf(statesText)},
	{name: "quote", method: http.MethodPost, path: "/v1/quote", schema: "TaskRequest", text: textOf(quoteText)},
	{name: "credits", method: http.MethodGet, path: "/v1/credits", text: textOf(creditsText)},

	{name: "trackers", method: http.MethodGet, path: "/v1/trackers", text: textOf(trackersText)},
	{name: "tracker", method: http.MethodGet, path: "/v1/trackers/{name}", text: textOf(trackerText)},
	{name: "tracker_sweeps", method: http.MethodGet, path: "/v1/trackers/{name}/sweeps", text: textOf(sweepsText)},
	{name: "tracker_answers", method: http.MethodGet, path: "/v1/trackers/{name}/answers", text: textOf(answersText)},
	{name: "tracker_answer", method: http.MethodGet, path: "/v1/trackers/{name}/answers/{id}", text: answerText},
	{name: "tracker_metrics", method: http.MethodGet, path: "/v1/trackers/{name}/metrics", text: textOf(metricsText)},
	{name: "tracker_compare", method: http.MethodGet, path: "/v1/trackers/{name}/compare", text: textOf(compareText)},
	{name: "tracker_searches", method: http.MethodGet, path: "/v1/trackers/{name}/searches", text: textOf(searchesText)},
	{name: "tracker_diff", method: http.MethodGet, path: "/v1/trackers/{name}/diff", text: textOf(diffText)},
	{name: "tracker_discover", method: http.MethodGet, path: "/v1/trackers/{name}/discover", text: textOf(discoverText)},
	{name: "tracker_reviews", method: http.MethodGet, path: "/v1/trackers/{name}/reviews", text: textOf(reviewsText)},
	{name: "tracker_alerts", method: http.MethodGet, path: "/v1/trackers/{name}/alerts", text: textOf(alertsText)},
}

// definition returns the description of the tool for the client.
func (t *tool) definition() *sdk.Tool {
	return &sdk.Tool{
		Name:        t.name,
		Description: t.description,
		InputSchema: t.input,
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: !t.isProvider, OpenWorldHint: &t.isProvider},
	}
}

// description is the part of the OpenAPI document from which the tools are generated.
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
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	return d, nil
}

// tools returns the tools: the named providers, or all providers, and the lookups.
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

// providers returns the providers in the OpenAPI document.
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
		return fmt.Errorf("the input is %T instead of an object", resolved)
	}
	return nil
}

// query returns the schema of an operation's parameters.
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

// resolve returns a copy of a schema with references replaced by their targets and without
// conditions. Many clients support neither, and the API validates the input.
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
