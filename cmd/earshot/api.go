package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"earshot/client"
	"earshot/internal/api"
	"earshot/internal/app"
	"earshot/internal/schema"
)

type apiCmd struct {
	Method   string   `arg:"" help:"GET, POST, PUT, PATCH or DELETE; without a path, the path of a GET."`
	Path     string   `arg:"" optional:"" help:"The path, such as /v1/credits, with or without a query."`
	Field    []string `short:"f" help:"A field of the body or, for GET and DELETE or with --input, of the query. true, false, null and numbers have these types, and @FILE is the content of a file (@- of standard input)." placeholder:"KEY=VALUE" sep:"none"`
	Typed    []string `short:"F" name:"typed-field" hidden:"" sep:"none"` // what gh calls -F is -f and -F here
	RawField []string `help:"A field that is always a string." placeholder:"KEY=VALUE" sep:"none"`
	Input    string   `help:"The file with the body; - reads standard input." placeholder:"FILE"`
	Header   []string `short:"H" help:"A header of the request." placeholder:"NAME:VALUE" sep:"none"`
	Paginate bool     `help:"Read all pages of a list, and print each as a document."`
	JQ       string   `name:"jq" help:"Print what this jq expression selects of the answer, as 'jq -r -c' does." placeholder:"EXPRESSION"`
	remote
}

// Help returns the command's long help.
func (c *apiCmd) Help() string {
	return `Calls any operation of the API and prints the answer. It is like 'gh api', except that the method comes first and that -f is typed
like gh's -F: true, false, null and numbers become these JSON types, and everything else is a string. A key may be nested:
include[markdown]=true sets a field of an object, and to[]=ada@example.com appends to a list. The body of --input is JSON, or YAML if the
file's name ends in .yaml or .yml; -H 'Content-Type: …' overrides this. docs/openapi.yaml describes all operations.

Exit status: 0 it succeeded, 130 it was interrupted, 1 anything else.

Examples:
  earshot api GET /v1/credits --jq .remaining
  earshot api POST /v1/monitor/websearch -f query='running shoes' -f country=US -f pages=2 --jq '.result.organicResults[].link'
  earshot api GET /v1/requests -f limit=100 --paginate --jq '.requests[].id'
  printf 'prompts: [best hats]\ntargets: [{provider: gemini, country: fr}]\n' | earshot api PUT /v1/trackers/caps --input - -H 'Content-Type: application/yaml'
  earshot api PATCH /v1/trackers/caps -f state=paused
  earshot api DELETE /v1/trackers/caps`
}

// Run sends the request and prints the answer.
func (c *apiCmd) Run(in *invocation, service *client.Client) error {
	request, err := c.request(in)
	if err != nil {
		return err
	}
	for {
		next, err := c.send(in, service, &request)
		if err != nil || !c.Paginate || next == "" || next == request.query.Get("cursor") {
			return err
		}
		request.query.Set("cursor", next)
	}
}

// apiRequest is the request of the command.
type apiRequest struct {
	path   string
	query  url.Values
	header http.Header
	body   []byte
}

func (r *apiRequest) address() string {
	if len(r.query) == 0 {
		return r.path
	}
	return r.path + "?" + r.query.Encode()
}

// request reads the flags and the files that they name.
func (c *apiCmd) request(in *invocation) (r apiRequest, err error) {
	if c.Path == "" {
		c.Method, c.Path = http.MethodGet, c.Method
	}
	c.Method = strings.ToUpper(c.Method)
	address, err := url.Parse("/" + strings.TrimPrefix(c.Path, "/"))
	if err != nil {
		return r, fmt.Errorf("the path: %w", err)
	}
	r = apiRequest{path: address.EscapedPath(), query: address.Query(), header: http.Header{}}
	for _, line := range c.Header {
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return r, fmt.Errorf("--header %s is not valid: write NAME:VALUE", line)
		}
		r.header.Set(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	fields := map[string]any{}
	if err := c.fields(in, fields); err != nil {
		return r, err
	}
	switch {
	case c.Input != "" || c.Method == http.MethodGet || c.Method == http.MethodDelete || c.Method == http.MethodHead:
		for name, value := range fields {
			list, isList := value.([]any)
			if !isList {
				list = []any{value}
			}
			for _, one := range list {
				text, isText := one.(string)
				if !isText {
					encoded, _ := json.Marshal(one) // cannot fail: it came from text
					text = string(encoded)
				}
				r.query.Add(name, text)
			}
		}
	case len(fields) > 0:
		if r.body, err = json.Marshal(fields); err != nil {
			return r, err
		}
	}
	if c.Input != "" {
		if r.body, err = in.content(c.Input, "the body"); err != nil {
			return r, err
		}
		if ending := strings.ToLower(filepath.Ext(c.Input)); (ending == ".yaml" || ending == ".yml") && r.header.Get("Content-Type") == "" {
			r.header.Set("Content-Type", "application/yaml")
		}
	}
	return r, nil
}

// content returns the content of a file or, for -, of standard input.
func (in *invocation) content(name, what string) ([]byte, error) {
	if name == "-" {
		return in.readInput(what, maxInput)
	}
	return readFile(name, maxInput)
}

// fields sets the fields that the flags describe.
func (c *apiCmd) fields(in *invocation, fields map[string]any) error {
	for i, pair := range slices.Concat(c.Field, c.Typed, c.RawField) {
		name, text, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return fmt.Errorf("the field %s is not valid: write KEY=VALUE", pair)
		}
		var value any = text
		if i < len(c.Field)+len(c.Typed) {
			var err error
			if value, err = in.typed(text); err != nil {
				return err
			}
		}
		if err := setField(fields, name, value); err != nil {
			return err
		}
	}
	return nil
}

