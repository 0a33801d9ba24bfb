package geo_test

import (
	"testing"

	"earshot/internal/geo"
)

func TestDecodeLocation(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Austin,Texas,United States", "Köln,Deutschland", "X"} {
		if got := geo.DecodeLocation(geo.EncodeLocation(name)); got != name {
			t.Errorf("DecodeLocation returned %q for %q", got, name)
		}
	}
	for _, token := range []string{"", "w+", "w+!", "a+cm9sZTo", "w+CAIQIA=="} {
		if got := geo.DecodeLocation(token); got != "" {
			t.Errorf("DecodeLocation(%q) returned %q", token, got)
		}
	}
}
