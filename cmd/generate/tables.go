package main

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/api"
	"earshot/internal/api/mcp"
	"earshot/internal/provider"
	"earshot/internal/schema"
)

// tables returns the Markdown tables of the docs that list providers, errors or tools, by
// the names in their markers, such as <!-- table: providers -->.
func tables(providers []provider.Provider, document schema.Map) map[string]string {
	asked := table{head: "| Product | `POST /v1/monitor/…` | Returns | Credits |"}
	items := table{head: "| Item | Credits | |"}
	apis := table{head: "| Name | Asks for | Address | Default model | Place |"}
	var known []string
	for _, p := range providers {
		about := p.Definition()
		_, returns, _ := strings.Cut(about.Summary, ": ")
		asked.add(cmp.Or(about.Product, about.Name), "`"+about.Name+"`", returns, fmt.Sprint(baseCredits(about)))
		for _, price := range about.Prices {
			items.add("`"+about.Name+"."+price.Item+"`", fmt.Sprint(price.Credits), price.For)
		}
		for _, api := range about.APIs {
			if !slices.Contains(known, api.Name) {
				known = append(known, api.Name)
				apis.add("`"+api.Name+"`", strings.Join(users(providers, api.Name), ", "), orYours(api.URL, api), orYours(api.Model, api), api.Place)
			}
		}
	}
	asked.add("Google redirect links", "`websearch/goto`", "the destination of a redirect link", "0")
	items.add("`surcharge.sync`", "0", "a synchronous call")
	items.add("`surcharge.state`", "0", "a request that names a state")
	return map[string]string{"errors": errorTable(), "providers": asked.text(), "prices": items.text(), "apis": apis.text(), "models": modelTable(), "tools": toolTable(document)}
}

// modelTable lists the default models of official APIs, and the models that end.
func modelTable() string {
	models := table{head: "| API | Model | Fixed id | Ends | Use instead | Source, read on " + provider.ModelsRead + " |"}
	for _, m := range provider.KnownModels() {
		ids, fixed := "`"+strings.Join(m.IDs, "`, `")+"`", ""
		if m.Default {
			ids, fixed = ids+" (default)", "none"
		}
		if m.Pinned != "" {
			fixed = "`" + m.Pinned + "`"
		}
		use := ""
		if m.Use != "" {
			use = "`" + m.Use + "`"
		}
		models.add("`"+m.API+"`", ids, fixed, cmp.Or(m.Ends, "not announced"), use, "<https://"+m.Source+">")
	}
	return models.text()
}

// errorTable lists the error codes and how to handle each of them.
func errorTable() string {
	codes := table{head: "| Code | Status | `details` | What to do |"}
	for _, code := range earshot.CodeInternal.Values() {
		status := fmt.Sprint(api.StatusOf(code, false))
		if other := api.StatusOf(code, true); fmt.Sprint(other) != status {
			status += fmt.Sprintf("; %d where tasks are submitted", other)
		}
		codes.add("`"+string(code)+"`", status, detailNames(code), code.NextStep())
	}
	return codes.text()
}

// toolTable lists the MCP tools by the scope that they need.
func toolTable(document schema.Map) string {
	openAPI, _ := document.MarshalJSON() // it was generated
	byScope, _ := mcp.Listed(openAPI)    // a server with an error here does not start
	tools := table{head: "| Scope | Tool | |"}
	for _, scope := range slices.Sorted(maps.Keys(byScope)) {
		for _, tool := range byScope[scope] {
			tools.add("`"+scope+"`", "`"+tool[0]+"`", tool[1])
		}
	}
	return tools.text()
}

// detailNames returns the names of the fields of a code's details.
func detailNames(code earshot.Code) string {
	shape, list := reflect.TypeOf(code.Details()), ""
	if shape == nil {
		return ""
	}
	if shape.Kind() == reflect.Slice {
		shape, list = shape.Elem(), "a list of "
	}
	var names []string
	for _, field := range reflect.VisibleFields(shape) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names = append(names, "`"+name+"`")
	}
	return list + strings.Join(names, ", ")
}

// baseCredits returns the price of a call without extras.
func baseCredits(about provider.Definition) int64 {
	for _, price := range about.Prices {
		if price.Item == provider.ItemBase {
			return price.Credits
		}
	}
	return 0
}

// users returns the names of the providers that can use an API.
func users(providers []provider.Provider, api string) []string {
	var names []string
	for _, p := range providers {
		about := p.Definition()
		if slices.ContainsFunc(about.APIs, func(a provider.API) bool { return a.Name == api }) {
			names = append(names, about.Name)
		}
	}
	return names
}

// orYours returns the default value of an API's setting. An API without a default URL has
// no other defaults either; the operator sets them.
func orYours(text string, api provider.API) string {
	switch {
	case text != "":
		return "`" + text + "`"
	case api.URL == "":
		return "set by you"
	default:
		return ""
	}
}

type table struct {
	head string
	rows []string
}

func (t *table) add(cells ...string) {
	row := "| " + strings.Join(cells, " | ") + " |"
	t.rows = append(t.rows, strings.ReplaceAll(row, "|  |", "| |"))
}

func (t *table) text() string {
	line := strings.Repeat("|---", strings.Count(t.head, "|")-1) + "|"
	return strings.Join(append([]string{t.head, line}, t.rows...), "\n") + "\n"
}
