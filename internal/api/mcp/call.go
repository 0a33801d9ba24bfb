package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
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
	path, body, err := t.request(req.Params.Arguments)
	if err != nil {
		return failed(err.Error(), nil), nil
	}
	stop := report(ctx, req)
	status, answer, header, err := api.Call(ctx, t.method, path, body)
	stop()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return failed(err.Error(), nil), nil
	case status != http.StatusOK:
		return refused(status, answer), nil
	}
	result, err := t.result(answer)
	if err != nil {
		return failed(fmt.Sprintf("the response of the service cannot be read: %v", err), nil), nil
	}
	result.Meta = usage(header)
	return result, nil
}

// request returns the path and the body of the API request. It does not validate the
// arguments, because the API does.
func (t *tool) request(arguments json.RawMessage) (path string, body any, err error) {
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	if t.method == http.MethodPost {
		return t.path, arguments, nil
	}
	var named map[string]any
	decoder := json.NewDecoder(bytes.NewReader(arguments))
	decoder.UseNumber() // a float64 would be written with an exponent
	if err := decoder.Decode(&named); err != nil {
		return "", nil, fmt.Errorf("%s: the arguments must be an object", earshot.CodeValidation)
	}
	path, query := t.path, url.Values{}
	for name, value := range named {
		text := fmt.Sprint(value)
		if place := "{" + name + "}"; strings.Contains(t.path, place) && text != "" && text != "." && text != ".." { // a dot would change the path
			path = strings.Replace(path, place, url.PathEscape(text), 1)
			continue
		}
		query.Set(name, text)
	}
	if _, name, missing := strings.Cut(path, "{"); missing {
		name, _, _ = strings.Cut(name, "}")
		return "", nil, fmt.Errorf("%s: %s is required", earshot.CodeValidation, name)
	}
	return path + "?" + query.Encode(), nil, nil
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

// refused returns the tool's result for an error of the API.
func refused(status int, answer []byte) *sdk.CallToolResult {
	var envelope struct {
		Error json.RawMessage `json:"error"`
	}
	var failure struct {
		Code      earshot.Code    `json:"code"`
		Message   string          `json:"message"`
		Details   json.RawMessage `json:"details"`
		RequestID string          `json:"requestId"`
	}
	if json.Unmarshal(answer, &envelope) != nil || json.Unmarshal(envelope.Error, &failure) != nil || failure.Code == "" {
		return failed(fmt.Sprintf("the response, with status %d, is not from Earshot", status), nil)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %s (request %s)", failure.Code, failure.Message, failure.RequestID)
	var problems []earshot.FieldProblem
	if json.Unmarshal(failure.Details, &problems) == nil {
		for _, p := range problems {
			fmt.Fprintf(&text, "\n- %s: %s", p.Field, p.Message)
		}
	} else if len(failure.Details) > 0 {
		fmt.Fprintf(&text, "\n%s", failure.Details)
	}
	return failed(text.String(), envelope.Error)
}

func failed(text string, structured json.RawMessage) *sdk.CallToolResult {
	result := &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: text}}}
	if structured != nil {
		result.StructuredContent = structured
	}
	return result
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
