// Package parquettest reads Parquet files for tests, with a program that shares no code
// with package tablefile.
package parquettest

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"testing"
)

// Read returns the rows of a file, read with Node.js. root is the path of the module's
// root. Times are strings, and integers are exact up to 2^53.
func Read(t *testing.T, root, file string) (rows []map[string]any) {
	t.Helper()
	_, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat(root + "/internal/api/dashboard/web/node_modules/hyparquet")
	}
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("Node or hyparquet is not installed: scripts/with-node-modules.sh internal/api/dashboard/web true")
	}
	command := exec.CommandContext(t.Context(), "node", root+"/internal/files/tablefile/parquettest/read.mjs", file)
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
		var row map[string]any
		if err := decoder.Decode(&row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}
