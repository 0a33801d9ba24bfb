package docs

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// constants reads the values of a type's constants out of a file.
func constants(t *testing.T, file, kind string) map[string]string {
	t.Helper()
	values := map[string]string{}
	for _, match := range regexp.MustCompile(`(?m)^\t(\w+)\s+`+kind+`\s+= "(\w+)"`).FindAllStringSubmatch(read(t, file), -1) {
		values[match[1]] = match[2]
	}
	return values
}

// statuses reads the table of statuses, which belongs to package api alone.
func statuses(t *testing.T) map[string]string {
	t.Helper()
	numbers := map[string]int{"statusClientGone": 499}
	for status := 100; status < 600; status++ {
		numbers["http.Status"+strings.ReplaceAll(http.StatusText(status), " ", "")] = status
	}
	codes := constants(t, "error.go", "Code")
	table := map[string]string{}
	for _, match := range regexp.MustCompile(`(?m)^\tearshot\.(\w+):\s+([\w.]+),`).FindAllStringSubmatch(read(t, "internal/api/errors.go"), -1) {
		table[codes[match[1]]] = fmt.Sprint(numbers[match[2]])
	}
	if len(table) != len(codes) || len(codes) == 0 {
		t.Fatalf("the tables of errors were not understood: %d codes, %d with a status", len(codes), len(table))
	}
	return table
}

func TestTheErrorTableIsThatOfTheCode(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	for _, row := range pages(t, "docs/api-guide.md")[0].table(t, "Code") {
		got[row[0]] = row[1][:min(3, len(row[1]))]
	}
	if want := statuses(t); !maps.Equal(got, want) {
		t.Errorf("the page says %v, the code %v", got, want)
	}
}

func TestTheReasonsAreThoseOfTheCode(t *testing.T) {
	t.Parallel()
	got, want := map[string]bool{}, map[string]bool{}
	for _, row := range pages(t, "docs/api-guide.md")[0].table(t, "Reason") {
		got[row[0]] = true
	}
	for _, value := range constants(t, "error.go", "Reason") {
		want[value] = true
	}
	if !maps.Equal(got, want) {
		t.Errorf("the page says %v, the code %v", got, want)
	}
}

func TestThePagesSayHowMuchANodeTakes(t *testing.T) {
	t.Parallel()
	server := read(t, "internal/api/server.go")
	for field, what := range map[string]string{"CallsInFlight": "calls", "RequestsInFlight": "other requests"} {
		match := regexp.MustCompile(`cfg\.` + field + ` = (\d+)(\d{3})\n`).FindStringSubmatch(server)
		if match == nil {
			t.Fatalf("the default of %s was not understood", field)
		}
		for _, page := range []string{"docs/security.md", "docs/monitoring.md"} {
			if want := match[1] + "," + match[2] + " " + what; !strings.Contains(read(t, page), want) {
				t.Errorf("%s does not say that a node takes %s", page, want)
			}
		}
	}
}
