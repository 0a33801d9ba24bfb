package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"earshot"
	"earshot/internal/schema"
)

// progressEvery is the interval of progress notifications. Clients that rely on them time
// out after half a minute or more.
const progressEvery = 10 * time.Second

// The limits of a result.
const (
	defaultKB = 8
	maxKB     = 4096
)

// maxValues limits the values in the arguments of a call. The definition of a tracker has the most.
const maxValues = 200_000

// call is one call of a tool.
type call struct {
	*description
	ctx  context.Context
	tool *tool
	api  Caller
	args map[string]string          // texts as they are, other values as JSON
	raw  map[string]json.RawMessage // the arguments that were given
	meta sdk.Meta
}

// call calls a tool. An error of the API becomes a result for the model to read; only a canceled call
// returns an error.
func (d *description) call(ctx context.Context, t *tool, listed *sdk.Tool, api Caller, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	c := &call{description: d, ctx: ctx, tool: t, api: api, args: map[string]string{}, raw: map[string]json.RawMessage{}, meta: sdk.Meta{}}
	if err := c.read(req.Params.Arguments, listed.InputSchema); err != nil {
		return failed(err), nil
	}
	stop := report(ctx, req)
	run := t.run
	if run == nil {
		run = plain
	}
	shown, err := run(c)
	stop()
	text := ""
	if err == nil {
		text, err = c.write(shown)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return failed(err), nil
	}
	return &sdk.CallToolResult{Meta: c.meta, Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
}

// read reads the arguments. It checks their names; the API checks their values.
func (c *call) read(arguments json.RawMessage, input any) error {
	schemas, _ := input.(map[string]any)
	properties, _ := schemas["properties"].(map[string]any)
	required, _ := schemas["required"].([]string)
	named := map[string]json.RawMessage{}
	if len(arguments) > 0 && string(arguments) != "null" {
		if _, err := schema.ParseUpTo(arguments, maxValues); err != nil { // also refuses a name that is given twice
			return err
		}
		if json.Unmarshal(arguments, &named) != nil {
			return schema.Invalid(schema.BodyField, "must be an object")
		}
	}
	known := slices.Sorted(maps.Keys(properties))
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if properties[name] == nil {
			return unknown(name, "is not an argument of "+c.tool.name, name, known)
		}
		text := string(named[name])
		if text == "null" {
			continue
		}
		_ = json.Unmarshal(named[name], &text) // otherwise the JSON of another value
		c.args[name], c.raw[name] = text, named[name]
	}
	for _, name := range required {
		if c.args[name] == "" {
			return schema.Invalid(name, "is required")
		}
	}
	for name, property := range properties {
		described, _ := property.(map[string]any)
		if byDefault, ok := described["default"]; ok && c.args[name] == "" {
			c.args[name] = fmt.Sprint(byDefault)
		}
	}
	return nil
}

// unknown returns the error for an unknown value, with the known ones and the nearest of them.
func unknown(field, problem, value string, known []string) error {
	if near := schema.Nearest(value, known); near != "" {
		problem += fmt.Sprintf("; did you mean %q?", near)
	}
	return schema.Invalid(field, "%s; known are %s", problem, strings.Join(known, ", "))
}

