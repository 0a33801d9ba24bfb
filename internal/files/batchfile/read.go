// Package batchfile reads files of questions and derives the idempotency keys of
// their rows, for the command line and for the API's preview of a file. Both derive the
// same keys, so a file that is sent twice is paid only once.
//
//	read.go     reads a file into rows: a table with a header, one JSON object per line, or one prompt per line
//	question.go converts a row into a request
//	key.go      derives the idempotency key of a request
package batchfile

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// Row is one row of a file.
type Row struct {
	Line   int
	Fields map[string]any // by name; dotted names are converted to nested objects
}

// Problem is a row that cannot be read.
type Problem struct {
	Line   int
	Reason string
}

// maxLine is the maximum length of a line of JSON. The service accepts 1 MiB.
const maxLine = 2 << 20

// The formats of a file.
const (
	FormatTable   = "table"
	FormatObjects = "ndjson"
	FormatLines   = "lines"
)

// Read reads a file of the format. If format is empty, Read detects it: a text that begins
// with a brace has JSON objects; a text whose first line has a column prompt, query or url
// is a table; any other text is a list of prompts, which may be quoted as in a table.
func Read(text, format string) (rows []Row, bad []Problem, err error) {
	switch {
	case format == FormatLines:
		return readLines(text), nil, nil
	case format == FormatObjects, format == "" && strings.HasPrefix(trim(text), "{"):
		return ReadObjects(strings.NewReader(text))
	case format == FormatTable, namesQuestion(text):
		return ReadTable(strings.NewReader(text))
	default:
		return readList(text)
	}
}

// readLines reads one prompt per line, without interpreting quotes.
func readLines(text string) (rows []Row) {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	for i, line := range strings.Split(text, "\n") {
		if prompt := trim(line); prompt != "" {
			rows = append(rows, Row{i + 1, map[string]any{"prompt": prompt}})
		}
	}
	return rows
}

// namesQuestion reports whether the first line is the header of a table.
func namesQuestion(text string) bool {
	in := skipMark(strings.NewReader(text))
	table := csv.NewReader(in)
	table.Comma = separator(in)
	table.LazyQuotes = true
	header, _ := table.Read() // a line that cannot be parsed is not a header
	return slices.ContainsFunc(header, func(name string) bool {
		return slices.Contains([]string{"prompt", "query", "url"}, strings.ToLower(trim(name)))
	})
}

// readList reads a table of one column without a header.
func readList(text string) (rows []Row, bad []Problem, err error) {
	table := csv.NewReader(skipMark(strings.NewReader(text)))
	table.Comma = '\x1f' // prompts may contain commas
	table.FieldsPerRecord = -1
	table.LazyQuotes = true
	for {
		cells, err := table.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil, nil
		}
		if err != nil {
			return nil, nil, err
		}
		line, _ := table.FieldPos(0)
		if prompt := trim(strings.Join(cells, " ")); prompt != "" {
			rows = append(rows, Row{line, map[string]any{"prompt": prompt}})
		}
	}
}

// ReadTable reads a table with a header. The separator is the comma, semicolon or tab that
// is most frequent in the header, since spreadsheets differ by country. Invalid rows are
// returned in bad; an error means that the rest of the file cannot be read.
func ReadTable(from io.Reader) (rows []Row, bad []Problem, err error) {
	in := skipMark(from)
	table := csv.NewReader(in)
	table.Comma = separator(in)
	table.LazyQuotes = true // for cells such as 5" pipe
	header, err := table.Read()
	if errors.Is(err, io.EOF) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for i, name := range header {
		header[i] = knownName(trim(name))
	}
	for {
		cells, err := table.Read()
		if errors.Is(err, io.EOF) {
			return rows, bad, nil
		}
		if err != nil && !errors.Is(err, csv.ErrFieldCount) {
			return nil, nil, err
		}
		line, _ := table.FieldPos(0)
		if err != nil {
			bad = append(bad, Problem{line, fmt.Sprintf("the row has %d cells, but the header has %d", len(cells), len(header))})
			continue
		}
		fields, err := cellFields(header, cells)
		if err != nil {
			bad = append(bad, Problem{line, err.Error()})
			continue
		}
		if len(fields) > 0 {
			rows = append(rows, Row{line, fields})
		}
	}
}

// skipMark skips the byte order mark that spreadsheets write.
func skipMark(from io.Reader) *bufio.Reader {
	in := bufio.NewReader(from)
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" {
		_, _ = in.Discard(len(mark))
	}
	return in
}

