package providertest

import (
	"errors"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/schema"
)

// Refuses wants the request body to be refused for these problems and no
// others, each "field: message" or the beginning of that, in their order.
func Refuses(tb testing.TB, p provider.Provider, body string, want []string) {
	tb.Helper()
	in, err := schema.Parse([]byte(body))
	if err != nil {
		tb.Fatal(err)
	}
	p.Decode(in)
	var invalid *earshot.Error
	if !errors.As(in.Err(), &invalid) || invalid.Code != earshot.CodeValidation {
		tb.Fatalf("got %v, want a validation error", in.Err())
	}
	problems, _ := invalid.Details.([]earshot.FieldProblem)
	if len(problems) != len(want) {
		tb.Fatalf("got %d problems, want %d: %v", len(problems), len(want), problems)
	}
	for i, problem := range problems {
		if line := problem.Field + ": " + problem.Message; !strings.HasPrefix(line, want[i]) {
			tb.Errorf("problem %d is %q, want %q", i, line, want[i])
		}
	}
}
