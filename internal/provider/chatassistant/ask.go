package chatassistant

import (
	"context"
	"net/url"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/chat"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/provider/vendorapi/responses"
	"earshot/internal/upstream"
	"earshot/internal/upstream/browser"
)

// Paths of the site's two interfaces, relative to its base URL.
const (
	pagePath   = "/"
	streamPath = "/backend-api/conversation"
)

// searchHint asks the assistant to search the web. Without it, the assistant decides.
const searchHint = "search"

// Ask requests the answer in one of the two forms and reads it in whichever form it came.
func (r *request) Ask(ctx context.Context, up *upstream.Session) (*provider.Outcome, error) {
	assistant := chat.Assistant{
		About: &definition, Question: r.question, Start: startPath, Script: script, API: official, Read: r.read,
	}
	found, err := assistant.Ask(ctx, up, chat.Question{Prompt: r.Prompt, Locale: r.locale, NoSearch: r.DisableWebSearch}, r.include())
	if err != nil {
		return nil, err
	}
	return &provider.Outcome{Result: found, Bill: r.billFor(up.Surface())}, nil
}

// question returns the request for the document: the mobile page with the prompt in its URL, or the
// stream of the legacy interface.
func (r *request) question(prompt string, locale geo.Locale) (*upstream.Request, error) {
	if !r.Legacy {
		query := url.Values{"q": {prompt}}
		if !r.DisableWebSearch {
			query.Set("hints", searchHint)
		}
		return &upstream.Request{Site: name, Path: pagePath, Query: query, Locale: locale}, nil
	}
	hints := []string{}
	if !r.DisableWebSearch {
		hints = append(hints, searchHint)
	}
	return upstream.PostJSON(name, streamPath, "text/event-stream", map[string]any{
		"action": "next",
		"messages": []any{map[string]any{
			"author":  map[string]any{"role": "user"},
			"content": map[string]any{"content_type": "text", "parts": []string{prompt}},
		}},
		"system_hints":        hints,
		"supported_encodings": []string{"v1"},
	}, locale)
}

// read reads a document and removes the parts that were not requested.
func (r *request) read(document []byte, want answer.Options) (*earshot.Answer, error) {
	a, err := Read(document, want)
	if err != nil {
		return nil, err
	}
	if !r.Include.SearchQueries && rawdoc.IsPage(rawdoc.Trimmed(document)) {
		a.SearchQueries, a.MapSearchQueries = nil, nil
	}
	r.trim(a)
	return a, nil
}

// trim removes the ads and products that were not requested.
func (r *request) trim(a *earshot.Answer) {
	if !r.Include.Ads {
		a.Ads = nil
	}
	if !r.Include.Shopping {
		a.ShoppingCards, a.InlineProducts = nil, nil
	}
}

// include returns the parts of an answer that every chat assistant offers, as requested.
func (r *request) include() chat.Include {
	return chat.Include{HTML: r.Include.HTML, Markdown: r.Include.Markdown, RawResponse: r.Include.RawResponse}
}

// startPath is the page on which script begins, relative to the site's base URL.
const startPath = "/"

// script returns the steps with which a browser asks on the site. They are based on public
// knowledge of chatgpt.com and must be reviewed when the site changes. Ids and test ids have been
// stable so far.
//
// The stream of an answer comes from /backend-api/conversation or from its successors
// /backend-api/f/conversation and /backend-anon/f/conversation. On the page, the answer is complete
// when its turn can be copied or rated. The turn of a question can be copied, too.
//
// The site refuses with a challenge instead of the page or the stream, in a form whose id contains
// "challenge", or with a sign-in form. The reader recognises all of them.
func script(prompt string) []browser.Step {
	return []browser.Step{
		browser.Type(`#prompt-textarea`, prompt),
		browser.Submit(`button[data-testid="send-button"]`),
		browser.TakeStream("/conversation"),
		browser.TakePage(`[data-turn="assistant"] [data-testid="copy-turn-action-button"], ` +
			`[data-testid="good-response-turn-action-button"], form[id*="challenge"]`),
	}
}

// api describes the official API.
var api = provider.API{
	Name: "openai", URL: "https://api.openai.com/v1", Model: provider.DefaultModel("openai"), KeyHeader: "Authorization", KeyPrefix: "Bearer ",
	ModelList: "/models", Place: "country, state",
}

// official asks the official API. Its answers have no products and no ads.
var official = &chat.API{Question: apiQuestion, Located: true}

func apiQuestion(q chat.Question) (*upstream.Request, error) {
	return responses.Question(responses.Ask{Site: api.Name, Model: q.Model, Prompt: q.Prompt, Locale: q.Locale, NoStream: q.NoStream, Search: !q.NoSearch})
}
