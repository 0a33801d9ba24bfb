package sdk

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"earshot/internal/account"
	"earshot/internal/app"
	"earshot/test/harness"
	"earshot/test/harness/program"
	"earshot/test/harness/tool"
)

// TestTypeScript packs the client as npm would publish it, installs the package, compiles
// the client's tests and the examples of its README against the package's types, and runs
// them against a running service.
func TestTypeScript(t *testing.T) {
	t.Parallel()
	source, err := filepath.Abs("../../sdk/typescript")
	if err != nil {
		t.Fatal(err)
	}
	tools := filepath.Join(source, "node_modules", ".bin")
	tool.Folder(t, tools)
	tool.Folder(t, filepath.Join(source, "src", "types.gen.ts"))
	s := script{t: t, dir: t.TempDir()}
	s.run("../../scripts/pack-typescript.sh", s.dir)
	packages, err := filepath.Glob(filepath.Join(s.dir, "earshot-*.tgz"))
	if err != nil || len(packages) != 1 {
		t.Fatalf("the packages are %q, %v", packages, err)
	}
	s.run(filepath.Join(tools, "publint"), "run", "--strict", packages[0])

	s.write("package.json", `{"private": true, "type": "module"}`)
	if err := os.CopyFS(filepath.Join(s.dir, "test"), os.DirFS(filepath.Join(source, "test"))); err != nil {
		t.Fatal(err)
	}
	examples := s.examples(filepath.Join(source, "README.md"))
	s.run("npm", "install", "--prefix", s.dir, "--offline", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", packages[0])
	if err := os.Symlink(filepath.Join(source, "node_modules", "@types"), filepath.Join(s.dir, "node_modules", "@types")); err != nil {
		t.Fatal(err)
	}
	s.run(filepath.Join(tools, "tsc"), "--project", filepath.Join(s.dir, "test"))

	n := harness.Start(t, harness.LocalWebhooks)
	a := n.Organization(t, "many", 100_000, append(account.DefaultScopes(), account.ScopeAdmin)...)
	s.env = environment(n, a)
	tests, err := filepath.Glob(filepath.Join(s.dir, "out", "test", "*.test.js"))
	if err != nil || len(tests) == 0 {
		t.Fatalf("the tests are %q, %v", tests, err)
	}
	// Node.js 18 has no global crypto without this option; later versions ignore it.
	const crypto = "--experimental-global-webcrypto"
	s.run("node", append([]string{crypto, "--test"}, tests...)...)
	for _, name := range examples {
		if s.run("node", crypto, filepath.Join(s.dir, "out", "readme", name+".js")) == "" {
			t.Errorf("%s of the README prints nothing", name)
		}
	}
}

// script runs programs in a folder.
type script struct {
	t   *testing.T
	dir string
	env []string
}

// run runs a program and returns its output. It fails the test if the program fails.
func (s script) run(name string, args ...string) string {
	s.t.Helper()
	command := program.Command(s.t, name, args...)
	command.Env = append(os.Environ(), s.env...)
	text, err := command.CombinedOutput()
	if err != nil {
		s.t.Fatalf("%s %q: %v\n%s", name, args, err, text)
	}
	return string(text)
}

func (s script) write(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

var scriptBlock = regexp.MustCompile("(?s)\n```ts\n(.*?\n)```\n")

// examples writes each TypeScript block of a README to a file, and returns the files' names.
func (s script) examples(readme string) (names []string) {
	s.t.Helper()
	text, err := os.ReadFile(readme)
	if err != nil {
		s.t.Fatal(err)
	}
	for i, block := range scriptBlock.FindAllStringSubmatch(string(text), -1) {
		name := fmt.Sprintf("example-%d", i+1)
		s.write(filepath.Join("readme", name+".ts"), block[1])
		names = append(names, name)
	}
	if names == nil {
		s.t.Fatal("the README has no examples")
	}
	return names
}

// environment returns the environment variables of a program that uses the account.
func environment(n *harness.Node, a *app.Account) []string {
	return []string{"EARSHOT_URL=" + n.BaseURL, "EARSHOT_API_KEY=" + a.Key.Text, "EARSHOT_WEBHOOK_SECRET=" + a.WebhookSecret}
}
