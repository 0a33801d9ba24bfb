package mcp

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// plain calls the first operation of a tool with its arguments, and shows the answer as a table.
func plain(c *call) (*view, error) {
	return c.plainly(c.operation(c.tool.ops[0]), c.tool.rows, c.tool.columns, c.tool.head)
}

// plainly calls an operation with the arguments and shows the answer as a table.
func (c *call) plainly(o *operation, rows, columns, head string) (*view, error) {
	path, err := c.path(o)
	if err != nil {
		return nil, err
	}
	var answer any
	offset, err := c.number("offset", 0, 0)
	if err != nil {
		return nil, err
	}
	limit := 0
	if o.Method == http.MethodGet {
		query := c.query(o)
		if offset > 0 && o.takes("limit") && !o.takes("offset") { // it has no pages
			limit, err = c.number("limit", 1, 0)
			query.Set("limit", strconv.Itoa(limit+offset))
		}
		if err == nil {
			err = c.get(path, query, &answer)
		}
	} else {
		body := map[string]any{}
		for name := range c.body(o) {
			if c.raw[name] != nil {
				body[name] = c.raw[name]
			}
		}
		err = c.change(o, path, nil, body, &answer)
	}
	if err != nil {
		return nil, err
	}
	v, t := show(answer, rows, columns, head)
	t.offset = offset
	if !o.takes("offset") && !o.takes("cursor") {
		// The rest of a list that is as long as was asked for is not known.
		asked, _ := strconv.Atoi(c.args["limit"])
		t.more = asked > 0 && len(t.rows) >= asked+offset
		t.total = len(t.rows)
		if t.more {
			t.total = 0
		}
		t.rows = t.rows[min(offset, len(t.rows)):]
	}
	v.tables = []table{t}
	return v, nil
}

// query returns the arguments that are parameters of the query.
func (c *call) query(o *operation) url.Values {
	query := url.Values{}
	for _, p := range o.Parameters {
		if value := c.args[p.Name]; p.In == "query" && value != "" {
			query.Set(p.Name, value)
		}
	}
	return query
}

// takes reports whether an operation has a parameter.
func (o *operation) takes(name string) bool {
	for _, p := range o.Parameters {
		if p.Name == name {
			return true
		}
	}
	return false
}

// show returns an answer as a view without tables, and its list as a table.
func show(answer any, rows, columns, head string) (*view, table) {
	v, t := &view{data: answer, paged: true}, table{rows: []any{answer}, columns: columns}
	if rows != "" {
		t.rows, _ = at(answer, rows).([]any)
	}
	made, _ := at(answer, "madeUp").(bool)
	if made || slices.ContainsFunc(t.rows, func(row any) bool { made, _ := at(row, "madeUp").(bool); return made }) {
		v.head = append(v.head, madeUp)
	}
	var above []string
	for _, path := range strings.Fields(head) {
		above = append(above, path+" "+cell(at(answer, path)))
	}
	if len(above) > 0 {
		v.head = append(v.head, strings.Join(above, ", "))
	}
	t.more, _ = at(answer, "more").(bool)
	t.cursor = cell(at(answer, "nextCursor"))
	if total, err := strconv.Atoi(cell(at(answer, "total"))); err == nil {
		t.total = total
	}
	return v, t
}
