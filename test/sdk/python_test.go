package sdk

import (
	"os"
	"path/filepath"
	"testing"

	"earshot/internal/account"
	"earshot/test/harness"
	"earshot/test/harness/program"
	"earshot/test/harness/tool"
)

// TestPython builds the Python client as it is published, checks the wheel and the client's
// tests with mypy, and runs the tests and the examples of the README with the wheel against a
// running service.
func TestPython(t *testing.T) {
	t.Parallel()
	python := tool.Python(t, "build", "httpx", "mypy", "pandas", "setuptools", "wheel")
	tool.Folder(t, "../../sdk/python/src/earshot/types.py")
	source, wheel := filepath.Join(t.TempDir(), "python"), t.TempDir()
	// The build writes into its source folder.
	if err := os.CopyFS(source, os.DirFS("../../sdk/python")); err != nil {
		t.Fatal(err)
	}
	run := func(dir string, env []string, args ...string) {
		t.Helper()
		command := program.Command(t, python, args...)
		command.Dir, command.Env = dir, append(os.Environ(), env...)
		if text, err := command.CombinedOutput(); err != nil {
			t.Fatalf("python3 %q: %v\n%s", args, err, text)
		}
	}
	run(source, nil, "-m", "build", "--no-isolation", "--outdir", "dist")
	built, err := filepath.Glob(filepath.Join(source, "dist", "earshot-*.whl"))
	if err != nil || len(built) != 1 {
		t.Fatalf("the wheels are %q, %v", built, err)
	}
	run(source, nil, "-m", "zipfile", "-e", built[0], wheel)

	tests := filepath.Join(source, "tests")
	env := []string{"PYTHONPATH=" + wheel, "PYTHONDONTWRITEBYTECODE=1", "MYPYPATH=" + wheel}
	cache, err := filepath.Abs("../../bin/test/mypy") // of the packages that the client uses
	if err != nil {
		t.Fatal(err)
	}
	run(tests, env, "-m", "mypy", "--config-file", "../pyproject.toml", "--cache-dir", cache, filepath.Join(wheel, "earshot"), ".")

	n := harness.Start(t, harness.LocalWebhooks)
	a := n.Organization(t, "many", 100_000, append(account.DefaultScopes(), account.ScopeAdmin)...)
	env = append(env, "EARSHOT_URL="+n.BaseURL, "EARSHOT_API_KEY="+a.Key.Text, "EARSHOT_WEBHOOK_SECRET="+a.WebhookSecret)
	run(tests, env, "-m", "unittest", "discover")
}
