package answers_test

import (
	"slices"
	"testing"

	"earshot/internal/track/answers"
)

func TestNamesIn(t *testing.T) {
	t.Parallel()
	for result, want := range map[string][]string{
		`{"markdown":"- **Kestrin Pro** – light\n- **Velde**: cheap\n- Ollaro Summit","entities":[{"name":"Ollaro","type":"brand"},{"name":"Kestrin","type":"brand"}]}`: {"Ollaro", "Kestrin", "Velde"},
		`{"text":"no names"}`: nil,
		`[]`:                  nil,
	} {
		if names, err := answers.NamesIn([]byte(result), "best shoes"); err != nil || !slices.Equal(names, want) {
			t.Errorf("%s: %q, %v, want %q", result, names, err, want)
		}
	}
}
