package cassette_test

import (
	"testing"

	"earshot/internal/cassette"
	"earshot/internal/provider/providertest"
)

// TestCaptures wants an answer from every captured cassette.
func TestCaptures(t *testing.T) {
	t.Parallel()
	for _, path := range providertest.Captures(t, "api_*/*.y*ml*") {
		found := false
		for _, e := range cassette.Bodies(providertest.Stored(t, path)) {
			found = found || e.Status >= 200 && len(e.Body) > 0
		}
		if !found {
			t.Errorf("%s: no exchange with an answer", path)
		}
	}
}
