package answerengine_test

import (
	"testing"

	"go.uber.org/goleak"

	"earshot/internal/provider/answerengine"
	"earshot/internal/provider/providertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestChat(t *testing.T) {
	t.Parallel()
	providertest.Chat(t, answerengine.New())
}
