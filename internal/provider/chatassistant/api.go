package chatassistant

import (
	"earshot/internal/provider"
	"earshot/internal/provider/chat"
	"earshot/internal/provider/vendorapi/responses"
	"earshot/internal/upstream"
)

// api is how the official API is reached.
var api = provider.API{
	Name: "openai", URL: "https://api.openai.com/v1", Model: "gpt-5-mini", KeyHeader: "Authorization", KeyPrefix: "Bearer ",
}

// official is how it is asked. It has no products and no ads.
var official = &chat.API{Question: apiQuestion, Located: true}

func apiQuestion(q chat.Question) (upstream.Request, error) {
	return responses.Question(responses.Ask{Site: api.Name, Model: q.Model, Prompt: q.Prompt, Locale: q.Locale, Search: !q.NoSearch})
}
