package module

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"earshot/test/harness/program"
)

// root is the module's folder.
const root = "../.."

// TestTheModuleCanBeRenamed also uses the client of the renamed module in another one.
func TestTheModuleCanBeRenamed(t *testing.T) {
	t.Parallel()
	const name = "example.com/you/earshot"
	folder := t.TempDir()
	copySources(t, folder)
	old := moduleOf(t, folder)
	run(t, folder, "make", "--silent", "module", "MODULE="+name)
	if got := moduleOf(t, folder); got != name {
		t.Fatalf("the module is %s", got)
	}
	checkImports(t, folder, old)
	for file, line := range map[string]string{
		"Makefile":        "MODULE := " + name,
		"test/dex/go.mod": "module " + name + "/test/dex", "test/arch/arch_test.go": `const module = "` + name + `"`,
	} {
		text, err := os.ReadFile(filepath.Join(folder, file))
		if err != nil || !strings.Contains(string(text), line+"\n") {
			t.Errorf("%s does not contain %q (%v)", file, line, err)
		}
	}
	build(t, name, folder)
}

// checkImports reports imports of a module in the folder's Go files.
func checkImports(t *testing.T, folder, module string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(file string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".go" {
			return err
		}
		source, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range source.Imports {
			if name := strings.Trim(i.Path.Value, `"`); name == module || strings.HasPrefix(name, module+"/") {
				t.Errorf("%s imports %s", file, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// source is a program that sends a request to a service that does not exist.
const source = `package main

import (
	"context"
	"fmt"

	"MODULE"
	"MODULE/client"
)

func main() {
	c := client.New("http://127.0.0.1:1", "ear_live_x", client.WithRetries(0))
	_, _, err := c.WebSearch(context.Background(), earshot.WebSearchRequest{Query: "shoes", Country: "DE"})
	fmt.Println(err)
}
`

// build runs a program in a module of its own that replaces the module name with a folder.
// It uses only dependencies that are already downloaded. With -trimpath, what is compiled does not
// depend on the folder and is cached.
func build(t *testing.T, name, folder string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(strings.ReplaceAll(source, "MODULE", name)), 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "go", "mod", "init", "example.org/program")
	run(t, dir, "go", "mod", "edit", "-require="+name+"@v0.0.0", "-replace="+name+"="+folder)
	if got := run(t, dir, "go", "run", "-trimpath", "."); !strings.Contains(got, "127.0.0.1:1") {
		t.Errorf("the program prints %q, not the address that it cannot reach", got)
	}
}

// run runs a command and returns its output.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	command := program.Command(t, name, args...)
	command.Dir = dir
	command.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOSUMDB=off", "GOWORK=off")
	text, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, text)
	}
	return string(text)
}

// moduleOf returns the path of the module in a folder.
func moduleOf(t *testing.T, folder string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimPrefix(first, "module ")
}

// copySources copies the files that contain the module's name.
func copySources(t *testing.T, folder string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == ".git"):
			return fs.SkipDir
		case !named.MatchString(name):
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return err
		}
		to := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return os.WriteFile(to, text, 0o755)
	})
	if err != nil {
		t.Fatal(err)
	}
}

var named = regexp.MustCompile(`\.go$|go\.(mod|sum)$|^Makefile$|^scripts/rename-module\.sh$`)
