package responses_test

import (
	"testing"

	"earshot/internal/geo"
	"earshot/internal/provider/vendorapi/responses"
)

func TestQuestion(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		ask  responses.Ask
		want string
	}{
		"search forced in a state": {
			responses.Ask{Site: "api", Model: "m", Prompt: "who?", Locale: geo.Locale{Country: "US", State: "NY"}, Search: true},
			`{"model":"m","input":"who?","tools":[{"type":"web_search","user_location":{"type":"approximate","country":"US","region":"New York"}}],` +
				`"tool_choice":"required","include":["web_search_call.action.sources"],"stream":true,"store":false}`,
		},
		"posts in a country": {
			responses.Ask{Site: "api", Model: "m", Prompt: "wer?", Locale: geo.Locale{Country: "DE"}, Posts: true},
			`{"model":"m","input":"wer?","tools":[{"type":"web_search","user_location":{"type":"approximate","country":"DE"}},{"type":"x_search"}],` +
				`"tool_choice":"auto","stream":true,"store":false}`,
		},
		"not streamed": {
			responses.Ask{Site: "api", Model: "m", Prompt: "x", NoStream: true},
			`{"model":"m","input":"x","tools":[{"type":"web_search","user_location":{"type":"approximate"}}],` +
				`"tool_choice":"auto","include":["web_search_call.action.sources"],"stream":false,"store":false}`,
		},
		"nowhere": {
			responses.Ask{Site: "api", Model: "m", Prompt: "x"},
			`{"model":"m","input":"x","tools":[{"type":"web_search","user_location":{"type":"approximate"}}],` +
				`"tool_choice":"auto","include":["web_search_call.action.sources"],"stream":true,"store":false}`,
		},
	} {
		request, err := responses.Question(test.ask)
		if err != nil {
			t.Fatal(err)
		}
		if string(request.Body) != test.want {
			t.Errorf("%s: body\n%s, want\n%s", name, request.Body, test.want)
		}
		if request.Site != "api" || request.Path != "/responses" || request.Locale != test.ask.Locale || request.Refusal == nil {
			t.Errorf("%s: request %+v", name, request)
		}
	}
}
