// Package tool finds programs that tests run.
package tool

import (
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"earshot/test/harness/program"
)

// Find returns the path of a program. The program is in PATH or in bin/, where make test puts
// it.
func Find(tb testing.TB, name string) string {
	tb.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		path, err = exec.LookPath("../../bin/" + name)
	}
	Need(tb, err)
	return path
}

// pythons are the results of Python by the packages, since an import takes as long as a test.
var pythons sync.Map

// Python returns a Python that has the packages: the one in PATH, or the one that Debian's
// packages belong to.
func Python(tb testing.TB, packages ...string) (path string) {
	tb.Helper()
	imports := "import " + strings.Join(packages, ", ")
	if found, ok := pythons.Load(imports); ok {
		path, _ = found.(string)
		return path
	}
	var err error
	for _, path = range []string{"python3", "/usr/bin/python3"} {
		if err = program.Command(tb, path, "-c", imports).Run(); err == nil {
			pythons.Store(imports, path)
			return path
		}
	}
	tb.Logf("no Python has the packages %s", strings.Join(packages, ", "))
	Need(tb, err)
	return ""
}

// Folder checks that a folder or file that make test fills exists, such as node_modules.
func Folder(tb testing.TB, path string) {
	tb.Helper()
	_, err := os.Stat(path)
	Need(tb, err)
}

// Need skips the test if something that it needs is missing; in CI it fails the test.
func Need(tb testing.TB, missing error) {
	tb.Helper()
	if missing == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		tb.Fatal(missing)
	}
	tb.Skipf("not installed, see scripts/test.sh: %v", missing)
}