func separator(in *bufio.Reader) rune {
	start, _ := in.Peek(in.Size()) // fails if the file is shorter, but returns its content
	header, _, _ := bytes.Cut(start, []byte("\n"))
	counts, quoted := map[rune]int{}, false
	for _, r := range string(header) {
		if r == '"' {
			quoted = !quoted
		}
		if !quoted {
			counts[r]++
		}
	}
	best := ','
	for _, r := range ";\t" {
		if counts[r] > counts[best] {
			best = r
		}
	}
	return best
}

// trim removes white space and byte order marks around the text.
func trim(text string) string {
	return strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' })
}

// knownName corrects the letter case of known column names.
func knownName(name string) string {
	for _, known := range []string{"prompt", "query", "country", "provider", "taskType", "priority", "include", "webhook", "idempotencyKey"} {
		if strings.EqualFold(name, known) {
			return known
		}
	}
	return name
}

func cellFields(header, cells []string) (map[string]any, error) {
	fields := map[string]any{}
	for i, cell := range cells {
		cell = trim(cell)
		if cell == "" || header[i] == "" {
			continue
		}
		var err error
		if value := FieldValue(header[i], cell); header[i] == "include" && value == any(cell) {
			Include(fields, strings.FieldsFunc(cell, func(r rune) bool { return strings.ContainsRune(",; ", r) })...)
		} else {
			err = SetField(fields, header[i], value)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", header[i], err)
		}
	}
	return fields, nil
}

// ReadObjects reads one JSON object per line. Its results are like ReadTable's. Names may
// have dots, as in a table, unless the object has a payload.
func ReadObjects(from io.Reader) (rows []Row, bad []Problem, err error) {
	lines := bufio.NewScanner(skipMark(from))
	lines.Buffer(nil, maxLine)
	number := 0
	for lines.Scan() {
		number++
		text := bytes.TrimSpace(lines.Bytes())
		if len(text) == 0 {
			continue
		}
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		var object map[string]any
		if err := decoder.Decode(&object); err != nil || object == nil || decoder.More() {
			bad = append(bad, Problem{number, "the line is not a JSON object"})
			continue
		}
		fields, err := undotted(object)
		if err != nil {
			bad = append(bad, Problem{number, err.Error()})
			continue
		}
		rows = append(rows, Row{number, fields})
	}
	if err := lines.Err(); err != nil {
		return nil, nil, fmt.Errorf("line %d: %w", number+1, err)
	}
	return rows, bad, nil
}

// undotted converts fields with dotted names to nested objects.
func undotted(object map[string]any) (map[string]any, error) {
	if _, has := object["payload"]; has {
		return object, nil
	}
	fields := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if err := SetField(fields, name, object[name]); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return fields, nil
}

// Include adds optional parts of the result to the request. The parts are sorted, so that
// a part is added before its own parts.
func Include(request map[string]any, parts ...string) {
	for _, part := range slices.Sorted(slices.Values(parts)) {
		var value any = true
		if part == "searchoverview" {
			value = map[string]any{} // has its own parts
		}
		// If the part above is already set to true, there is nothing to add.
		_ = SetField(request, "include."+part, value)
	}
}

// maxDots is the maximum number of dots in a name. Otherwise a header could make each row
// use very much memory.
const maxDots = 8

// SetField sets a field by its name. A dotted name sets a field of a nested object.
func SetField(request map[string]any, name string, value any) error {
	if strings.Count(name, ".") > maxDots {
		return fmt.Errorf("a name may have at most %d dots", maxDots)
	}
	names := strings.Split(name, ".")
	object := request
	for _, outer := range names[:len(names)-1] {
		if object[outer] == nil {
			object[outer] = map[string]any{}
		}
		inner, ok := object[outer].(map[string]any)
		if !ok {
			return fmt.Errorf("%s is not an object", outer)
		}
		object = inner
	}
	object[names[len(names)-1]] = value
	return nil
}

// texts are the fields whose values are always strings, even if they look like numbers.
var texts = []string{
	"prompt", "query", "url", "location", "country", "gl", "hl", "uule", "state", "device", "provider", "taskType", "webhook", "idempotencyKey",
}

// FieldValue parses the text of a flag or a cell. The fields in texts are strings. For
// other fields, true and false are booleans in any letter case; so are yes, no, 1 and 0
// in fields below include. Any other text is parsed as JSON, or is a string if it is not
// valid JSON.
func FieldValue(field, text string) any {
	if slices.Contains(texts, field) {
		return text
	}
	lower := strings.ToLower(text)
	flag := strings.HasPrefix(field, "include.")
	switch {
	case lower == "true" || flag && (lower == "yes" || lower == "1"):
		return true
	case lower == "false" || flag && (lower == "no" || lower == "0"):
		return false
	}
	var value any
	if json.Unmarshal([]byte(text), &value) != nil {
		return text
	}
	return value
}
