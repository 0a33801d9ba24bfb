// Package n8n runs the tests of the n8n nodes in integrations/n8n against a real server. It
// contains only tests.
package n8n

import (
	"os"
	"path/filepath"
	"testing"

	"earshot/test/harness"
	"earshot/test/harness/program"
	"earshot/test/harness/tool"
)

// source is the folder of the npm package.
const source = "../../integrations/n8n"

func TestNodes(t *testing.T) {
	t.Parallel()
	dir := build(t)
	n := harness.Start(t, harness.LocalWebhooks, harness.AllNamed(t))
	a := n.Organization(t, "many", 1000)
	run(t, dir, []string{
		"EARSHOT_URL=" + n.BaseURL, "EARSHOT_API_KEY=" + n.Admin(t, a).Key.Text, "EARSHOT_WEBHOOK_SECRET=" + a.WebhookSecret,
	}, "node", "--test", "dist/test/nodes.test.js")
}

// build compiles a copy of the package, so that a test writes nothing into the source and
// runs again when the source has changed.
func build(t *testing.T) (dir string) {
	t.Helper()
	modules, err := filepath.Abs(filepath.Join(source, "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	tool.Folder(t, modules)
	tool.Folder(t, filepath.Join(source, "nodes", "Earshot", "api.gen.ts"))
	dir = t.TempDir()
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"credentials", "nodes", "test"} {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join(source, name))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"package.json", "tsconfig.json", "README.md"} {
		text, err := os.ReadFile(filepath.Join(source, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run(t, dir, nil, "npm", "run", "build")
	return dir
}

func run(t *testing.T, dir string, env []string, name string, args ...string) {
	t.Helper()
	command := program.Command(t, name, args...)
	command.Dir, command.Env = dir, append(os.Environ(), env...)
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, output)
	}
}
