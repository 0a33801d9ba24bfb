// Package openapi describes the API: it makes the OpenAPI document from the list of
// operations, the types that they take and answer, the providers' definitions, and
// prose.
//
//	document.go   the document as a whole
//	operation.go  one operation: parameters, body, answers
//	webhook.go    the messages that the service sends
//	component.go  the schemas that depend on which providers are served
//	prose.go      prose.yaml, which holds what types cannot say
//	typescript.go the same types for the dashboard
//	goclient.go   the methods of the Go client
//	generate/     writes what is made of it into files
package openapi

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"

	"earshot/internal/api"
	"earshot/internal/provider"
	"earshot/internal/schema"
)

// builder is a document in the making.
type builder struct {
	texts     *texts
	types     *schema.Describer
	providers []provider.Definition
	responses schema.Map // components: the answers that are no success
}

// Sources are what the API is described from.
type Sources struct {
	Providers  []provider.Provider
	Operations []api.Operation
	Comments   map[string]string // doc comments of package earshot, by Type and Type.field
	Prose      []byte            // prose.yaml
}

// SourcesOf are the sources of a service with these providers, with the comments that were
// generated last.
func SourcesOf(providers []provider.Provider) (Sources, error) {
	s := Sources{Providers: providers, Operations: api.Operations(providers), Comments: map[string]string{}, Prose: prose}
	if err := json.Unmarshal(comments, &s.Comments); err != nil {
		return s, fmt.Errorf("read comments.json: %w", err)
	}
	return s, nil
}

// Document describes the API of a service with these providers.
func Document(providers []provider.Provider) (schema.Map, error) {
	s, err := SourcesOf(providers)
	if err != nil {
		return nil, err
	}
	return s.Describe()
}

// Describe makes the document.
func (s Sources) Describe() (schema.Map, error) {
	texts := &texts{}
	if err := yaml.UnmarshalWithOptions(s.Prose, texts, yaml.UseOrderedMap(), yaml.Strict()); err != nil {
		return nil, fmt.Errorf("read prose.yaml: %w", err)
	}
	b := &builder{texts: texts, types: &schema.Describer{Comments: s.Comments}}
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
				"description", "An organization's API key. It is shown once, when it is made.",
			)),
			"headers", texts.Headers.any,
			"responses", b.responses,
			"schemas", b.types.Components,
		),
	), nil
}

// paths describes every operation that has prose. Pages for people have none.
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
			return nil, fmt.Errorf("prose.yaml describes %s, which is no operation", name)
		}
	}
	return paths, nil
}

// object is a JSON object of names and values, one after the other.
func object(pairs ...any) schema.Map {
	m := make(schema.Map, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		m = append(m, schema.Entry{Key: fmt.Sprint(pairs[i]), Value: pairs[i+1]})
	}
	return m
}
