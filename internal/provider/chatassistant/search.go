package chatassistant

import (
	"regexp"
	"strconv"
	"strings"

	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/webtext"
)

// addQueries adds the search queries of a message: from its metadata, from the arguments of a tool, or
// from a call of the search tool.
func (r *messageReader) addQueries(m loosejson.Object) {
	metadata := m.Object("metadata")
	r.addQuery(metadata.Object("search_model_queries").Texts("queries", "q")...)
	r.addQuery(metadata.Texts("search_queries", "q")...)
	author := m.Object("author")
	if author.Text("role") == "tool" && isSearchTool(author.Text("name")) && metadata.Text("command") == "search" {
		if arguments := metadata.Texts("args", "q"); len(arguments) > 0 {
			r.addQuery(arguments[0])
		}
	}
	if isSearchTool(m.Text("recipient")) {
		r.toolCall(m.Object("content"))
	}
}

func (r *messageReader) addQuery(queries ...string) {
	r.answer.SearchQueries = answer.AddQueries(r.answer.SearchQueries, queries...)
}

func (r *messageReader) addMapQuery(queries ...string) {
	r.answer.MapSearchQueries = answer.AddQueries(r.answer.MapSearchQueries, queries...)
}

// isSearchTool reports whether the tool searches the web, not files.
func isSearchTool(name string) bool {
	base, _, _ := strings.Cut(name, ".")
	return base == "web" || base == "browser"
}

// searchCall matches a call of the search tool by older assistants.
var searchCall = regexp.MustCompile(`\bsearch\(\s*(?:query\s*=\s*)?("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')`)

// toolCall adds the queries of a call of the search tool, which is JSON, a function call, or one
// record per line.
func (r *messageReader) toolCall(content loosejson.Object) {
	code := loosejson.AsText(content["text"])
	if code == "" {
		code = contentText(content)
	}
	if value, ok := loosejson.Decode(code); ok {
		r.jsonCall(loosejson.AsObject(value))
		return
	}
	for _, call := range searchCall.FindAllStringSubmatch(code, -1) {
		r.addQuery(webtext.Line(unquoted(call[1])))
	}
	for line := range strings.Lines(code) {
		r.record(splitRecord(strings.TrimSpace(line)))
	}
}

func (r *messageReader) jsonCall(call loosejson.Object) {
	for _, field := range []string{"search_query", "system1_search_query", "system2_search_query", "queries"} {
		r.addQuery(call.Texts(field, "q")...)
	}
	r.addQuery(call.Text("query"))
	r.addMapQuery(call.Texts("business_query", "q")...)
	r.addMapQuery(call.Texts("business_query", "query")...)
}

// record adds the query of a record, which begins with the kind of search.
func (r *messageReader) record(fields []string) {
	if len(fields) < 2 {
		return
	}
	switch fields[0] {
	case "fast", "slow", "search":
		r.addQuery(webtext.Line(fields[1]))
	case "business":
		if len(fields) > 2 {
			r.addMapQuery(webtext.Line(fields[2]))
		}
	}
}

// splitRecord splits a record at bars that are not escaped by a backslash.
func splitRecord(line string) []string {
	var fields []string
	var field strings.Builder
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && i+1 < len(line):
			i++
			if line[i] == 'n' || line[i] == 't' {
				field.WriteByte(' ')
			} else {
				field.WriteByte(line[i])
			}
		case c == '|':
			fields = append(fields, field.String())
			field.Reset()
		default:
			field.WriteByte(c)
		}
	}
	return append(fields, field.String())
}

// unquoted returns the text of a literal in single or double quotes.
func unquoted(literal string) string {
	inner := literal[1 : len(literal)-1]
	if literal[0] == '\'' {
		inner = strings.ReplaceAll(strings.ReplaceAll(inner, `\'`, `'`), `"`, `\"`)
	}
	if text, err := strconv.Unquote(`"` + inner + `"`); err == nil {
		return text
	}
	return inner
}

// addResults records the search results of a message. It also remembers a page that a tool opened:
// such a page can be cited, but opening it does not make it a source.
func (r *messageReader) addResults(metadata, content loosejson.Object) {
	for _, group := range metadata.Objects("search_result_groups") {
		r.results = append(r.results, group.Objects("entries")...)
		for _, entry := range group.Objects("entries") {
			r.rememberResult(entry)
		}
	}
	for _, field := range []string{"_cite_metadata", "cite_metadata"} {
		for _, page := range metadata.Object(field).Objects("metadata_list") {
			r.results = append(r.results, legacyPage(page))
		}
	}
	if content.Text("content_type") == "sonic_webpage" {
		r.rememberResult(content)
	}
}

// rememberResult stores a result under the name that marks in the text use, such as turn0search3.
func (r *messageReader) rememberResult(result loosejson.Object) {
	name := result.Text("ref_id")
	if id := result.Object("ref_id"); id != nil {
		turn, index := id.Count("turn_index"), id.Count("ref_index")
		if turn == nil || index == nil {
			return
		}
		name = "turn" + strconv.Itoa(*turn) + id.Text("ref_type") + strconv.Itoa(*index)
	}
	if _, known := r.pages[name]; name != "" && !known {
		r.pages[name] = result
	}
}
