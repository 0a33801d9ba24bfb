package answerengine_test

import (
	"testing"

	"go.uber.org/goleak"

	"earshot/internal/lab"
	"earshot/internal/provider/answerengine"
	"earshot/internal/provider/providertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestChat(t *testing.T) {
	t.Parallel()
	providertest.Chat(t, answerengine.New())
}

func TestLabSite(t *testing.T) {
	providertest.LabSite{
		Provider: answerengine.New(),
		Read:     answerengine.Read,
		Pages:    []string{"/?q="},
		Box:      `textarea#ask-input`,
		Button:   `button[data-testid="submit-button"]`,
		Done:     `.conversation [id^="markdown-content-"] ~ * button[aria-label="Copy"]`,
		Stream: &providertest.LabStream{
			Path:     "/rest/sse/perplexity_ask",
			Question: func(prompt string) any { return map[string]string{"query_str": prompt} },
			Wrong:    `{"query_str":1}`,
			Type:     lab.TypeEvents,
			End:      "event: end_of_stream\r\ndata: {}\r\n\r\n",
		},
	}.Check(t)
}
