package officeassistant_test

import (
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
