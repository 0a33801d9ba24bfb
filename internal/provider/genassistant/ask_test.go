package genassistant_test

import (
	"testing"

	"go.uber.org/goleak"

	"earshot/internal/provider/genassistant"
	"earshot/internal/provider/providertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestChat(t *testing.T) {
	t.Parallel()
	providertest.Chat(t, genassistant.New())
}

func TestDefinition(t *testing.T) {
	t.Parallel()
	about := genassistant.New().Definition()
	if about.Name != "genassistant" || about.TaskType != "GENASSISTANT" || about.Prices["base"] != 4 {
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
		Done:     `infinite-scroller model-response message-actions [data-test-id="copy-button"]`,
		Complete: true,
	}.Check(t)
}
