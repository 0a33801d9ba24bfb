package socialassistant

import (
	"earshot/internal/provider"
	"earshot/internal/provider/chat"
	"earshot/internal/provider/vendorapi/responses"
	"earshot/internal/upstream"
)

// api is how the official API is reached.
var api = provider.API{
	Name: "xai", URL: "https://api.x.ai/v1", Model: "grok-4.3", KeyHeader: "Authorization", KeyPrefix: "Bearer ",
}

// apiQuestion tells the API the place. Whether the API takes notice of it is not
// known, so no answer claims to be for that place.
func apiQuestion(q chat.Question) (upstream.Request, error) {
	return responses.Question(responses.Ask{Site: api.Name, Model: q.Model, Prompt: q.Prompt, Locale: q.Locale, Search: true, Posts: true})
}
