package genassistant_test

import (
	"testing"

	"earshot/internal/provider/providertest"
)

func TestFidelity(t *testing.T) {
	t.Parallel()
	providertest.Fidelity(t, parse, "web_genassistant/*", "web_pages/*gemini*", "api_genassistant/*")
}
