package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"earshot/test/harness/program"
)

// notRun are the commands whose examples cannot be run here, and why.
var notRun = map[string]string{
	"earshot serve":  "it does not end",
	"earshot listen": "it does not end",
	"earshot mcp":    "it does not end",
	"earshot parse":  "it needs a document",
	"earshot check":  "it needs a vendor's key",

	"earshot user role":   "it needs a user",
	"earshot user remove": "it needs a user",
	"earshot user reset":  "it needs a user",
	"earshot user revoke": "it needs a session",

	"earshot migrate": "it needs an empty PostgreSQL",

	"earshot tracker metrics":  "it needs a tracker",
	"earshot tracker compare":  "it needs a tracker",
	"earshot tracker sources":  "it needs a tracker",
	"earshot tracker searches": "it needs a tracker",
	"earshot tracker products": "it needs a tracker",
	"earshot tracker ads":      "it needs a tracker",

	"earshot tracker discover": "it needs a tracker",
	"earshot tracker diff":     "it needs a tracker",
	"earshot tracker names":    "it needs a tracker",
}

// examplesOf returns the lines below "Examples:" in a help text.
func examplesOf(help string) []string {
	_, block, _ := strings.Cut(help, "\nExamples:\n")
	var lines []string
	for line := range strings.Lines(block) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// commands returns all commands by their full names.
func commands(t *testing.T) map[string]*kong.Node {
	t.Helper()
	parser, err := kong.New(&cli{}, kong.Name("earshot"), helpVars())
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]*kong.Node{}
	var walk func(*kong.Node, string)
	walk = func(node *kong.Node, path string) {
		found[path] = node
		for _, child := range node.Children {
			walk(child, path+" "+child.Name)
		}
	}
	walk(parser.Model.Node, "earshot")
	return found
}

func TestExamplesInHelpWork(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("jq"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("the examples use jq, which is not installed")
	}
	dir := t.TempDir()
	binary := program.Earshot(t)
	base, key := served(t, "--data", filepath.Join(dir, "data"))
	all := commands(t)
	for path, command := range all {
		if len(command.Children) == 0 && (!strings.Contains(command.Detail, "Exit status: 0 ") || len(examplesOf(command.Detail)) == 0) {
			t.Errorf("the help of %s has no exit status or no examples", path)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if notRun[path] != "" {
			continue
		}
		for _, example := range examplesOf(all[path].Detail) {
			command := program.Command(t, "bash", "-o", "pipefail", "-c", example)
			command.Dir = dir
			command.Env = append(withoutSettings(), "PATH="+filepath.Dir(binary)+":"+os.Getenv("PATH"), "EARSHOT_URL="+base, "EARSHOT_API_KEY="+key)
			if text, err := command.CombinedOutput(); err != nil {
				t.Errorf("an example of %s, %s: %v\n%s", path, example, err, text)
			}
		}
	}
}

// withoutSettings returns the environment without EARSHOT_ variables.
func withoutSettings() []string {
	return slices.DeleteFunc(os.Environ(), func(pair string) bool { return strings.HasPrefix(pair, "EARSHOT_") })
}
