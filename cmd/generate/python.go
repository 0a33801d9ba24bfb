package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"earshot"
	"earshot/internal/schema"
)

// python returns the generated files of the Python package, by name: the types, the methods
// of both clients, and the constants that its handwritten code needs.
func python(document schema.Map) (map[string]string, error) {
	methods, err := pythonOperations(document)
	if err != nil {
		return nil, err
	}
	return map[string]string{
		"types.py":             pythonTypes(document.At("components", "schemas")),
		"_constants.py":        pythonConstants(document),
		"_operations.py":       methods.write(false),
		"_async_operations.py": methods.write(true),
	}, nil
}

// pythonConstants returns the version, the type of task of each provider, and the advice
// for each error code.
func pythonConstants(document schema.Map) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s\nVERSION = %q\n\nTASK_TYPES = {\n", pythonHeader, document.At("info").Get("version"))
	for o := range operations(document) {
		if provider := o.Get("x-provider"); provider != nil {
			fmt.Fprintf(&out, "    %q: %q,\n", provider, o.Get("x-task-type"))
		}
	}
	out.WriteString("}\n\n# How to handle an error, by its code.\nNEXT_STEPS = {\n")
	for _, code := range earshot.CodeInternal.Values() {
		fmt.Fprintf(&out, "    %q: %q,\n", code, code.NextStep())
	}
	out.WriteString("}\n")
	return out.String()
}

// pythonGroups are the methods by group; the group "" has the methods of the client itself.
type pythonGroups map[string][]*pythonMethod

// pythonMethod is a method while it is generated. syncWords and asyncWords replace the words
// in « » in its code.
type pythonMethod struct {
	name       string
	doc        string
	positional []pythonArgument
	keywords   []pythonArgument
	returns    string // the type of its result
	lazy       bool   // it returns an iterator, so it is not a coroutine
	code       string // "" for an overload
}

type pythonArgument struct {
	name     string
	json     string // its name in the API
	hint     string
	optional bool
	doc      string
}

func pythonOperations(document schema.Map) (pythonGroups, error) {
	ask, submit, err := providerMethods(document)
	if err != nil {
		return nil, err
	}
	groups := pythonGroups{"": ask, "tasks": submit}
	for o := range operations(document) {
		if o.method == "" {
			continue
		}
		if o.method == "tasks.submit" {
			submit[len(submit)-1].doc = o.documentation() + " The arguments are the same as for `ask`."
			continue
		}
		m, err := o.pythonMethod()
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", o.verb, o.path, err)
		}
		groups[o.group] = append(groups[o.group], m)
	}
	return groups, nil
}

func (o operation) documentation() string {
	return fmt.Sprintf("%s.\n\n%s", o.Get("summary"), o.Get("description"))
}

// pythonMethod returns the method of an operation.
func (o operation) pythonMethod() (*pythonMethod, error) {
	m := &pythonMethod{name: snake(o.name), doc: o.documentation()}
	call := quoted(o.verb, o.path)
	query := o.parameters(m, &call)
	body, err := o.body(m)
	if err != nil {
		return nil, err
	}
	response := o.reply()
	if response.other && response.json != nil { // the method reads the JSON
		query = slices.DeleteFunc(query, func(a pythonArgument) bool { return a.json == "format" })
	}
	if response.list != "" { // the iterator sets the limit and the cursor of each page
		query = slices.DeleteFunc(query, func(a pythonArgument) bool { return a.json == "limit" || a.json == "cursor" })
	}
	m.keywords = append(m.keywords, query...)
	if query != nil {
		call = append(call, "query="+dictionary(query))
	}
	if body != "" {
		call = append(call, "body="+body)
	}
	switch repeats := repeatable(m.name, m.keywords); {
	case o.At("x-sdk").Get("idempotent") != false:
	case o.At("x-sdk").Get("keyed") == true && repeats == "False":
		call = append(call, "keyed=True")
	default:
		call = append(call, "idempotent="+repeats)
	}
	m.finish(o, response, call)
	return m, nil
}

// repeatable returns the expression for whether a request may be repeated although it is not
// idempotent by itself: only if it has idempotency keys.
func repeatable(name string, arguments []pythonArgument) string {
	hasKey := func(a pythonArgument) bool { return a.json == "idempotencyKey" }
	switch {
	case name == "submit_batch":
		return `all(task.get("idempotencyKey") for task in tasks)`
	case slices.ContainsFunc(arguments, hasKey):
		return "idempotency_key is not None"
	default:
		return "False"
	}
}

