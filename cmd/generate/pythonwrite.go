package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"earshot/internal/schema"
)

// The code of a method is the same in both clients, except for these words.
var (
	syncWords  = strings.NewReplacer("«def»", "def", "«await»", "", "«Async»", "", "«async_»", "")
	asyncWords = strings.NewReplacer("«def»", "async def", "«await»", "await ", "«Async»", "Async", "«async_»", "async_")
)

const pythonImports = `"""The methods of the API, by group."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Dict, List, Literal, overload

from . import types as t
from ._call import Answer, Call, LiveEvent, path
from ._rows import Rows
from ._«async_»tasks import «Async»Task, «Async»TaskGroup
from ._«async_»transport import «Async»Group, «Async»Iterator, «Async»Stream, «Async»Transport
`

// write returns the module with the methods of one client.
func (g pythonGroups) write(isAsync bool) string {
	var out strings.Builder
	out.WriteString(pythonHeader + pythonImports)
	names := slices.Sorted(maps.Keys(g))[1:] // without ""
	for _, name := range names {
		base := "Group"
		if name == "tasks" {
			base = "TaskGroup"
		}
		fmt.Fprintf(&out, "\n\nclass «Async»%s(«Async»%s):\n    \"\"\"The methods of `client.%s`.\"\"\"\n", title(name), base, name)
		g.methods(&out, name)
	}
	out.WriteString("\n\nclass «Async»Operations(«Async»Group):\n    \"\"\"The methods of the client itself, and its groups.\"\"\"\n\n    def __init__(self, transport: «Async»Transport) -> None:\n        super().__init__(transport)\n")
	for _, name := range names {
		fmt.Fprintf(&out, "        self.%s = «Async»%s(transport)\n", name, title(name))
	}
	g.methods(&out, "")
	if isAsync {
		return asyncWords.Replace(out.String())
	}
	return syncWords.Replace(out.String())
}

func (g pythonGroups) methods(out *strings.Builder, group string) {
	for _, m := range g[group] {
		m.write(out)
	}
}

func (m *pythonMethod) write(out *strings.Builder) {
	def := "«def»"
	if m.lazy {
		def = "def"
	}
	if m.code == "" {
		out.WriteString("\n    @overload")
	}
	fmt.Fprintf(out, "\n    %s %s%s -> %s:", def, m.name, m.signature(), m.returns)
	if m.code == "" {
		out.WriteString(" ...\n")
		return
	}
	out.WriteString("\n" + docstring(m.documentation(), "        ") + "        " + m.code + "\n")
}

// signature returns the list of parameters.
func (m *pythonMethod) signature() string {
	parameters := []string{"self"}
	for _, a := range m.positional {
		parameters = append(parameters, a.name+": "+a.hint)
	}
	if m.keywords != nil {
		parameters = append(parameters, "*")
	}
	for _, a := range m.keywords {
		if a.optional {
			a.hint += " | None = None"
		}
		parameters = append(parameters, a.name+": "+a.hint)
	}
	return "(\n        " + strings.Join(parameters, ",\n        ") + "\n    )"
}

// documentation returns the docstring: the description and the arguments.
func (m *pythonMethod) documentation() string {
	var out strings.Builder
	out.WriteString(m.doc)
	heading := "\n\nArgs:"
	for _, a := range append(slices.Clone(m.positional), m.keywords...) {
		if a.doc != "" {
			fmt.Fprintf(&out, "%s\n    %s: %s", heading, strings.TrimLeft(a.name, "*"), a.doc)
			heading = ""
		}
	}
	return out.String()
}

var (
	callKey = pythonArgument{
		name: "idempotency_key", hint: "str", optional: true,
		doc: "Makes it safe to repeat the call: the same call with the same key gets the first answer and is not charged again, so it is retried when the response is lost.",
	}
	taskOptions = []pythonArgument{
		{name: "priority", hint: "int", optional: true, doc: "1 to 10; tasks with a higher priority run first."},
		{name: "webhook", hint: "str", optional: true, doc: "The URL that gets a webhook when the task ends."},
		{name: "idempotency_key", hint: "str", optional: true, doc: "Makes it safe to submit the task again: a second task with the key is refused, so the submission is retried when the response is lost."},
	}
	anyRequest = pythonArgument{name: "**request", hint: "Any", doc: "The fields of the provider's request, such as `prompt` and `country`."}
)

// providerMethods returns the methods ask and tasks.submit, each with an overload for each
// provider.
func providerMethods(document schema.Map) (ask, submit []*pythonMethod, err error) {
	provider := pythonArgument{name: "provider", hint: "str", doc: "The name of the provider, such as `chatassistant`."}
	for o := range operations(document) {
		name, ok := o.Get("x-provider").(string)
		if !ok {
			continue
		}
		typed := &pythonMethod{name: "ask", positional: []pythonArgument{provider}}
		typed.positional[0].hint = pythonSyntax.literal(quoted(name)...)
		if _, err := o.body(typed); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		result := o.reply().shape.At("properties", "result")
		queued := *typed
		queued.name = "submit"
		queued.keywords = append(slices.Clone(typed.keywords), taskOptions...)
		queued.returns = "«Async»Task[" + public(hintOf(result)) + "]"
		typed.keywords = append(typed.keywords, callKey)
		typed.returns = "Answer[" + public(hintOf(result)) + "]"
		ask, submit = append(ask, typed), append(submit, &queued)
	}
	ask = append(ask, &pythonMethod{
		name: "ask", returns: "Answer[Any]", positional: []pythonArgument{provider}, keywords: []pythonArgument{callKey, anyRequest},
		doc:  "Ask a provider and wait for the answer, which may take minutes.",
		code: "return «await»self._transport.ask(provider, request, idempotency_key)",
	})
	submit = append(submit, &pythonMethod{
		name: "submit", returns: "«Async»Task[Any]", positional: []pythonArgument{provider}, keywords: append(slices.Clone(taskOptions), anyRequest),
		code: "return «await»self._submit(provider, request, priority, webhook, idempotency_key)",
	})
	return ask, submit, nil
}
