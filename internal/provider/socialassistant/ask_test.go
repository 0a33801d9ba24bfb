package socialassistant_test

import (
	"testing"

	"go.uber.org/goleak"

	"earshot/internal/provider/providertest"
	"earshot/internal/provider/socialassistant"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestChat(t *testing.T) {
	t.Parallel()
	providertest.Chat(t, socialassistant.New())
}
