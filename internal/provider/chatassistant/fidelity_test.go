package chatassistant_test

import (
	"testing"

	"earshot/internal/provider/providertest"
)

func TestFidelity(t *testing.T) {
	t.Parallel()
	providertest.Fidelity(t, parse, "web_pages/*chatgpt*", "web_chatassistant_*/*", "api_chatassistant/*")
}
