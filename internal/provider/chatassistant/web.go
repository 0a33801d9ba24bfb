package chatassistant

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
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
	question, err := r.question()
	if err != nil {
		return nil, err
	}
	response, err := up.Fetch(ctx, question)
	if err != nil {
		return nil, err
	}
	found, err := parse(response.Body, answer.Want{Country: r.locale.Country, Markdown: r.include.markdown})
	if err != nil {
		return nil, err
	}
	result := r.show(found)
	result.Surface = up.Surface()
	if r.include.rawResponse {
		result.RawResponse, err = rawResponse(found.shape, response.Body)
		if err != nil {
			return nil, err
		}
	}
	if r.include.html {
		result.HTML = up.Keep(capture(found.shape, response.Body))
	}
	return &provider.Outcome{Result: result, Bill: r.Bill()}, nil
}

// question is the document to fetch: the mobile page with the prompt in its
// address, or the legacy interface's stream.
func (r *request) question() (upstream.Request, error) {
	if !r.legacy {
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
	body, err := json.Marshal(map[string]any{
		"action": "next",
		"messages": []any{map[string]any{
			"author":  map[string]any{"role": "user"},
			"content": map[string]any{"content_type": "text", "parts": []string{r.prompt}},
		}},
		"system_hints":        hints,
		"supported_encodings": []string{"v1"},
	})
	if err != nil {
		return upstream.Request{}, fmt.Errorf("%s request: %w", name, err)
	}
	return upstream.Request{
		Site:   name,
		Path:   streamPath,
		Header: http.Header{"Content-Type": {"application/json"}, "Accept": {"text/event-stream"}},
		Body:   body,
		Locale: r.locale,
	}, nil
}

// show is the part of what was found that the request asked for.
func (r *request) show(found *reading) *earshot.Answer {
	shown := *found.answer
	if !r.include.searchQueries && found.shape == shapePage {
		shown.SearchQueries, shown.MapSearchQueries = nil, nil
	}
	if !r.include.ads {
		shown.Ads = nil
	}
	if !r.include.shopping {
		shown.ShoppingCards, shown.InlineProducts = nil, nil
	}
	return &shown
}

// capture is the document as it is kept: a page as it is, anything else as text
// on a page, since captures are served as HTML.
func capture(s shape, document []byte) []byte {
	if s == shapePage {
		return document
	}
	var page bytes.Buffer
	page.WriteString("<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>" + name + "</title></head><body><pre>\n")
	page.WriteString(html.EscapeString(string(bytes.ToValidUTF8(document, []byte("\uFFFD")))))
	page.WriteString("</pre></body></html>\n")
	return page.Bytes()
}
