package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/itchyny/gojq"

	"earshot"
)

// output is the format in which a command prints a list, a report or an object. The tag
// set:"formats=table,json" is for commands that print an object.
type output struct {
	Format string `name:"output" short:"o" help:"The format: ${formats}." enum:"${formats}" default:"table" placeholder:"FORMAT"`
	JQ     string `name:"jq" help:"Print what this jq expression selects of the JSON, as 'jq -r -c' does. With --output ndjson, it reads each object." placeholder:"EXPRESSION"`
	JSON   bool   `name:"json" hidden:""` // the earlier name of --output json, and of ndjson for lists
	CSV    bool   `name:"csv" hidden:""`
}

// format returns the format to print. list is true if --json means one object per line.
func (o *output) format(list bool) string {
	switch {
	case o.JSON && list:
		return "ndjson"
	case o.CSV:
		return "csv"
	case o.JSON || o.JQ != "" && o.Format == "table":
		return "json"
	default:
		return o.Format
	}
}

// isTable reports whether the command prints text for people.
func (o *output) isTable() bool { return o.format(false) == "table" }

// object prints a value that is not a list, unless the format is a table. It reports
// whether it printed the value.
func (o *output) object(in *invocation, value any) (printed bool, err error) {
	if o.isTable() {
		return false, nil
	}
	return true, o.json(in, value)
}

// json prints a JSON document, or what --jq selects of it.
func (o *output) json(in *invocation, value any) error {
	if o.JQ != "" {
		return in.query(o.JQ, value)
	}
	return in.json(value)
}

// line prints a JSON document in one line, or what --jq selects of it.
func (o *output) line(in *invocation, value any) error {
	if o.JQ != "" {
		return in.query(o.JQ, value)
	}
	return json.NewEncoder(in.out).Encode(value)
}

