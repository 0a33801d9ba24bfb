package model

import (
	"context"
	"errors"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/vendorapi"
	"earshot/internal/upstream"
)

// Ask asks the model.
func (r *request) Ask(ctx context.Context, up *upstream.Session) (*provider.Outcome, error) {
	call, err := r.call(up)
	if err != nil {
		return nil, err
	}
	call.Judge = judge
	response, err := up.Fetch(ctx, call)
	if err != nil {
		return nil, err
	}
	var found *earshot.Answer
	err = up.Read(ctx, func() (err error) {
		found, _, err = read(response.Body, answer.Options{
			Country: r.locale.Country, Markdown: r.include.Markdown || r.include.HTML,
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	found.Surface, found.Via = earshot.SurfaceAPI, up.Entry()
	if up.Surface() == earshot.SurfaceLab {
		found.Surface, found.Location = earshot.SurfaceLab, up.Location(r.locale)
	}
	if err := r.include.Attach(found, up, response.Body); err != nil {
		return nil, err
	}
	return &provider.Outcome{Result: found, Bill: r.Bill()}, nil
}

// judge says whether a document is an answer, and what the endpoint says that it costs.
func judge(document []byte) (v upstream.Verdict) {
	_, cost, err := read(document, answer.Options{})
	if failure, failed := errors.AsType[*upstream.Failure](answer.Settled(err)); failed {
		v.Failure = failure
	}
	if cost > 0 {
		v.Charge = new(upstream.Dollars(cost))
	}
	return v
}

// call returns the call for the prompt. It asks for a whole answer, because some endpoints do not
// stream, and others report the cost only in whole answers.
func (r *request) call(up *upstream.Session) (*upstream.Request, error) {
	body := map[string]any{
		"model":    up.Model(),
		"messages": []any{map[string]any{"role": "user", "content": r.prompt}},
		"stream":   false,
	}
	if r.model.Search == SearchOpenRouter {
		location := map[string]any{"type": "approximate", "country": r.locale.Country}
		if state := vendorapi.StateName(r.locale.State); state != "" {
			location["region"] = state
		}
		// Without an engine, OpenRouter searches with Exa for most models, which is not the search of
		// any assistant.
		body["tools"] = []any{map[string]any{
			"type": "openrouter:web_search", "parameters": map[string]any{"engine": "native", "user_location": location},
		}}
	}
	request, err := upstream.PostJSON(Name, "/chat/completions", "application/json", body, r.locale)
	if err != nil {
		return nil, err
	}
	request.Refusal = vendorapi.RefusalBody
	return request, nil
}
