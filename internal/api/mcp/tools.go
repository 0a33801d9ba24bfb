package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"earshot"
)

// tool is an MCP tool that calls one operation of the API.
type tool struct {
	sdk.Tool
	method     string
	path       string
	scope      string   // the scope that a key needs
	isProvider bool     // asks a provider
	query      []string // the names of the arguments that are parameters of the query
	hasBody    bool
	wrap       string // the field for an answer that is not an object, otherwise ""
	text       func(answer []byte) (string, error)
}

// texts write the results of tools for a model. The other tools return JSON.
var texts = map[string]func(answer []byte) (string, error){
	"countries": textOf(countriesText),
	"states":    textOf(statesText),
	"quote":     textOf(quoteText),
	"credits":   textOf(creditsText),
	"task":      taskText,

	"trackers":         textOf(trackersText),
	"tracker":          textOf(trackerText),
	"tracker_apply":    textOf(appliedText),
	"tracker_state":    textOf(trackerLine),
	"tracker_run":      textOf(startedText),
	"tracker_sweeps":   textOf(sweepsText),
	"tracker_answers":  textOf(answersText),
	"tracker_answer":   answerText,
	"tracker_metrics":  textOf(metricsText),
	"tracker_compare":  textOf(compareText),
	"tracker_searches": textOf(searchesText),
	"tracker_diff":     textOf(diffText),
	"tracker_discover": textOf(discoverText),
	"tracker_reviews":  textOf(reviewsText),
	"tracker_alerts":   textOf(alertsText),

	"tracker_cancel_sweep": textOf(func(c *earshot.SweepCancelResult) string { return sweepLine(&c.Sweep) }),
	"alert_acknowledge":    textOf(func(a *earshot.AlertAcknowledged) string { return alertLine(&a.Alert) }),
	"review_mark":          textOf(func(m *earshot.ReviewMarked) string { return reviewLine(&m.Review) }),
}

// description is the part of the OpenAPI document from which the tools are generated.
type description struct {
	Info struct {
		Version string `json:"version"`
	} `json:"info"`
	Paths      map[string]map[string]operation `json:"paths"` // by path and method
	Components struct {
		Schemas map[string]any `json:"schemas"`
	} `json:"components"`
}

type operation struct {
	Tool        string `json:"x-tool"` // "" for an operation that is not a tool
	Provider    string `json:"x-provider"`
	Scope       string `json:"x-scope"`
	Summary     string `json:"summary"`
	Description string `json:"description"`
	SDK         struct {
		Idempotent bool `json:"idempotent"`
	} `json:"x-sdk"`
	Parameters []struct {
		Name        string         `json:"name"`
		In          string         `json:"in"`
		Description string         `json:"description"`
		Required    bool           `json:"required"`
		Schema      map[string]any `json:"schema"`
	} `json:"parameters"`
	RequestBody content            `json:"requestBody"`
	Responses   map[string]content `json:"responses"` // by status
}

type content struct {
	Content map[string]struct {
		Schema map[string]any `json:"schema"`
	} `json:"content"`
}

// schema returns the schema of the JSON content. If it accepts one object or a list of
// them, schema returns the object's.
func (c content) schema() map[string]any {
	schema := c.Content["application/json"].Schema
	if variants, ok := schema["oneOf"].([]any); ok && len(variants) > 0 {
		schema, _ = variants[0].(map[string]any)
	}
	return schema
}

func read(openAPI []byte) (*description, error) {
	d := &description{}
	if err := json.Unmarshal(openAPI, d); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	return d, nil
}

// tools returns the tools of the API. If providers is not nil, other providers have none.
func (d *description) tools(providers []string) ([]*tool, error) {
	var tools []*tool
	for path, methods := range d.Paths {
		for method, o := range methods {
			if o.Tool == "" || o.Provider != "" && providers != nil && !slices.Contains(providers, o.Provider) {
				continue
			}
			t, err := d.tool(strings.ToUpper(method), path, &o)
			if err != nil {
				return nil, fmt.Errorf("describe the tool %s: %w", o.Tool, err)
			}
			tools = append(tools, t)
		}
	}
	if tools == nil {
		return nil, errors.New("the OpenAPI document has no tools")
	}
	return tools, nil
}

// tool returns the tool of an operation.
func (d *description) tool(method, path string, o *operation) (t *tool, err error) {
	t = &tool{method: method, path: path, scope: o.Scope, isProvider: o.Provider != "", text: texts[o.Tool]}
	t.Name, t.Title, t.Description = o.Tool, o.Summary, o.Summary+". "+strings.TrimSpace(o.Description)
	if t.InputSchema, err = d.input(t, o); err != nil {
		return nil, err
	}
	answer := o.Responses["200"].schema()
	if t.isProvider {
		t.Description += " This costs credits."
		answer = field(answer, "result")
		t.text = resultText
	}
	if t.text == nil {
		t.text = func(answer []byte) (string, error) { return string(answer), nil }
	}
	if answer["type"] == "array" {
		t.wrap = t.Name
		answer = map[string]any{"type": "object", "required": []any{t.wrap}, "properties": map[string]any{t.wrap: answer}}
	}
	if t.OutputSchema, err = d.output(answer); err != nil {
		return nil, err
	}
	// A POST that is not idempotent starts work that asks providers.
	asks := t.isProvider || method == http.MethodPost && !o.SDK.Idempotent
	overwrites := method == http.MethodPut || method == http.MethodDelete
	t.Annotations = &sdk.ToolAnnotations{
		ReadOnlyHint:    t.isProvider || o.Scope == "read",
		DestructiveHint: &overwrites,
		IdempotentHint:  !asks,
		OpenWorldHint:   &asks,
	}
	return t, nil
}

// field returns the schema of a property.
func field(schema map[string]any, name string) map[string]any {
	properties, _ := schema["properties"].(map[string]any)
	property, _ := properties[name].(map[string]any)
	return property
}
