package examples

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"earshot/test/harness"
)

// apiExamples are the folders of examples/api in an order in which they can run.
var apiExamples = []string{
	"ask", "search", "task", "errors", "cost", "apply", "sweep", "metrics", "compare", "answers", "sources", "names", "alerts", "report",
	"export", "webhook", "deliveries", "share",
}

// languages returns how a program of examples/api starts in each language.
func languages(name, typescript string) map[string][]string {
	path := root + "/examples/api/" + name + "/" + name
	return map[string][]string{
		"curl":       {"bash", "-euo", "pipefail", path + ".sh"},
		"Go":         {name},
		"Python":     {"python3", path + ".py"},
		"TypeScript": {"node", filepath.Join(typescript, name+".mjs")},
	}
}

func TestAPIExamplesPrintTheSame(t *testing.T) {
	t.Parallel()
	folders, err := filepath.Glob(root + "/examples/api/*")
	if err != nil || len(folders) != len(apiExamples) {
		t.Fatalf("there are %d examples, but %d are listed (%v)", len(folders), len(apiExamples), err)
	}
	newHistory(t)
	server.run(t, root, "earshot", "tracker", "demo", "--name", "board", "--days", "5", "--prompts", "1")
	received := make(chan bool, 20)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
		received <- true
	}))
	t.Cleanup(receiver.Close)
	admin := create(t, "key", "create", "--org", "default", "--scopes", "admin").Key
	receiving := server.with("HOOK_URL="+receiver.URL+"/hook", "ADMIN_KEY="+admin)
	for _, name := range apiExamples {
		if name == "deliveries" {
			harness.Next(t, "the webhook of the example before", received)
		}
		results := map[string]string{}
		for language, command := range languages(name, compile(t)) {
			t.Run(name+"/"+language, func(t *testing.T) {
				a := receiving
				if name == "task" { // an idempotency key is good for one task of an organization
					a = newAccount(t, "examples-"+language)
				}
				results[language] = a.result(t, name, command)
			})
		}
		for language, result := range results {
			if want, ok := results["curl"]; ok && (want == "" || result != want) {
				t.Errorf("%s prints with %s:\n%s\nbut with curl:\n%s", name, language, result, want)
			}
		}
	}
}

// result returns what a program prints, or writes into its file, without secrets in addresses
// and without the time of a report.
func (a account) result(t *testing.T, name string, command []string) string {
	t.Helper()
	dir := t.TempDir()
	if definition, err := os.ReadFile(root + "/examples/api/" + name + "/sport.yaml"); err == nil {
		if err := os.WriteFile(filepath.Join(dir, "sport.yaml"), definition, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	output := a.run(t, dir, command[0], command[1:]...)
	for _, file := range []string{"mentions.csv", "report.md"} {
		if written, err := os.ReadFile(filepath.Join(dir, file)); err == nil {
			output += string(written)
		}
	}
	return regexp.MustCompile(`ear_link_\w+|Created: .*`).ReplaceAllString(output, "…")
}

func TestTypeScriptExamplesHaveTheRightTypes(t *testing.T) {
	t.Parallel()
	server.run(t, root, root+"/sdk/typescript/node_modules/.bin/tsc", "--project", "examples")
}
