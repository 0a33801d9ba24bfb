// Package tool finds programs that tests run.
package tool

import (
	"os"
	"os/exec"
	"testing"
)

// Find returns the path of a program. The program is in PATH or in bin/, where make test puts
// it. Without the program, Find skips the test; in CI it fails the test.
func Find(tb testing.TB, name string) string {
	tb.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		path, err = exec.LookPath("../../bin/" + name)
	}
	if err != nil {
		if os.Getenv("CI") == "true" {
			tb.Fatal(err)
		}
		tb.Skip(err)
	}
	return path
}
