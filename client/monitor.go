package client

import (
	"context"
	"net/http"

	"earshot"
)

// ChatAssistantRequest asks the chat assistant. Prompt and Country are required.
type ChatAssistantRequest struct {
	Prompt           string               `json:"prompt"`
	Country          string               `json:"country"`
	State            string               `json:"state,omitempty"`
	Include          ChatAssistantInclude `json:"include,omitzero"`
	Legacy           bool                 `json:"legacy,omitempty"`
	DisableWebSearch bool                 `json:"disableWebSearch,omitempty"`
}

// ChatAssistantInclude are the parts of an answer that come only on demand.
// Shopping, RawResponse, SearchQueries and Ads together cost one add-on.
type ChatAssistantInclude struct {
	HTML          bool `json:"html,omitempty"`
	Markdown      bool `json:"markdown,omitempty"`
	RawResponse   bool `json:"rawResponse,omitempty"`
	SearchQueries bool `json:"searchQueries,omitempty"`
	Ads           bool `json:"ads,omitempty"`
	Shopping      bool `json:"shopping,omitempty"`
}

// ChatAssistant asks the chat assistant and waits for its answer. The usage is
// told even with an error that came from the service.
func (c *Client) ChatAssistant(ctx context.Context, req ChatAssistantRequest) (*earshot.Answer, Usage, error) {
	var envelope struct {
		Result earshot.Answer `json:"result"`
	}
	header, err := c.do(ctx, http.MethodPost, "/v1/monitor/chatassistant", req, &envelope)
	if err != nil {
		return nil, usage(header), err
	}
	return &envelope.Result, usage(header), nil
}
