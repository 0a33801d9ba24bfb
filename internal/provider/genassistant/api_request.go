package genassistant

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"

	"earshot/internal/geo"
	"earshot/internal/provider/chat"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/vendorapi"
	"earshot/internal/provider/webtext"
	"earshot/internal/upstream"
)

// apiQuestion asks the API with its search turned on; the model decides whether
// it searches. The API knows languages and no countries, so nothing here says
// where the question is asked from.
func apiQuestion(q chat.Question) (upstream.Request, error) {
	language := cmp.Or(q.Locale.Language, geo.Language(q.Locale.Country))
	request, err := upstream.PostJSON(apiSite, "/models/"+url.PathEscape(q.Model)+":streamGenerateContent", "text/event-stream", map[string]any{
		"contents":   []any{map[string]any{"role": "user", "parts": []any{map[string]any{"text": q.Prompt}}}},
		"tools":      []any{map[string]any{"googleSearch": map[string]any{}}},
		"toolConfig": map[string]any{"retrievalConfig": map[string]any{"languageCode": language}},
	}, q.Locale)
	request.Query = url.Values{"alt": {"sse"}}
	request.Refusal = apiRefusal
	return request, err
}

// apiRefusal judges an answer with an error status.
func apiRefusal(status int, header http.Header, body []byte) *upstream.Failure {
	value, _ := loosejson.Decode(webtext.ValidText(string(body)))
	if list := loosejson.AsObjects(value); len(list) > 0 {
		value = list[0] // a stream that is no event stream
	}
	return errorFailure(status, header, loosejson.AsObject(value).Object("error"))
}

// errorFailure judges an error that the API describes.
func errorFailure(status int, header http.Header, failed loosejson.Object) *upstream.Failure {
	codes := []string{failed.Amount("code"), failed.Text("status")}
	header = header.Clone()
	for _, detail := range failed.Objects("details") {
		codes = append(codes, detail.Text("reason"))
		if delay := detail.Text("retryDelay"); delay != "" {
			if header == nil {
				header = http.Header{}
			}
			header.Set("Retry-After", delay)
		}
	}
	codes = slices.DeleteFunc(codes, func(code string) bool { return code == "" })
	return vendorapi.Refusal(status, header, codes, failed.Text("message"))
}
