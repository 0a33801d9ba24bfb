package mcp

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// view is a result: lines of text, then tables.
type view struct {
	data   any // the result for the format json
	head   []string
	tables []table
	tail   []string
	paged  bool // the caller cannot get the rest of a table by offset or cursor unless it is true
}

// table is a list of objects, decoded from JSON.
type table struct {
	title   string
	rows    []any
	columns string // the paths of its columns, as path or name=path
	offset  int    // how many rows are before the first
	total   int    // how many rows there are; 0 if it is not known
	more    bool   // whether there are rows after the last
	cursor  string // of the next page; "" for a list with offsets
}

// maxCell limits the length of a cell. Texts of answers are longer, but are not in tables.
const maxCell = 160

// madeUp precedes results of the lab, so that a model does not mistake them for real ones.
const madeUp = "Made up: the built-in lab wrote these answers for testing. Nothing in them is real."

// write returns the result in at most limit bytes.
func (v *view) write(limit int) string {
	var b strings.Builder
	const footer = 300 // bytes that remain for what a table says about its end
	tail := strings.Join(v.tail, "\n")
	room := func() int { return max(0, limit-b.Len()-len(tail)-footer) }
	for _, line := range v.head {
		b.WriteString(cut(line, room()) + "\n")
	}
	for i := range v.tables {
		t := &v.tables[i]
		if b.Len() > 0 && t.title != "" {
			b.WriteString("\n")
		}
		t.write(&b, room(), v.paged)
	}
	b.WriteString(tail)
	return strings.TrimRight(b.String(), "\n")
}

// cut returns the beginning of a text, and how much is missing.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	kept := text[:most]
	for !utf8.ValidString(kept) && len(kept) > 0 && len(text) > 0 && !utf8.RuneStart(text[len(kept)]) {
		kept = kept[:len(kept)-1]
	}
	return fmt.Sprintf("%s…\n[%d of %d bytes are left out: set maxKB to %d]", kept, len(text)-len(kept), len(text), len(text)>>10+2)
}

// write adds the rows that fit into room bytes.
func (t *table) write(b *strings.Builder, room int, paged bool) {
	if t.title != "" {
		b.WriteString(t.title + "\n")
	}
	if len(t.rows) == 0 {
		b.WriteString("No rows.\n")
		t.end(b, 0, paged)
		return
	}
	names, cells := t.cells()
	names, cells, shared := common(names, cells)
	if len(shared) > 0 {
		b.WriteString("All rows: " + strings.Join(shared, ", ") + "\n")
	}
	b.WriteString(strings.Join(names, "\t") + "\n")
	shown := 0
	for _, row := range cells {
		line := strings.TrimRight(strings.Join(row, "\t"), "\t") + "\n"
		if room -= len(line); room < 0 {
			break
		}
		b.WriteString(line)
		shown++
	}
	t.end(b, shown, paged)
}

// end says which rows are shown, and how to get the others.
func (t *table) end(b *strings.Builder, shown int, paged bool) {
	last := t.offset + shown
	whole := shown == len(t.rows)
	switch {
	case whole && !t.more && t.cursor == "" && last >= t.total:
		return
	case !paged:
		fmt.Fprintf(b, "[%d of %d rows: set maxKB to see more]\n", shown, max(t.total, len(t.rows)))
	case t.cursor != "" && whole:
		fmt.Fprintf(b, "[more: cursor=%s]\n", t.cursor)
	case t.cursor != "":
		fmt.Fprintf(b, "[%d of the %d rows of this page: set limit to %d and use the cursor that follows, or set maxKB]\n", shown, len(t.rows), max(1, shown))
	case t.total > 0:
		fmt.Fprintf(b, "[rows %d to %d of %d; more: offset=%d, or a filter]\n", t.offset+1, last, t.total, last)
	default:
		fmt.Fprintf(b, "[rows %d to %d; more: offset=%d, or a filter]\n", t.offset+1, last, last)
	}
}

// cells returns the names of the columns that have any value except false, and the rows.
func (t *table) cells() (names []string, rows [][]string) {
	rows = make([][]string, len(t.rows))
	for _, column := range strings.Fields(t.columns) {
		name, path, named := strings.Cut(column, "=")
		if !named {
			path = name
		}
		column, any := make([]string, len(t.rows)), false
		for i, row := range t.rows {
			column[i] = cell(at(row, path))
			any = any || column[i] != "" && column[i] != "false"
		}
		if !any {
			continue
		}
		names = append(names, name)
		for i := range rows {
			rows[i] = append(rows[i], column[i])
		}
	}
	return names, rows
}

// common separates the columns in which all of several rows have the same value.
func common(names []string, rows [][]string) (left []string, short [][]string, shared []string) {
	short = make([][]string, len(rows))
	for c, name := range names {
		same := len(rows) > 1 && !slices.ContainsFunc(rows, func(row []string) bool { return row[c] != rows[0][c] })
		if same {
			shared = append(shared, name+" "+rows[0][c])
			continue
		}
		left = append(left, name)
		for i := range rows {
			short[i] = append(short[i], rows[i][c])
		}
	}
	if len(left) == 0 { // the rows are equal
		return names, rows, nil
	}
	return left, short, shared
}

// at returns the value at a path such as interval.rerun or examples.0.sentence. In a list, a name stands for
// the values of all elements.
func at(value any, path string) any {
	for path != "" && value != nil {
		name, rest, _ := strings.Cut(path, ".")
		switch from := value.(type) {
		case map[string]any:
			value, path = from[name], rest
		case []any:
			if i, err := strconv.Atoi(name); err == nil {
				value, path = nil, rest
				if i < len(from) {
					value = from[i]
				}
				continue
			}
			var all []any
			for _, element := range from {
				all = append(all, at(element, path))
			}
			return all
		default:
			return nil
		}
	}
	return value
}

// moment matches a timestamp of the API.
var moment = regexp.MustCompile(`^(\d{4}-\d\d-\d\dT\d\d:\d\d):\d\d\.\d{3}Z$`)

// cell returns a value as a short text without tabs and line breaks.
func cell(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case json.Number:
		return number(value)
	case []any:
		var all []string
		for _, element := range value {
			all = append(all, cell(element))
		}
		return clip(strings.Join(all, ", "))
	case string:
		return clip(oneLine(moment.ReplaceAllString(value, "${1}Z")))
	default:
		return fmt.Sprint(value)
	}
}

// number returns a number with four digits if it is not an integer.
func number(n json.Number) string {
	f, err := n.Float64()
	if err != nil || !strings.ContainsAny(n.String(), ".eE") {
		return n.String()
	}
	return strconv.FormatFloat(f, 'g', 4, 64)
}

// clip shortens the text of a cell.
func clip(text string) string {
	if utf8.RuneCountInString(text) <= maxCell {
		return text
	}
	return string([]rune(text)[:maxCell-1]) + "…"
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// generic returns a value as if it had been decoded from JSON.
func generic(value any) (decoded any) {
	text, _ := json.Marshal(value) // cannot fail for types of the API
	_ = read(text, &decoded)
	return decoded
}

// listOf returns a list of the values as if they had been decoded from JSON.
func listOf[T any](values []T) []any {
	list, _ := generic(values).([]any)
	return list
}
