package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"earshot"
)

// progressEvery is the interval of progress notifications. Clients that rely on them time
// out after half a minute or more.
const progressEvery = 10 * time.Second

// call sends the API request of a tool call. An error of the API becomes a result for the
// model to read; only a canceled call returns an error.
func (t *tool) call(ctx context.Context, api Caller, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	path, body, problem := t.request(req.Params.Arguments)
	if problem != nil {
		return refused(problem, ""), nil
	}
	stop := report(ctx, req)
	status, answer, header, err := api.Call(ctx, t.method, path, body)
	stop()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return failed(err.Error()), nil
	case status != http.StatusOK:
		return failure(status, answer, header), nil
	}
	result, err := t.result(answer)
	if err != nil {
		return failed(fmt.Sprintf("the response of the service cannot be read: %v", err)), nil
	}
	result.Meta = usage(header)
	return result, nil
}

// request returns the path and the body of the API request. It does not validate the
// arguments, because the API does.
func (t *tool) request(arguments json.RawMessage) (path string, body any, problem *earshot.ErrorBody) {
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	if t.hasBody && t.query == nil && !strings.Contains(t.path, "{") {
		return t.path, arguments, nil
	}
	var named map[string]json.RawMessage
	if err := json.Unmarshal(arguments, &named); err != nil {
		return "", nil, invalid("body", "must be an object")
	}
	path, query := t.path, url.Values{}
	for name, value := range named {
		text := string(value)
		_ = json.Unmarshal(value, &text) // otherwise the text of a number or a boolean
		place := "{" + name + "}"
		switch {
		case strings.Contains(t.path, place):
			if text == "" || text == "." || text == ".." { // a dot would change the path
				continue
			}
			path = strings.Replace(path, place, url.PathEscape(text), 1)
		case !t.hasBody || slices.Contains(t.query, name):
			query.Set(name, text)
		default:
			continue
		}
		delete(named, name)
	}
	if _, name, missing := strings.Cut(path, "{"); missing {
		name, _, _ = strings.Cut(name, "}")
		return "", nil, invalid(name, "is required")
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	if t.hasBody {
		body = named
	}
	return path, body, nil
}

// result returns the tool's result for a successful response.
func (t *tool) result(answer []byte) (*sdk.CallToolResult, error) {
	structured := json.RawMessage(answer)
	if t.isProvider {
		var envelope struct {
			Result json.RawMessage `json:"result"`
		}
		if err := json.Unmarshal(answer, &envelope); err != nil {
			return nil, err
		}
		structured = envelope.Result
	}
	text, err := t.text(structured)
	if err != nil {
		return nil, err
	}
	result := &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}, StructuredContent: structured}
	if t.wrap != "" {
		result.StructuredContent = map[string]json.RawMessage{t.wrap: structured}
	}
	return result, nil
}

// invalid returns the error for an invalid argument.
func invalid(field, message string) *earshot.ErrorBody {
	return &earshot.ErrorBody{
		Code: earshot.CodeValidation, Message: field + ": " + message, Timestamp: earshot.Timestamp{Time: time.Now()},
		Details: []earshot.FieldProblem{{Field: field, Message: message}},
	}
}

// failure returns the tool's result for a response with an error status.
func failure(status int, answer []byte, header http.Header) *sdk.CallToolResult {
	var response earshot.ErrorResponse
	if json.Unmarshal(answer, &response) != nil || response.Error.Code == "" {
		return failed(fmt.Sprintf("the response, with status %d, is not from Earshot", status))
	}
	return refused(&response.Error, header.Get("Retry-After"))
}

// refused returns the tool's result for an error, in words for the model and as data in
// _meta: some clients compare structuredContent with the tool's output schema in errors, too.
func refused(reason *earshot.ErrorBody, retryAfter string) *sdk.CallToolResult {
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %s", reason.Code, reason.Message)
	if reason.RequestID != "" {
		fmt.Fprintf(&text, " (request %s)", reason.RequestID)
	}
	details, _ := json.Marshal(reason.Details) // it was decoded from JSON, or is a list of problems
	var problems []earshot.FieldProblem
	if reason.Code == earshot.CodeValidation && json.Unmarshal(details, &problems) == nil {
		for _, p := range problems {
			fmt.Fprintf(&text, "\n- %s: %s", p.Field, p.Message)
		}
	} else if reason.Details != nil {
		fmt.Fprintf(&text, "\ndetails: %s", details)
	}
	if retryAfter != "" {
		fmt.Fprintf(&text, "\nRetry-After: %s", retryAfter)
	}
	if advice := reason.Code.NextStep(); advice != "" {
		fmt.Fprintf(&text, "\nWhat to do: %s.", advice)
	}
	result := failed(text.String())
	result.Meta = sdk.Meta{"earshot/error": reason}
	return result
}

func failed(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

// usage returns the request id and the credits in the headers of a response.
func usage(header http.Header) sdk.Meta {
	meta := sdk.Meta{"earshot/requestId": header.Get("X-Request-Id")}
	for name, key := range map[string]string{"X-Credits-Charged": "earshot/creditsCharged", "X-Credits-Remaining": "earshot/creditsRemaining"} {
		if n, err := strconv.ParseInt(header.Get(name), 10, 64); err == nil {
			meta[key] = n
		}
	}
	return meta
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
