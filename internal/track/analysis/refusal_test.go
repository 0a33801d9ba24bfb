package analysis_test

import (
	"encoding/json"
	"strings"
	"testing"

	"earshot/internal/track/analysis"
)

func TestOnlyShortAnswersThatDeclineAreRefusals(t *testing.T) {
	t.Parallel()
	type object = map[string]any
	for what, c := range map[string]struct {
		result object
		want   bool
	}{
		"english":        {object{"text": "I’m sorry, but I can’t help with that request."}, true},
		"german":         {object{"text": "Tut mir leid, dabei kann ich nicht helfen."}, true},
		"japanese":       {object{"text": "申し訳ありませんが、そのご質問にはお答えできません。"}, true},
		"markdown only":  {object{"markdown": "I **must decline**. I can't answer that."}, true},
		"an answer":      {object{"text": "Ollaro is a good shoe for beginners."}, false},
		"of a product":   {object{"text": "These shoes cannot help with flat feet."}, false},
		"with a source":  {object{"text": "I can't help with that.", "sources": []object{{"url": "https://a.example/"}}}, false},
		"with a link":    {object{"text": "I can't help with that, see https://a.example/"}, false},
		"with a list":    {object{"text": "I can't help with that, but:\n- Ollaro\n- Kestrin"}, false},
		"a long one":     {object{"text": "I can't help with that. " + strings.Repeat("But Ollaro is good. ", 30)}, false},
		"a search page":  {object{"text": "I can't help with that.", "organicResults": []object{}}, false},
		"nothing at all": {object{}, false},
	} {
		stored, err := json.Marshal(c.result)
		if err != nil {
			t.Fatal(err)
		}
		if got := analysis.Refused(stored); got != c.want {
			t.Errorf("%s: %s is a refusal: %t", what, stored, got)
		}
	}
	if analysis.Refused([]byte("no JSON")) {
		t.Error("an unreadable result is a refusal")
	}
}
