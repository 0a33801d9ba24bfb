package chatassistant_test

import (
	"testing"

	"earshot/internal/provider/chatassistant"
	"earshot/internal/provider/providertest"
)

// answerPage is a page with %s where the text of an answer stands.
const answerPage = `<!DOCTYPE html><html><body><section data-turn="assistant">` +
	`<div data-message-author-role="assistant" data-message-model-slug="m"><div class="markdown">%s</div></div></section></body></html>`

func parse(document []byte) (any, error) { return chatassistant.Parse(document, "DE") }

func TestGolden(t *testing.T) {
	t.Parallel()
	providertest.Golden(t, parse)
}

func TestHostile(t *testing.T) {
	t.Parallel()
	providertest.Hostile(t, answerPage, parse)
}

func FuzzParse(f *testing.F) {
	providertest.Seed(f, answerPage)
	f.Fuzz(func(t *testing.T, document []byte) {
		result, err := parse(document)
		if err != nil {
			providertest.Reason(t, err)
			return
		}
		providertest.Check(t, result)
	})
}
