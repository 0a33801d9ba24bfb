// Package csvfile writes tables for spreadsheets.
package csvfile

import (
	"bytes"
	"encoding/csv"
	"strings"
)

// Row is a line of a table (RFC 4180). A cell that a spreadsheet would take for a formula
// begins with an apostrophe: what others wrote must not compute, or call anybody, on the
// machine of who opens the file. The line breaks within a cell stay as they are.
func Row(cells ...string) []byte {
	guarded := make([]string, len(cells))
	for i, cell := range cells {
		if guarded[i] = cell; cell != "" && strings.ContainsRune("=+-@\t\r\n", rune(cell[0])) {
			guarded[i] = "'" + cell
		}
	}
	var line bytes.Buffer
	w := csv.NewWriter(&line)
	_ = w.Write(guarded) // memory takes all
	w.Flush()
	return append(bytes.TrimSuffix(line.Bytes(), []byte("\n")), "\r\n"...)
}
