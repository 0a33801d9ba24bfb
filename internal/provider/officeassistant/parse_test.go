package officeassistant_test

import (
	"testing"

	"go.uber.org/goleak"

	"earshot/internal/provider/answer"
	"earshot/internal/provider/officeassistant"
	"earshot/internal/provider/providertest"
	"earshot/internal/upstream/lab"
)

// answerPage is a page with %s in place of the answer's text.
const answerPage = `<!DOCTYPE html><html><body><main role="main"><article role="article" data-author="assistant">` +
	`<div data-testid="message-text">%s</div></article></main></body></html>`

func parse(document []byte) (any, error) {
	return officeassistant.Read(document, answer.Options{Country: "DE", Markdown: true})
}

func TestGolden(t *testing.T) {
	t.Parallel()
	providertest.Golden(t, parse)
	providertest.Unanswered(t, parse, "lab.html")
}

func TestHostile(t *testing.T) {
	t.Parallel()
	providertest.Hostile(t, answerPage, parse)
}

func FuzzParse(f *testing.F) { providertest.Fuzz(f, answerPage, parse) }

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestChat(t *testing.T) {
	t.Parallel()
	providertest.Chat(t, officeassistant.New())
}

func TestDefinition(t *testing.T) {
	t.Parallel()
	about := officeassistant.New().Definition()
	if about.Name != "officeassistant" || about.TaskType != "OFFICEASSISTANT" || about.Prices[0].Credits != 5 {
		t.Errorf("%+v", about)
	}
	for _, country := range []string{"BY", "CN", "RU", "SY", "VE"} {
		if about.Serves(country) {
			t.Errorf("serves %s", country)
		}
	}
	if !about.Serves("US") || !about.Serves("IR") {
		t.Error("does not serve everywhere else")
	}
}

func TestLabSite(t *testing.T) {
	providertest.LabSite{
		Provider: officeassistant.New(),
		Read:     officeassistant.Read,
		Pages:    []string{"/?q=", "/chat?q="},
		Box:      `textarea#userInput`,
		Button:   `button[data-testid="submit-button"]`,
		Thread:   `main`,
		Done:     `[role="feed"] [data-testid="copy-ai-message-button"]`,
		Stream: &providertest.LabStream{
			Path:     "/c/api/chat",
			Question: func(prompt string) any { return map[string]string{"text": prompt} },
			Wrong:    `{"text":1}`,
			Type:     lab.TypeLines,
			End:      "\"}\n",
		},
	}.Check(t)
}
