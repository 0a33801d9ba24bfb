package officeassistant_test

import (
	"testing"

	"go.uber.org/goleak"

	"earshot/internal/provider/officeassistant"
	"earshot/internal/provider/providertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestChat(t *testing.T) {
	t.Parallel()
	providertest.Chat(t, officeassistant.New())
}

func TestDefinition(t *testing.T) {
	t.Parallel()
	about := officeassistant.New().Definition()
	if about.Name != "officeassistant" || about.TaskType != "OFFICEASSISTANT" || about.Prices["base"] != 5 {
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
		Done:     `[role="feed"] [data-testid="copy-ai-message-button"]`,
		Complete: true,
	}.Check(t)
}
