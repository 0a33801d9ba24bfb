package socialassistant_test

import (
	"testing"

	"go.uber.org/goleak"

	"earshot/internal/lab"
	"earshot/internal/provider/providertest"
	"earshot/internal/provider/socialassistant"
)

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
