package chatassistant

import (
	"context"
	"net/url"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/chat"
	"earshot/internal/upstream"
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
	question, err := r.question(up)
	if err != nil {
		return nil, err
	}
	response, err := up.Fetch(ctx, question)
	if err != nil {
		return nil, err
	}
	found, err := parse(response.Body, answer.Want{Country: r.locale.Country, Markdown: r.include.Markdown})
	if err := response.Judge(err); err != nil {
		return nil, err
	}
	r.omit(found)
	if err := official.Complete(ctx, up, found.answer, r.locale); err != nil {
		return nil, err
	}
	if err := r.include.Attach(found.answer, up, response.Body); err != nil {
		return nil, err
	}
	return &provider.Outcome{Result: found.answer, Bill: r.billFor(up.Surface())}, nil
}

// question is the document to fetch: the mobile page with the prompt in its
// address, or the legacy interface's stream.
func (r *request) question(up *upstream.Session) (upstream.Request, error) {
	switch {
	case up.Surface() == earshot.SurfaceAPI:
		return official.Question(chat.APIQuestion{Prompt: r.prompt, Model: up.Model(), Locale: r.locale, NoSearch: r.disableWebSearch})
	case up.Browses():
		return upstream.Request{Site: name, Path: startPath, Locale: r.locale, Steps: script(r.prompt)}, nil
	case !r.legacy:
		query := url.Values{"q": {r.prompt}}
		if !r.disableWebSearch {
			query.Set("hints", searchHint)
		}
		return upstream.Request{Site: name, Path: pagePath, Query: query, Locale: r.locale}, nil
	}
	hints := []string{}
	if !r.disableWebSearch {
		hints = append(hints, searchHint)
	}
	return upstream.PostJSON(name, streamPath, "text/event-stream", map[string]any{
		"action": "next",
		"messages": []any{map[string]any{
			"author":  map[string]any{"role": "user"},
			"content": map[string]any{"content_type": "text", "parts": []string{r.prompt}},
		}},
		"system_hints":        hints,
		"supported_encodings": []string{"v1"},
	}, r.locale)
}

// omit takes away what was found but not asked for.
func (r *request) omit(found *reading) {
	a := found.answer
	if !r.include.searchQueries && found.page {
		a.SearchQueries, a.MapSearchQueries = nil, nil
	}
	if !r.include.ads {
		a.Ads = nil
	}
	if !r.include.shopping {
		a.ShoppingCards, a.InlineProducts = nil, nil
	}
}
