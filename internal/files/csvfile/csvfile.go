// Package csvfile writes tables for spreadsheets.
package csvfile

import (
	"bytes"
	"encoding/csv"
	"strings"
)

// Row returns a line of a table (RFC 4180). It puts an apostrophe before a cell that a
// spreadsheet would read as a formula, because text from third parties must not run code
// on the reader's machine. Line breaks within a cell are kept.
func Row(cells ...string) []byte {
	guarded := make([]string, len(cells))
	for i, cell := range cells {
		if guarded[i] = cell; cell != "" && strings.ContainsRune("=+-@\t\r\n", rune(cell[0])) {
			guarded[i] = "'" + cell
		}
	}
	var line bytes.Buffer
	w := csv.NewWriter(&line)
	_ = w.Write(guarded) // writing to a buffer cannot fail
	w.Flush()
	return append(bytes.TrimSuffix(line.Bytes(), []byte("\n")), "\r\n"...)
}
