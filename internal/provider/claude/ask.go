package claude

import (
	"strings"

	"earshot/internal/geo"
	"earshot/internal/provider/chat"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/vendorapi"
	"earshot/internal/upstream"
)

const (
	version    = "2023-06-01"
	searchTool = "web_search_20250305"
	// maxSearches limits the searches for one message.
	maxSearches = 5
	// maxTokens is the length of the longest answer and the thoughts before it. Claude Sonnet 5.5
	// always thinks. All models that can search the web allow it.
	maxTokens = 32000
	// maxPauses limits how often a paused answer is continued.
	maxPauses = 5
)

// turn is a turn of the conversation.
type turn struct {
	Role    string `json:"role"`
	Content any    `json:"content"`
}

// labQuestion asks the lab, which plays the API.
func labQuestion(prompt string, locale geo.Locale) (*upstream.Request, error) {
	return messages(name, chat.Question{Prompt: prompt, Locale: locale, Model: api.Model})
}

// apiQuestion asks the API with its web search tool. The model decides whether to search.
func apiQuestion(q chat.Question) (*upstream.Request, error) { return messages(apiSite, q) }

// continued returns the request that continues a paused answer: the conversation with the content so
// far as the assistant's turn. It returns nil if the answer is not paused, or was paused too often.
func continued(q chat.Question, responses []byte) (*upstream.Request, error) {
	var content []loosejson.Object
	err := read(responses, func(c *conversation) error {
		if c.problem != nil || len(c.messages) == 0 || len(c.messages) > maxPauses || c.last().stop != pauseTurn {
			return nil
		}
		for _, block := range c.blocks() {
			if block.Text("type") != "text" || strings.TrimSpace(loosejson.AsText(block["text"])) != "" { // the API refuses an empty text
				content = append(content, block)
			}
		}
		return nil
	})
	if err != nil || content == nil {
		return nil, nil //nolint:nilerr // Read reports what is wrong with the responses
	}
	return messages(apiSite, q, turn{"assistant", content})
}

// messages returns the request for a conversation that begins with the prompt. It neither forces a
// search nor sets the temperature, because models since Claude Sonnet 5.5 refuse both.
func messages(site string, q chat.Question, further ...turn) (*upstream.Request, error) {
	tool := map[string]any{"type": searchTool, "name": "web_search", "max_uses": maxSearches}
	if q.Locale.Country != "" {
		location := map[string]any{"type": "approximate", "country": q.Locale.Country}
		if state := vendorapi.StateName(q.Locale.State); state != "" {
			location["region"] = state
		}
		tool["user_location"] = location
	}
	request, err := upstream.PostJSON(site, "/messages", "text/event-stream", map[string]any{
		"model":      q.Model,
		"max_tokens": maxTokens,
		"stream":     true,
		"tools":      []any{tool},
		"messages":   append([]turn{{"user", q.Prompt}}, further...),
	}, q.Locale)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Anthropic-Version", version)
	request.Refusal = vendorapi.RefusalBody
	return request, nil
}
