package officeassistant_test

import (
	"strings"
	"testing"

	"earshot/internal/provider/answer"
	"earshot/internal/provider/officeassistant"
	"earshot/internal/provider/providertest"
)

// answerPage is a page with %s where the text of an answer stands.
const answerPage = `<!DOCTYPE html><html><body><main role="main"><article role="article" data-author="assistant">` +
	`<div data-testid="message-text">%s</div></article></main></body></html>`

func parse(document []byte) (any, error) {
	return officeassistant.Read(document, answer.Want{Country: "DE", Markdown: true})
}

func TestGolden(t *testing.T) {
	t.Parallel()
	providertest.Golden(t, parse)
}

func TestHostile(t *testing.T) {
	t.Parallel()
	providertest.Hostile(t, answerPage, parse)
}

func FuzzParse(f *testing.F) { providertest.Fuzz(f, answerPage, parse) }

// TestHostileMessages parses messages that were made to break this parser.
func TestHostileMessages(t *testing.T) {
	t.Parallel()
	rep := strings.Repeat
	turn := func(fields string) string { return `{"type":2,"item":{"messages":[{"author":"bot",` + fields + `}]}}` }
	for name, document := range map[string]string{
		"many events":       rep(`{"event":"appendText","partId":"1","text":"x"}`+"\n", 40_000) + `{"event":"done"}`,
		"many replacements": rep(`{"event":"appendText","partId":"1","text":"x"}`+"\n"+`{"event":"replaceText","partId":"1","text":"y"}`+"\n", 20_000) + `{"event":"done"}`,
		"many citations":    rep(`{"event":"citation","url":"https://a.example/"}`+"\n"+`{"event":"appendText","text":"x"}`+"\n", 20_000) + `{"event":"done"}`,
		"only citations":    rep(`{"event":"citation","url":"https://a.example/"}`+"\n", 40_000) + `{"event":"done"}`,
		"many numbers":      turn(`"text":"` + rep(`x[^1^] `, 30_000) + `","sourceAttributions":[{"seeMoreUrl":"https://a.example/"}]`),
		"one run":           turn(`"text":"` + rep(`[^1^]`, 40_000) + `","sourceAttributions":[{"seeMoreUrl":"https://a.example/"}]`),
		"open marks":        turn(`"text":"` + rep(`[^1`, 60_000) + `"`),
		"many ticks":        turn(`"messageType":"InternalSearchQuery","text":"` + rep("`a", 60_000) + `"`),
		"separators":        "{" + rep("\x1e", 200_000),
		"deep":              `{"messages":` + rep("[", 9000) + rep("]", 9000) + `}`,
		"wrong kinds":       `[{"event":5},{"event":"done","suggestions":{}},{"type":"2","item":[]},{"type":2,"item":{"messages":{},"result":[]}},5]`,
		"cut":               `{"event":"appendText","text":"a`,
	} {
		t.Run(name, func(t *testing.T) { providertest.Survives(t, document, parse) })
	}
}
