package markup

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot/internal/provider/webtext"
)

// table writes a table. It writes only the content of the cells if a cell has more than one line,
// or if padding the columns would exceed the size of any answer.
func (w *markdownWriter) table(n *html.Node) {
	w.edge()
	rows := w.rows(n)
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 1)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	line := 0
	for _, width := range widths {
		line += width + len(" | ")
	}
	if rows == nil || len(rows)*line > webtext.MaxText {
		w.block(n)
		return
	}
	w.blankLine()
	for i, row := range rows {
		w.row(row, widths, " ")
		if i == 0 {
			w.row(nil, widths, "-")
		}
	}
	if caption := Any(n, is(atom.Caption)); caption != nil {
		w.write("\n")
		w.inline(caption)
	}
	w.edge()
	w.blankLine()
}

// row writes one row with each cell padded to the width of its column.
func (w *markdownWriter) row(cells []string, widths []int, filling string) {
	w.write("|")
	for i, width := range widths {
		w.write(filling)
		if i < len(cells) {
			w.write(cells[i])
			width -= utf8.RuneCountInString(cells[i])
		}
		w.write(strings.Repeat(filling, width+1), "|")
	}
	w.write("\n")
}

// rows returns the cells of a table, with the heading row first. It returns nil if the table cannot
// be written as a Markdown table.
func (w *markdownWriter) rows(table *html.Node) [][]string {
	if Attr(table, "role") == "presentation" || w.in != 0 || Any(table, isNoCell) != nil {
		return nil
	}
	heading := headingRow(table)
	rows := [][]string{nil}
	for _, row := range All(table, is(atom.Tr)) {
		var cells []string
		for _, cell := range All(row, func(n *html.Node) bool { return n.DataAtom == atom.Td || n.DataAtom == atom.Th }) {
			text := strings.TrimSpace(w.taken(0, cell))
			if strings.Contains(text, "\n") {
				return nil
			}
			cells = append(cells, text)
		}
		if row == heading {
			rows[0] = cells
		} else {
			rows = append(rows, cells)
		}
	}
	return rows
}

// isNoCell reports whether the element cannot be part of a table cell in Markdown.
func isNoCell(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Table, atom.Hr, atom.Ul, atom.Ol, atom.Blockquote:
		return true
	default:
		return isHeading(n)
	}
}

// headingRow returns the row with the names of the columns, or nil.
func headingRow(table *html.Node) *html.Node {
	if head := Any(table, is(atom.Thead)); head != nil {
		if row := Any(head, is(atom.Tr)); row != nil {
			return row
		}
	}
	if cell := Any(table, is(atom.Th)); cell != nil {
		return cell.Parent
	}
	return nil
}

func is(kind atom.Atom) func(*html.Node) bool {
	return func(n *html.Node) bool { return n.DataAtom == kind }
}
