package openapi

import (
	"maps"
	"reflect"
	"slices"

	"earshot"
	"earshot/internal/schema"
)

// components adds the schemas that depend on the list of providers, and the conditions
// that a Go type cannot express.
func (b *builder) components() {
	var names, types []string
	models := map[string]bool{}
	for _, about := range b.providers {
		names, types = append(names, about.Name), append(types, about.TaskType)
		for _, countries := range about.Countries {
			models[countries.Model] = countries.Model != ""
		}
	}
	maps.DeleteFunc(models, func(_ string, named bool) bool { return !named })
	all := &b.types.Components
	all.Set("Provider", enum("The name of a provider, as in its path.", names))
	all.Set("TaskType", enum("The provider that runs the task.", types))
	all.Set("CountryModel", enum("A provider by which the list of countries can be filtered.", slices.Sorted(maps.Keys(models))))
	b.results()
	b.payloads()
	b.details()
}

func enum(description string, values []string) schema.Map {
	return object("description", description, "type", "string", "enum", values)
}

// results adds the shape of the result for each type of task and each provider.
func (b *builder) results() {
	var shapes, tasks, requests []schema.Map
	for _, about := range b.providers {
		result := b.types.Of(about.Result)
		if !slices.ContainsFunc(shapes, func(known schema.Map) bool { return reflect.DeepEqual(known, result) }) {
			shapes = append(shapes, result)
		}
		task := property("task", property("taskType", constant(about.TaskType)))
		tasks = append(tasks, when(task, property("result", result)))
		requests = append(requests, when(property("provider", constant(about.Name)), property("result", result)))
	}
	inTask := func(status schema.Map) schema.Map { return property("task", status) }
	inRequest := func(status schema.Map) schema.Map { return status }
	b.types.Components.Set("TaskResult", object(
		"description", "The result; the provider decides its shape.", "anyOf", shapes,
	))
	b.extend("TaskRecord", schema.Entry{Key: "allOf", Value: append(tasks, outcomeRules(inTask, earshot.StatusCompleted)...)})
	b.extend("RequestRecord", schema.Entry{Key: "allOf", Value: append(requests, outcomeRules(inRequest, earshot.StatusCompleted, earshot.StatusFailed)...)})
}

// outcomeRules returns the rules that only these statuses have a result, and only failed jobs
// an error. at moves a rule about the status to the object that has the status.
func outcomeRules(at func(schema.Map) schema.Map, withResult ...earshot.Status) []schema.Map {
	completed := at(property("status", object("enum", withResult)))
	failed := at(property("status", constant(earshot.StatusFailed)))
	return []schema.Map{
		otherwise(completed, not(required("result"))),
		append(when(failed, required("error")), schema.Entry{Key: "else", Value: not(required("error"))}),
	}
}

// payloads adds the shape of the payload for each type of task.
func (b *builder) payloads() {
	var rules []schema.Map
	for _, about := range b.providers {
		rules = append(rules, when(property("taskType", constant(about.TaskType)), property("payload", b.types.Of(about.Request))))
	}
	b.extend("TaskRequest", schema.Entry{Key: "allOf", Value: rules})
}

// details adds the shape of the details for each error code, and how to handle it.
func (b *builder) details() {
	var shapes, rules []schema.Map
	var none []earshot.Code
	var advice schema.Map
	for _, code := range earshot.CodeInternal.Values() {
		advice.Set(string(code), code.NextStep())
		details := code.Details()
		if details == nil {
			none = append(none, code)
			continue
		}
		shape := b.types.Of(details)
		shapes = append(shapes, shape)
		rules = append(rules, when(property("code", constant(code)), append(required("details"), property("details", shape)...)))
	}
	rules = append(rules, when(property("code", object("enum", none)), not(required("details"))))
	b.types.Components.Set("ErrorDetails", object(
		"description", "Additional data about an error; its code decides the shape.", "anyOf", shapes,
	))
	b.extend("Code", schema.Entry{Key: "x-next-step", Value: advice})
	b.extend("Error", schema.Entry{Key: "allOf", Value: rules})
	b.extend("ErrorBody", schema.Entry{Key: "allOf", Value: rules})
}

// extend adds an entry to the schema of a type.
func (b *builder) extend(name string, entry schema.Entry) {
	component, _ := b.types.Components.Get(name).(schema.Map)
	b.types.Components.Set(name, append(component, entry))
}

func property(name string, shape schema.Map) schema.Map {
	return object("properties", object(name, shape))
}

func constant(value any) schema.Map { return object("const", value) }

func required(name string) schema.Map { return object("required", []string{name}) }

func not(shape schema.Map) schema.Map { return object("not", shape) }

func when(condition, then schema.Map) schema.Map {
	return object("if", condition, "then", then)
}

func otherwise(condition, then schema.Map) schema.Map {
	return object("if", condition, "else", then)
}
