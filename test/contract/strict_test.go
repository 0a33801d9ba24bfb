package contract_test

import (
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/api"
	"earshot/internal/app"
	"earshot/test/harness"
)

// anyText are parameters whose values the service cannot know, with the reason. Every other parameter
// refuses a value that makes no sense.
var anyText = map[string]string{
	"q":       "a text to search for",
	"source":  "any domain or page",
	"actor":   "also people and keys that are gone",
	"subject": "also things that are gone",
	"name":    "an organization, if there is one",
}

// withStrictRows adds mistakes that every operation refuses: an unknown parameter, a wrong media type, a
// misspelt parameter, and a value that a parameter cannot have. They come from the declarations, so a
// new operation has them.
func withStrictRows(known []row) []row {
	var rows []row
	for _, o := range api.Operations(app.Providers()) {
		first := len(rows)
		as := o.Method + " " + o.Path
		if o.AnyQuery || undocumented[as] != "" {
			continue
		}
		path, status := strings.NewReplacer("{", "", "}", "").Replace(o.Path), api.StatusOf(earshot.CodeValidation, o.Submits)
		rows = append(rows, row{name: as + " with an unknown parameter", method: o.Method, path: path + "?dryrun=true&zzz", as: as, status: status, code: earshot.CodeValidation, check: refuses("dryrun", "zzz")})
		if o.Body != nil {
			media := row{name: as + " with another media type", method: o.Method, path: path, as: as, body: "{}", header: map[string]string{"Content-Type": "text/plain"}, status: http.StatusUnsupportedMediaType, code: earshot.CodeMediaType}
			if o.FixedStatuses() {
				media.status, media.code = status, earshot.CodeValidation
			}
			rows = append(rows, media)
		}
		if names := parameters(o.Query); len(names) > 0 && o.Method == http.MethodGet {
			rows = append(rows, misspelt(o, path, names))
			rows = append(rows, senseless(o, names, known)...)
		}
		for i := range rows[first:] {
			rows[first+i].key = anyKey
			switch o.Scope {
			case account.ScopeAdmin:
				rows[first+i].key = adminKey
			case account.ScopeOperator:
				rows[first+i].key = operatorKey
			default:
			}
		}
	}
	return append(known, rows...)
}

// misspelt is a request with a mistake in each name.
func misspelt(o api.Operation, path string, names []string) row {
	typos := url.Values{}
	var hints []string
	for _, name := range names {
		typos.Set(name+"x", "1")
		if len(name) > 1 { // one letter is similar to all others
			hints = append(hints, `unknown parameter \"`+name+`x\", did you mean \"`+name+`\"?`)
		}
	}
	return row{
		name: o.Method + " " + o.Path + " with misspelt parameters", method: o.Method, path: path + "?" + typos.Encode(), as: o.Method + " " + o.Path,
		status: http.StatusBadRequest, code: earshot.CodeValidation, check: func(t *testing.T, r *exchange) {
			t.Helper()
			for _, hint := range hints {
				holds(hint)(t, r)
			}
		},
	}
}

// senseless are requests in which one parameter has a value that it cannot have. Their paths are from
// rows that succeed.
func senseless(o api.Operation, names []string, known []row) []row {
	as := o.Method + " " + o.Path
	path, _, _ := strings.Cut(o.Path, "{")
	if i := slices.IndexFunc(known, func(c row) bool { return c.operation() == as && c.status == http.StatusOK && c.on == "" }); i >= 0 {
		path, _, _ = strings.Cut(known[i].path, "?")
	}
	var rows []row
	for _, name := range names {
		one := row{name: as + " with a senseless " + name, method: o.Method, path: path + "?" + name + "=zzznonsense", as: as, status: http.StatusBadRequest, code: earshot.CodeValidation, check: refuses(name)}
		switch {
		case anyText[name] != "":
			continue
		case name == "brandsOf": // the name of a tracker, as in the paths of others
			one.status, one.code, one.check = http.StatusNotFound, earshot.CodeNotFound, nil
		}
		rows = append(rows, one)
	}
	return rows
}

// refuses checks that an error is about these fields, and perhaps about others.
func refuses(names ...string) func(*testing.T, *exchange) {
	return func(t *testing.T, r *exchange) {
		t.Helper()
		for _, name := range names {
			if !slices.Contains(r.Fields(t), name) {
				t.Errorf("the error is not about %s: %s", name, r.Body)
			}
		}
	}
}

// parameters returns the names of a query's parameters.
func parameters(query any) (names []string) {
	if query == nil {
		return nil
	}
	for _, f := range reflect.VisibleFields(reflect.TypeOf(query)) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// TestPagesForPeopleAndProbes is about operations that are not documented, and about HEAD.
func TestPagesForPeopleAndProbes(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "many", 100)
	for request, want := range map[string]int{
		"GET /healthz?x": 200, "GET /readyz?x": 200, "GET /metrics?x": 200, "GET /?utm_source=x": 200, "GET /docs?x": 200, "GET /assets/app.js?v=2": 200,
		"GET /robots.txt?x": 400, "GET /llms.txt?x": 400, "GET /openapi.json?x": 400, "GET /captures/x/page-1.html?x": 400,
		"GET /share/x?x": 400, "GET /share/x?days=seven": 400, "GET /share/x?days=7&days=7": 400, "POST /share/x?x": 400, "POST /mcp?x": 400,
		"HEAD /v1/credits?x": 400, "HEAD /v1/credits": 200, "GET /assets/nosuch.js": 404,
	} {
		method, path, _ := strings.Cut(request, " ")
		r := n.Send(t, a, method, path, "")
		if r.StatusCode != want {
			t.Errorf("%s: %d %.200s, want %d", request, r.StatusCode, r.Body, want)
		}
		if want == http.StatusNotFound {
			r.Fails(t, request, want, earshot.CodeNotFound)
		}
	}
	for _, path := range []string{"/openapi.json", "/v1/countries", "/assets/app.js"} {
		get, head := n.Send(t, a, http.MethodGet, path, ""), n.Send(t, a, http.MethodHead, path, "")
		for _, name := range []string{"Vary", "Content-Type", "Cache-Control"} {
			if got, want := head.Header.Get(name), get.Header.Get(name); got != want {
				t.Errorf("HEAD %s: %s is %q, want %q", path, name, got, want)
			}
		}
	}
}
