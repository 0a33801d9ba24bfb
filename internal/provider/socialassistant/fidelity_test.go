package socialassistant_test

import (
	"testing"

	"earshot/internal/provider/providertest"
)

func TestFidelity(t *testing.T) {
	t.Parallel()
	providertest.Fidelity(t, parse, "web_socialassistant/*", "web_pages/*grok*", "api_socialassistant/*")
}
