package genassistant_test

import (
	"testing"

	"earshot/internal/provider/answer"
	"earshot/internal/provider/genassistant"
	"earshot/internal/provider/providertest"
)

// answerPage is a page with %s where the text of an answer stands.
const answerPage = `<!DOCTYPE html><html><body><user-query>q</user-query><model-response>` +
	`<message-content><div class="markdown">%s</div></message-content></model-response></body></html>`

func parse(document []byte) (any, error) {
	return genassistant.New().Read(document, answer.Want{Country: "DE", Markdown: true})
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
