package officeassistant

import (
	"earshot/internal/provider"
	"earshot/internal/provider/chat"
	"earshot/internal/provider/vendorapi/responses"
	"earshot/internal/upstream"
)

// api is any API of the Responses family: only the operator knows where theirs
// is, and which model it has.
var api = provider.API{Name: "responses", KeyHeader: "Authorization", KeyPrefix: "Bearer "}

func apiQuestion(q chat.Question) (upstream.Request, error) {
	return responses.Question(responses.Ask{Site: api.Name, Model: q.Model, Prompt: q.Prompt, Locale: q.Locale, Search: true})
}
