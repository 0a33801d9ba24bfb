package answerengine_test

import (
	"testing"

	"earshot/internal/provider/providertest"
)

func TestFidelity(t *testing.T) {
	t.Parallel()
	providertest.Fidelity(t, parse, "web_answerengine/*", "web_pages/*perplexity*", "api_answerengine/*")
}
