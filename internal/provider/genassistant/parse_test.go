package genassistant_test

import (
	"testing"

	"go.uber.org/goleak"

	"earshot/internal/provider/answer"
	"earshot/internal/provider/genassistant"
	"earshot/internal/provider/providertest"
	"earshot/internal/upstream/lab"
)

// answerPage is a page with %s in place of the answer's text.
const answerPage = `<!DOCTYPE html><html><body><user-query>q</user-query><model-response>` +
	`<message-content><div class="markdown">%s</div></message-content></model-response></body></html>`

func parse(document []byte) (any, error) {
	return genassistant.New().Read(document, answer.Options{Country: "DE", Markdown: true})
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
	providertest.Chat(t, genassistant.New())
}

func TestDefinition(t *testing.T) {
	t.Parallel()
	about := genassistant.New().Definition()
	if about.Name != "genassistant" || about.TaskType != "GENASSISTANT" || about.Prices[0].Credits != 4 {
		t.Errorf("%+v", about)
	}
	for _, country := range []string{"BY", "CN", "RU"} {
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
		Provider: genassistant.New(),
		Read:     genassistant.Read,
		Pages:    []string{"/app?q="},
		Box:      `rich-textarea .ql-editor[contenteditable]`,
		Button:   `button.send-button`,
		Thread:   `chat-window`,
		Done:     `infinite-scroller model-response message-actions [data-test-id="copy-button"]`,
		Stream: &providertest.LabStream{
			Path:     "/_/BardChatUi/data/assistant.lamda.BardFrontendService/StreamGenerate",
			Question: func(prompt string) any { return map[string]string{"prompt": prompt} },
			Wrong:    `{"prompt":1}`,
			Type:     lab.TypeJSON,
			End:      "\n[[\"e\",4,null,null,1]]\n",
		},
	}.Check(t)
}