// parameters adds the parameters of the path to a method and to its call, and returns the
// parameters of the query.
func (o operation) parameters(m *pythonMethod, call *[]string) (query []pythonArgument) {
	read := func(p schema.Map) pythonArgument {
		a := argument(fmt.Sprint(p.Get("name")), p.At("schema"), p.Get("required") != true)
		a.doc = cmp.Or(describe(p), a.doc)
		return a
	}
	for _, p := range o.in("query") {
		query = append(query, read(p))
	}
	var values []string
	for _, p := range o.in("path") {
		m.positional = append(m.positional, read(p))
		values = append(values, m.positional[len(m.positional)-1].name)
	}
	if values != nil {
		(*call)[1] = fmt.Sprintf("path(%s, %s)", (*call)[1], strings.Join(values, ", "))
	}
	return query
}

// body adds the fields of a body to the keywords of a method and returns the expression of
// the body. A list, and a definition that may be YAML, is one argument instead.
func (o operation) body(m *pythonMethod) (string, error) {
	content := o.Map.At("requestBody", "content")
	if content == nil {
		return "", nil
	}
	shape := content.At("application/json", "schema")
	fields := resolve(o.document, shape)
	properties := fields.At("properties")
	switch {
	case content.Get("application/yaml") != nil:
		m.positional = append(m.positional, pythonArgument{name: "definition", hint: public(hintOf(shape)) + " | str", doc: "A dictionary, or a text in YAML or JSON."})
		return "definition", nil
	case properties == nil:
		m.positional = append(m.positional, pythonArgument{name: "tasks", hint: public(hintOf(shape)), doc: "Up to 500 tasks."})
		return "tasks", nil
	}
	var arguments []pythonArgument
	for name, field := range properties.Objects() {
		a := argument(name, field, isOptional(fields, name))
		a.hint = strings.TrimSuffix(a.hint, " | None") // None leaves out a field
		arguments = append(arguments, a)
	}
	m.keywords = append(m.keywords, arguments...)
	return dictionary(arguments), nil
}

// argument returns the argument for a parameter or a field of a body.
func argument(name string, shape schema.Map, optional bool) pythonArgument {
	hint := public(hintOf(shape))
	switch shape.Get("format") {
	case "date":
		hint += " | date"
	case "date-time":
		hint += " | datetime"
	}
	a := pythonArgument{name: snake(name), json: name, hint: hint, optional: optional, doc: describe(shape)}
	if isPythonKeyword(a.name) {
		a.name += "_"
	}
	return a
}

// dictionary returns the expression of an object with the arguments as values.
func dictionary(arguments []pythonArgument) string {
	pairs := make([]string, len(arguments))
	for i, a := range arguments {
		pairs[i] = fmt.Sprintf("%q: %s", a.json, a.name)
	}
	return "{" + strings.Join(pairs, ", ") + "}"
}

// finish writes the code of a method, which sends the call.
func (m *pythonMethod) finish(o operation, r reply, call []string) {
	field := func(name string) string { return public(hintOf(r.shape.At("properties", name))) }
	send := func(function, hint string, further ...string) {
		sent := fmt.Sprintf("Call[%s](%s)", hint, strings.Join(call, ", "))
		m.code = function + "(" + strings.Join(append([]string{sent}, further...), ", ") + ")"
	}
	hint := public(hintOf(r.json))
	switch returned, other := o.returns(); {
	case r.events:
		m.lazy, m.returns = true, "«Async»Iterator[LiveEvent]"
		send("return self._transport.live", "bytes")
	case r.json == nil:
		m.lazy, m.returns = true, "«Async»Stream"
		send("return self._transport.stream", "bytes")
	case r.list != "":
		item := strings.TrimSuffix(strings.TrimPrefix(field(r.list), "List["), "]")
		m.lazy, m.returns = true, "«Async»Iterator["+item+"]"
		m.keywords = append(m.keywords, pythonArgument{name: "limit", hint: "int", optional: true, doc: "At most this many; all by default."})
		send("return self._transport.items", item, fmt.Sprintf("%q", r.list), "limit")
	case m.name == "submit_batch":
		m.returns = hint
		send("return «await»self._submit_batch", hint, "tasks")
	case other && returned == "":
		m.returns, call = "None", append(call, "removes=True")
		send("«await»self._transport.send", "object")
	case other:
		m.returns, call = field(returned), append(call, fmt.Sprintf("returns=%q", returned))
		send("return «await»self._transport.send", m.returns)
	case m.name == "metrics" || m.name == "compare": // a table
		m.returns = "Rows[" + hint + "]"
		send("return Rows(«await»self._transport.send", hint)
		m.code += ")"
	default:
		m.returns = hint
		send("return «await»self._transport.send", hint)
	}
}

var typeName = regexp.MustCompile(`"[^"]*"|\b[A-Z]\w*`)

// public adds the module to the names of types in a type hint.
func public(hint string) string {
	return typeName.ReplaceAllStringFunc(hint, func(name string) string {
		if name[0] == '"' || slices.Contains([]string{"Any", "Dict", "List", "Literal", "None"}, name) {
			return name
		}
		return "t." + name
	})
}

// snake returns a name of the API as Python writes it.
func snake(name string) string {
	var out strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			out.WriteByte('_')
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}
