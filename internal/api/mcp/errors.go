package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"earshot"
)

// refused is an error response of the API.
type refused struct {
	earshot.ErrorBody
	retryAfter string
}

// Error returns the message.
func (r *refused) Error() string { return r.Message }

// refusal returns the error for a response with an error status.
func refusal(status int, answer []byte, header http.Header) error {
	var response earshot.ErrorResponse
	if json.Unmarshal(answer, &response) != nil || response.Error.Code == "" {
		return fmt.Errorf("the response, with status %d, is not from Earshot", status)
	}
	return &refused{response.Error, header.Get("Retry-After")}
}

// failed returns the tool's result for an error, in words for the model and as data in _meta.
func failed(err error) *sdk.CallToolResult {
	reason, ok := errors.AsType[*refused](err)
	if own, isOwn := errors.AsType[*earshot.Error](err); isOwn {
		reason, ok = &refused{ErrorBody: earshot.ErrorBody{Code: own.Code, Message: own.Message, Details: own.Details}}, true
	}
	text := err.Error()
	if ok {
		text = reason.text()
	}
	result := &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: cut(text, defaultKB<<10)}}}
	if ok {
		result.Meta = sdk.Meta{"earshot/error": reason.ErrorBody}
	}
	return result
}

// text says what is wrong and what to do.
func (r *refused) text() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %s", r.Code, r.Message)
	if r.RequestID != "" {
		fmt.Fprintf(&text, " (request %s)", r.RequestID)
	}
	details, _ := json.Marshal(r.Details) // it was decoded from JSON, or is a list of problems
	var problems []earshot.FieldProblem
	if r.Code == earshot.CodeValidation && json.Unmarshal(details, &problems) == nil {
		for _, p := range problems {
			if r.Message == p.Field+": "+p.Message {
				continue
			}
			fmt.Fprintf(&text, "\n- %s: %s", p.Field, p.Message)
		}
	} else if r.Details != nil {
		fmt.Fprintf(&text, "\ndetails: %s", details)
	}
	if r.retryAfter != "" {
		fmt.Fprintf(&text, "\nRetry-After: %s", r.retryAfter)
	}
	if advice := r.Code.NextStep(); advice != "" {
		fmt.Fprintf(&text, "\nWhat to do: %s.", advice)
	}
	return text.String()
}
