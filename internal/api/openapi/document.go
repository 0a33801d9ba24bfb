// Package openapi generates the OpenAPI document from the list of operations, their
// request and response types, the providers' definitions, and the texts in the folder prose.
//
//	document.go   the whole document
//	operation.go  one operation: parameters, body, responses
//	webhook.go    the webhooks
//	component.go  the schemas that depend on the list of providers
//	prose.go      reads the folder prose
//	llms.go       the introduction for AI agents, llms.txt
//
// The command generate writes the clients and the tables of the docs from the document.
package openapi

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"iter"
	"strings"

	"earshot/internal/api"
	"earshot/internal/provider"
	"earshot/internal/schema"
)

// builder holds the parts of a document while it is generated.
type builder struct {
	texts      *texts
	types      *schema.Describer
	providers  []provider.Definition
	operations []api.Operation
	responses  schema.Map // the components of error responses
}

// Sources are the inputs of the document.
type Sources struct {
	Providers  []provider.Provider
	Operations []api.Operation
	Comments   map[string]string // doc comments of package earshot, by Type and Type.field
	Prose      fs.FS             // YAML files of texts
}

// SourcesOf returns the sources for a service with these providers, with the comments of
// comments.json.
func SourcesOf(providers []provider.Provider) (Sources, error) {
	s := Sources{Providers: providers, Operations: api.Operations(providers), Comments: map[string]string{}, Prose: prose}
	if err := json.Unmarshal(comments, &s.Comments); err != nil {
		return s, fmt.Errorf("read comments.json: %w", err)
	}
	return s, nil
}

// Document returns the OpenAPI document of a service with these providers.
func Document(providers []provider.Provider) (schema.Map, error) {
	s, err := SourcesOf(providers)
	if err != nil {
		return nil, err
	}
	return s.Describe()
}

// Describe returns the OpenAPI document.
func (s Sources) Describe() (schema.Map, error) {
	texts, err := readTexts(s.Prose)
	if err != nil {
		return nil, fmt.Errorf("read the texts of the API: %w", err)
	}
	b := &builder{texts: texts, operations: s.Operations, types: &schema.Describer{Comments: s.Comments}}
	for _, p := range s.Providers {
		b.providers = append(b.providers, p.Definition())
	}
	paths, err := b.paths(s.Operations)
	if err != nil {
		return nil, err
	}
	webhooks, err := b.webhooks()
	if err != nil {
		return nil, err
	}
	b.components()
	return object(
		"openapi", "3.1.0",
		"info", texts.Info.any,
		"servers", []any{object("url", "/", "description", "This server.")},
		"security", []any{object("ApiKey", []any{})},
		"tags", texts.Tags.any,
		"paths", paths,
		"webhooks", webhooks,
		"components", object(
			"securitySchemes", object("ApiKey", object(
				"type", "http", "scheme", "bearer", "bearerFormat", "ear_live_…",
				"description", "An organization's API key. Only the response that creates it contains its secret.",
			)),
			"headers", texts.Headers.any,
			"responses", b.responses,
			"schemas", b.types.Components,
		),
	), nil
}

// paths describes every operation that has a text. Dashboard pages have none.
func (b *builder) paths(operations []api.Operation) (schema.Map, error) {
	var paths schema.Map
	described := map[string]bool{}
	for _, operation := range operations {
		about, text, err := b.textOf(operation)
		if err != nil {
			return nil, err
		}
		if text == nil {
			continue
		}
		described[operation.Method+" "+operation.Path] = true
		item, _ := paths.Get(operation.Path).(schema.Map)
		entry, err := b.operation(operation, about, text)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", operation.Method, operation.Path, err)
		}
		item.Set(strings.ToLower(operation.Method), entry)
		paths.Set(operation.Path, item)
	}
	for name := range b.texts.Operations {
		if !described[name] {
			return nil, fmt.Errorf("the prose describes %s, which is not an operation", name)
		}
	}
	return paths, nil
}

// Operations returns the operations of a document in order, with names such as GET /v1/keys.
func Operations(document schema.Map) iter.Seq2[string, schema.Map] {
	return func(yield func(string, schema.Map) bool) {
		for path, methods := range document.At("paths").Objects() {
			for method, operation := range methods.Objects() {
				if !yield(strings.ToUpper(method)+" "+path, operation) {
					return
				}
			}
		}
	}
}

// object returns a JSON object of alternating names and values.
func object(pairs ...any) schema.Map {
	m := make(schema.Map, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		m = append(m, schema.Entry{Key: fmt.Sprint(pairs[i]), Value: pairs[i+1]})
	}
	return m
}
