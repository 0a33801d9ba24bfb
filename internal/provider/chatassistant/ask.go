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

// The interface's two entrances, below the site's base.
const (
	pagePath   = "/"
	streamPath = "/backend-api/conversation"
)

// searchHint asks the assistant to search the web; without it, it decides.
const searchHint = "search"

// Ask fetches the answer in one of the two shapes and reads whichever came.
func (r *request) Ask(ctx context.Context, up *upstream.Session) (*provider.Outcome, error) {
	assistant := chat.Assistant{
		About: &definition, Question: r.question, Start: startPath, Script: script, API: official, Read: r.read,
	}
	include := chat.Include{HTML: r.Include.HTML, Markdown: r.Include.Markdown, RawResponse: r.Include.RawResponse}
	found, err := assistant.Ask(ctx, up, chat.Question{Prompt: r.Prompt, Locale: r.locale, NoSearch: r.DisableWebSearch}, include)
	if err != nil {
		return nil, err
	}
	return &provider.Outcome{Result: found, Bill: r.billFor(up.Surface())}, nil
}

// question is the document to fetch: the mobile page with the prompt in its
// address, or the legacy interface's stream.
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

// read reads a document and takes away what was not asked for.
func (r *request) read(document []byte, want answer.Want) (*earshot.Answer, error) {
	a, err := Read(document, want)
	if err != nil {
		return nil, err
	}
	if !r.Include.SearchQueries && rawdoc.IsPage(rawdoc.Trimmed(document)) {
		a.SearchQueries, a.MapSearchQueries = nil, nil
	}
	if !r.Include.Ads {
		a.Ads = nil
	}
	if !r.Include.Shopping {
		a.ShoppingCards, a.InlineProducts = nil, nil
	}
	return a, nil
}

// startPath is the page that script begins on, below the site's base.
const startPath = "/"

// script is how a browser asks on the site itself. It is made from what is
// publicly known of chatgpt.com, and needs the operator's eye when the site
// changes: ids and test ids have outlasted its releases so far.
//
// The stream is what both interfaces answer with, /backend-api/conversation and
// its successors /backend-api/f/conversation and /backend-anon/f/conversation.
// A page has its answer whole once the answer's turn can be copied or rated; a
// question's turn can be copied too.
//
// The site refuses with a challenge in the place of the page or of the stream, by
// #challenge-form and other ids that begin so, and with a sign-in form, all of
// which the reader recognises.
func script(prompt string) []browser.Step {
	return []browser.Step{
		browser.Type(`#prompt-textarea`, prompt),
		browser.Submit(`button[data-testid="send-button"]`),
		browser.TakeStream("/conversation"),
		browser.TakePage(`[data-turn="assistant"] [data-testid="copy-turn-action-button"], ` +
			`[data-testid="good-response-turn-action-button"], form[id*="challenge"]`),
	}
}

// api is how the official API is reached.
var api = provider.API{
	Name: "openai", URL: "https://api.openai.com/v1", Model: "gpt-5-mini", KeyHeader: "Authorization", KeyPrefix: "Bearer ",
	Place: "country, state",
}

// official is how it is asked. It has no products and no ads.
var official = &chat.API{Question: apiQuestion, Located: true}

func apiQuestion(q chat.Question) (*upstream.Request, error) {
	return responses.Question(responses.Ask{Site: api.Name, Model: q.Model, Prompt: q.Prompt, Locale: q.Locale, Search: !q.NoSearch})
}