// number returns an argument that is a number of at least min, or byDefault.
func (c *call) number(name string, min, byDefault int) (int, error) {
	text := c.args[name]
	if text == "" {
		return byDefault, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < min {
		return 0, schema.Invalid(name, "must be a whole number of at least %d", min)
	}
	return n, nil
}

// flag returns an argument that is true or false.
func (c *call) flag(name string) (bool, error) {
	if text := c.args[name]; text != "" && text != "true" && text != "false" {
		return false, schema.Invalid(name, "must be true or false")
	}
	return c.args[name] == "true", nil
}

// write returns a result in the form and the size that the caller wants.
func (c *call) write(v *view) (string, error) {
	kb, err := c.number("maxKB", 1, defaultKB)
	if err != nil {
		return "", err
	}
	switch c.args["format"] {
	case "", "table":
		return v.write(min(kb, maxKB) << 10), nil
	case "json":
	default:
		return "", unknown("format", "is not known", c.args["format"], []string{"table", "json"})
	}
	text, err := json.Marshal(v.data)
	if err == nil && len(text) > kb<<10 {
		return "", schema.Invalid("maxKB", "must be at least %d for this result as JSON; or ask for less", len(text)>>10+1)
	}
	return string(text), err
}

// path returns the path of an operation with its parameters.
func (c *call) path(o *operation) (string, error) {
	path := o.Path
	for name, place := range inPath {
		value := c.args[name]
		if !strings.Contains(path, place) {
			continue
		}
		if value == "" || value == "." || value == ".." { // a dot would change the path
			return "", schema.Invalid(name, "is required")
		}
		path = strings.Replace(path, place, url.PathEscape(value), 1)
	}
	return path, nil
}

// get reads from the API.
func (c *call) get(path string, query url.Values, into any) error {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	answer, _, err := c.send(http.MethodGet, path, nil, nil)
	if err == nil {
		err = read(answer, into)
	}
	return err
}

// change sends a request that changes or charges something, with the caller's idempotency key: in the
// body if the operation has a field for it.
func (c *call) change(o *operation, path string, header http.Header, body map[string]any, into any) error {
	if header == nil {
		header = http.Header{}
	}
	if key := c.args["idempotencyKey"]; key != "" {
		if c.body(o)["idempotencyKey"] != nil {
			body["idempotencyKey"] = key
		} else {
			header.Set(earshot.IdempotencyKeyHeader, key)
		}
	}
	var sent any
	if o.RequestBody.Content != nil {
		sent = body
	}
	answer, _, err := c.send(o.Method, path, header, sent)
	if err == nil {
		err = read(answer, into)
	}
	return err
}

// read decodes a response without changing its numbers.
func read(answer []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(answer))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("the response of the service cannot be read: %w", err)
	}
	return nil
}

// maxWaits is how often a read waits for the next window of the rate limit.
const maxWaits = 20

// send sends a request to the API. A read that exceeds the rate limit waits, because some tools read
// more than once.
func (c *call) send(method, path string, header http.Header, body any) (answer []byte, received http.Header, err error) {
	for wait := 0; ; wait++ {
		status, answer, received, err := c.api.Call(c.ctx, method, path, header, body)
		if err != nil {
			return nil, nil, err
		}
		c.note(received)
		if status == http.StatusOK {
			return answer, received, nil
		}
		if status != http.StatusTooManyRequests || method != http.MethodGet || wait == maxWaits {
			return nil, nil, refusal(status, answer, received)
		}
		select {
		case <-time.After(time.Second):
		case <-c.ctx.Done():
			return nil, nil, c.ctx.Err()
		}
	}
}

// note keeps the request id and the credits in the headers of a response for _meta.
func (c *call) note(received http.Header) {
	c.meta["earshot/requestId"] = received.Get("X-Request-Id")
	for name, key := range map[string]string{"X-Credits-Charged": "earshot/creditsCharged", "X-Credits-Remaining": "earshot/creditsRemaining"} {
		if n, err := strconv.ParseInt(received.Get(name), 10, 64); err == nil {
			c.meta[key] = n
		}
	}
}

// report sends progress notifications until stop is called, if the client requested them.
// The progress is the number of seconds, because the duration of the call is unknown.
func report(ctx context.Context, req *sdk.CallToolRequest) (stop func()) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() {
		tick := time.NewTicker(progressEvery)
		defer tick.Stop()
		for seconds := progressEvery.Seconds(); ; seconds += progressEvery.Seconds() {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			progress := &sdk.ProgressNotificationParams{ProgressToken: token, Progress: seconds, Message: "waiting for the answer"}
			if req.Session.NotifyProgress(ctx, progress) != nil {
				return // sending the result will fail for the same reason
			}
		}
	})
	return func() {
		cancel()
		group.Wait()
	}
}