// typed returns the value of a field: a boolean, null, a number, the content of a file, or
// the text itself.
func (in *invocation) typed(text string) (any, error) {
	if name, isFile := strings.CutPrefix(text, "@"); isFile {
		content, err := in.content(name, "the value")
		return strings.TrimSuffix(string(content), "\n"), err
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) == nil && !decoder.More() {
		switch value.(type) {
		case nil, bool, json.Number:
			return value, nil
		}
	}
	return text, nil
}

// setField sets a field by its key, such as a, a[b] or a[].
func setField(fields map[string]any, key string, value any) error {
	name, rest, nested := strings.Cut(key, "[")
	if !nested {
		fields[name] = value
		return nil
	}
	inner, rest, closed := strings.Cut(rest, "]")
	switch {
	case !closed || (inner == "" && rest != ""):
		return fmt.Errorf("the key %s is not valid: write NAME, NAME[NAME] or NAME[]", key)
	case inner == "":
		list, _ := fields[name].([]any)
		fields[name] = append(list, value)
		return nil
	}
	object, isObject := fields[name].(map[string]any)
	if !isObject {
		object = map[string]any{}
		fields[name] = object
	}
	return setField(object, inner+rest, value)
}

// send sends the request and prints its answer. It returns the cursor of the next page, if
// there is one.
func (c *apiCmd) send(in *invocation, service *client.Client, r *apiRequest) (next string, err error) {
	resp, err := service.Send(in, c.Method, r.address(), r.header, r.body)
	if err != nil {
		return "", c.explain(err)
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") {
		if c.JQ != "" {
			return "", errors.New("--jq reads only JSON, and the answer is " + resp.Header.Get("Content-Type"))
		}
		_, err := io.Copy(in.out, resp.Body)
		return "", complete(in, "answer", err)
	}
	text, err := io.ReadAll(resp.Body)
	if err = complete(in, "answer", err); err != nil || len(bytes.TrimSpace(text)) == 0 {
		return "", err
	}
	var page struct {
		NextCursor string `json:"nextCursor"`
	}
	_ = json.Unmarshal(text, &page) // an answer that is no object has no further pages
	format := output{JQ: c.JQ}
	return page.NextCursor, format.json(in, json.RawMessage(text))
}

// explain adds the nearest paths to the error for an unknown one.
func (c *apiCmd) explain(err error) error {
	answer, ok := errors.AsType[*client.Error](err)
	if !ok || answer.Code == "" || (answer.Status != http.StatusNotFound && answer.Status != http.StatusMethodNotAllowed) {
		return c.remote.explain(err)
	}
	near, known := nearestOperations(c.Method, strings.SplitN(c.Path, "?", 2)[0])
	switch {
	case known:
		return advised{err, sentence(answer.Message, answer.Details)}
	case len(near) == 0:
		return advised{err, fmt.Sprintf("there is no %s %s; 'earshot api /openapi.json --jq \".paths | keys[]\"' lists all paths", c.Method, c.Path)}
	default:
		return advised{err, fmt.Sprintf("there is no %s %s; near are %s", c.Method, c.Path, strings.Join(near, ", "))}
	}
}

// maxNear is the maximum number of operations to suggest.
const maxNear = 3

// nearestOperations returns the operations with similar paths, and whether the operation exists.
func nearestOperations(method, path string) (near []string, known bool) {
	path = "/" + strings.Trim(path, "/")
	texts := map[string][]string{} // operations by their path, with the values of the given path
	for _, o := range api.Operations(app.Providers()) {
		filled := fill(o.Path, path)
		if filled == path && o.Method == method {
			return nil, true
		}
		texts[filled] = append(texts[filled], o.Method+" "+o.Path)
	}
	for len(near) < maxNear {
		best := path
		if texts[path] == nil {
			best = schema.Nearest(path, slices.Sorted(maps.Keys(texts)))
		}
		if best == "" || texts[best] == nil {
			break
		}
		near = append(near, texts[best]...)
		delete(texts, best)
	}
	return near, false
}

// fill replaces the parameters of a template by the same parts of a path.
func fill(template, path string) string {
	parts, values := strings.Split(template, "/"), strings.Split(path, "/")
	for i := range parts {
		if strings.HasPrefix(parts[i], "{") && i < len(values) && values[i] != "" {
			parts[i] = values[i]
		}
	}
	return strings.Join(parts, "/")
}