// query prints the results of a jq expression, one per line. Strings are printed without quotes.
func (in *invocation) query(expression string, value any) error {
	parsed, err := gojq.Parse(expression)
	if err != nil {
		return fmt.Errorf("--jq: %w", err)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // a float64 would lose digits
	var document any
	if err := decoder.Decode(&document); err != nil {
		return err
	}
	results := parsed.RunWithContext(in, document)
	for result, more := results.Next(); more; result, more = results.Next() {
		if err, failed := result.(error); failed {
			if halt, ok := errors.AsType[*gojq.HaltError](err); ok && halt.Value() == nil {
				return nil
			}
			return fmt.Errorf("--jq: %w", err)
		}
		text, isString := result.(string)
		if !isString {
			encoded, err := gojq.Marshal(result)
			if err != nil {
				return fmt.Errorf("--jq: %w", err)
			}
			text = string(encoded)
		}
		if _, err := fmt.Fprintln(in.out, text); err != nil {
			return err
		}
	}
	return nil
}

// table is a list or a report: rows for people and for CSV, and its JSON.
type table struct {
	// head has the title of each column. A column TITLE=A/B has the title TITLE in a table, and
	// is the columns A and B in CSV.
	head   []string
	rows   [][]any
	items  []any  // the JSON of the rows
	report any    // the JSON of the whole report; nil for the list of the items
	none   string // the message for people if there are no rows
	madeUp bool   // the answers were made up by the lab
}

// tableOf returns a table with a row for each item. The titles in head are separated by |.
func tableOf[T any](head string, items []T, row func(*T) []any) *table {
	t := &table{head: strings.Split(head, "|"), items: itemsOf(items)}
	for i := range items {
		t.rows = append(t.rows, row(&items[i]))
	}
	return t
}

// itemsOf returns the JSON of the rows.
func itemsOf[T any](list []T) []any {
	items := make([]any, len(list))
	for i := range list {
		items[i] = list[i]
	}
	return items
}

// print prints a table in the chosen format.
func (o *output) print(in *invocation, t *table) error {
	switch o.format(t.report == nil) {
	case "json":
		if t.report == nil {
			return o.json(in, t.items)
		}
		return o.json(in, t.report)
	case "ndjson":
		for _, item := range t.items {
			if err := o.line(in, item); err != nil {
				return err
			}
		}
		return nil
	case "csv":
		if o.JQ != "" {
			return errors.New("--jq selects parts of JSON; it cannot be combined with --output csv")
		}
		return csv.NewWriter(in.out).WriteAll(t.csv())
	}
	if len(t.rows) == 0 {
		fmt.Fprintln(in.errOut, t.none)
		return nil
	}
	if t.madeUp {
		fmt.Fprintln(in.errOut, "warning: these answers were made up by the lab")
	}
	return printTable(in.out, t.text())
}

// text returns the cells for people.
func (t *table) text() [][]string {
	var titles []string
	for _, title := range t.head {
		title, _, _ = strings.Cut(title, "=")
		titles = append(titles, title)
	}
	all := [][]string{titles}
	for _, row := range t.rows {
		var cells []string
		for _, value := range row {
			text, _ := cellOf(value)
			cells = append(cells, text)
		}
		all = append(all, cells)
	}
	return all
}

// csv returns the cells for programs.
func (t *table) csv() [][]string {
	var titles []string
	widths := make([]int, len(t.head))
	for i, title := range t.head {
		if _, parts, split := strings.Cut(title, "="); split {
			title = parts
		}
		parts := strings.Split(title, "/")
		titles, widths[i] = append(titles, parts...), len(parts)
	}
	all := [][]string{titles}
	for _, row := range t.rows {
		var cells []string
		for i, value := range row {
			_, values := cellOf(value)
			cells = append(append(cells, values...), make([]string, widths[i]-len(values))...)
		}
		all = append(all, cells)
	}
	return all
}

// cell is a value with a text for people and values for CSV.
type cell struct {
	text   string
	values []any
}

// percent returns a share, which people read as a percentage. v may be nil.
func percent(v *float64) any { return amount(v, false) }

// amount returns a number or, unless it is plain, a share.
func amount(v *float64, isPlain bool) any {
	switch {
	case v == nil:
		return nil
	case isPlain:
		return *v
	default:
		return cell{fmt.Sprintf("%.1f%%", 100**v), []any{*v}}
	}
}

// ratio returns a number and what it is a part of.
func ratio[N int | float64](part, of N) any {
	return cell{plain(part) + "/" + plain(of), []any{part, of}}
}

// interval returns the ends of an interval of shares, or of plain numbers.
func interval(ends []float64, isPlain bool) any {
	if len(ends) != 2 {
		return nil
	}
	low, _ := cellOf(amount(&ends[0], isPlain))
	high, _ := cellOf(amount(&ends[1], isPlain))
	return cell{low + ".." + high, []any{ends[0], ends[1]}}
}

// brief returns a text that is shortened for people.
func brief(text string, columns int) any { return cell{shortened(text, columns), []any{text}} }

// optional returns the value of a pointer, or nil.
func optional[T any](v *T) any {
	if v == nil {
		return nil
	}
	return *v
}

// cellOf returns the text of a value for people, and its values in CSV: plain numbers, times in
// UTC, and texts that a spreadsheet does not read as formulas.
func cellOf(value any) (text string, values []string) {
	switch v := value.(type) {
	case nil:
		return "-", nil
	case cell:
		for _, part := range v.values {
			_, one := cellOf(part)
			values = append(values, strings.Join(one, ""))
		}
		return v.text, values
	case int:
		return thousands(int64(v)), []string{plain(v)}
	case int64:
		return thousands(v), []string{plain(v)}
	case float64:
		return plain(v), []string{plain(v)}
	case earshot.Timestamp:
		return v.Local().Format(time.DateTime), []string{v.UTC().Format(time.RFC3339)}
	case earshot.List[string]:
		return cellOf(strings.Join(v, ", "))
	default:
		text = oneLine(fmt.Sprint(v))
		return dashed(text), []string{harmless(text)}
	}
}

// plain returns a number without separators and exponents.
func plain(v any) string {
	if f, ok := v.(float64); ok {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

// harmless escapes a text that a spreadsheet would read as a formula.
func harmless(text string) string {
	if text != "" && strings.ContainsRune("=+-@", rune(text[0])) {
		return "'" + text
	}
	return text
}

func dashed(text string) string {
	if text == "" {
		return "-"
	}
	return oneLine(text)
}
