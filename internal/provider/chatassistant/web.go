package chatassistant

import (
	"context"
	"net/url"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/answer"
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
	found, err := parse(response.Body, answer.Want{Country: r.locale.Country, Markdown: r.Include.Markdown})
	if err := response.Judge(err); err != nil {
		return nil, err
	}
	r.omit(found)
	if err := official.Complete(ctx, up, found.answer, r.locale); err != nil {
		return nil, err
	}
	include := answer.Include{HTML: r.Include.HTML, Markdown: r.Include.Markdown, RawResponse: r.Include.RawResponse}
	if err := include.Attach(found.answer, up, response.Body); err != nil {
		return nil, err
	}
	return &provider.Outcome{Result: found.answer, Bill: r.billFor(up.Surface())}, nil
}

// question is the document to fetch: the mobile page with the prompt in its
// address, or the legacy interface's stream.
func (r *request) question(up *upstream.Session) (upstream.Request, error) {
	switch {
	case up.Surface() == earshot.SurfaceAPI:
		return official.Question(answer.APIQuestion{Prompt: r.Prompt, Model: up.Model(), Locale: r.locale, NoSearch: r.DisableWebSearch})
	case up.Browses():
		return upstream.Request{Site: name, Path: startPath, Locale: r.locale, Steps: script(r.Prompt)}, nil
	case !r.Legacy:
		query := url.Values{"q": {r.Prompt}}
		if !r.DisableWebSearch {
			query.Set("hints", searchHint)
		}
		return upstream.Request{Site: name, Path: pagePath, Query: query, Locale: r.locale}, nil
	}
	hints := []string{}
	if !r.DisableWebSearch {
		hints = append(hints, searchHint)
	}
	return upstream.PostJSON(name, streamPath, "text/event-stream", map[string]any{
		"action": "next",
		"messages": []any{map[string]any{
			"author":  map[string]any{"role": "user"},
			"content": map[string]any{"content_type": "text", "parts": []string{r.Prompt}},
		}},
		"system_hints":        hints,
		"supported_encodings": []string{"v1"},
	}, r.locale)
}

// omit takes away what was found but not asked for.
func (r *request) omit(found *reading) {
	a := found.answer
	if !r.Include.SearchQueries && found.page {
		a.SearchQueries, a.MapSearchQueries = nil, nil
	}
	if !r.Include.Ads {
		a.Ads = nil
	}
	if !r.Include.Shopping {
		a.ShoppingCards, a.InlineProducts = nil, nil
	}
}
