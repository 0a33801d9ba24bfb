package socialassistant_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"earshot/internal/provider/answer"
	"earshot/internal/provider/providertest"
	"earshot/internal/provider/socialassistant"
	"earshot/internal/upstream/lab"
)

func parse(document []byte) (any, error) {
	return socialassistant.Read(document, answer.Options{Country: "US", Markdown: true})
}

func TestGolden(t *testing.T) {
	t.Parallel()
	providertest.Golden(t, parse)
	providertest.Unanswered(t, parse, "lab.ndjson")
}

// response returns a stream with one response that has the text.
func response(text string) []byte {
	data, _ := json.Marshal(text) // a string always marshals
	return fmt.Appendf(nil, `{"result":{"response":{"modelResponse":{"message":%s,`+
		`"cardAttachmentsJson":["{\"id\":\"a\",\"url\":\"https://a.example/\"}"]}}}}`, data)
}

func TestHostile(t *testing.T) {
	t.Parallel()
	providertest.Hostile(t, providertest.AnswerText, providertest.Within(response, parse))
}

// TestHostileStreams parses streams that are designed to break this parser.
func TestHostileStreams(t *testing.T) {
	t.Parallel()
	rep := strings.Repeat
	whole := func(fields string) string {
		return `{"result":{"response":{"modelResponse":{"message":"x",` + fields + `}}}}`
	}
	for name, document := range map[string]string{
		"many citations": string(response(rep(`a<b:render card_id="a"></b:render> `, 7000))),
		"one long run":   string(response(rep(`<b:render card_id="a"></b:render>`, 7000))),
		"open marks":     string(response(rep(`<b:render card_id="a">`, 11_000))),
		"many arguments": string(response(`<b:render card_id="a">` + rep(`<argument>x</argument>`, 11_000))),
		"empty links":    string(response(rep(`[](https://a.example/)`, 11_000))),
		"spaces":         string(response(rep(" \t", 120_000) + `[](https://a.example/)`)),
		"many lines":     strings.Repeat(`{"result":{"token":"x"}}`+"\n", 49_000) + whole(`"a":1`),
		"too many lines": strings.Repeat(`{"result":{"token":"x"}}`+"\n", 60_000),
		"open CDATA":     whole(`"steps":[{"text":["` + rep(`<![CDATA[{`, 100_000) + `"]}]`),
		"many posts":     whole(`"xposts":[` + rep(`{"postId":"1","username":"/../"},`, 30_000) + `0]`),
		"deep":           whole(`"xposts":` + rep("[", 9000) + rep("]", 9000)),
		"no lines":       rep(`{"result":{"token":"x"}}`, 40_000) + whole(`"a":1`),
		"open lines":     rep("[1,\n", 300_000),
		"cut between":    rep(whole(`"a":1`), 100) + `{"result":`,
		"wrong reply":    `{"responses":[{"sender":"ASSISTANT","message":"a","createTime":{"$date":[]},"steps":{"toolUsageResults":5},"postIdsResults":[0,{"result":{"restId":{}}}]}]}`,
		"wrong kinds":    whole(`"cardAttachmentsJson":[1,{},"[]","{\"id\":1}"],"webSearchResults":{"results":{}},"steps":[0],"model":{},"generatedImageUrls":["://","http://",5]`),
	} {
		t.Run(name, func(t *testing.T) { providertest.Survives(t, document, parse) })
	}
}

func FuzzParse(f *testing.F) {
	providertest.Fuzz(f, providertest.AnswerText, providertest.Within(response, parse))
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestChat(t *testing.T) {
	t.Parallel()
	providertest.Chat(t, socialassistant.New())
}

func TestLabSite(t *testing.T) {
	providertest.LabSite{
		Provider: socialassistant.New(),
		Read:     socialassistant.Read,
		Pages:    []string{"/?q="},
		Box:      `form textarea`,
		Button:   `form button[type="submit"]`,
		Thread:   `main`,
		Done:     `.conversation .message-bubble ~ .action-buttons button:nth-of-type(3)`,
		Stream: &providertest.LabStream{
			Path:     "/rest/app-chat/conversations/new",
			Question: func(prompt string) any { return map[string]string{"message": prompt} },
			Wrong:    `{"message":1}`,
			Type:     lab.TypeLines,
			End:      "}}}\n",
		},
	}.Check(t)
}
