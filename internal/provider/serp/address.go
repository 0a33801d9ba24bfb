package serp

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/schema"
)

const (
	maxURL   = 2048      // length of a URL in a request
	maxFirst = 1_000_000 // results that a search may skip
)

// ReadURL reads the url of a request, a complete search URL, and returns the query for it. It uses
// the parameters q, gl, hl, uule, num, start, tbs and safe, and ignores all others. The country and
// language of the request have precedence over those in the URL.
func (e Engine) ReadURL(in *schema.Object, def provider.Definition, body earshot.WebSearchRequest) Query {
	query := Query{Target: Target{Device: body.Device}}
	query.Locale.Country = CheckCountry(in, def, body.Country, body.GL, CountryGiven)
	query.Locale.Language = strings.ToLower(body.HL)
	if !in.IsString("url") {
		return query
	}
	params, problem := e.searchParams(body.URL)
	if problem == "" {
		problem = query.fill(params)
	}
	if problem == "" && !in.Has("country") && !in.Has("gl") {
		problem = query.setCountry(params.Get("gl"), def)
	}
	if problem == "" && !in.Has("hl") {
		problem = query.setLanguage(params.Get("hl"))
	}
	if problem != "" {
		in.Reject("url", "%s", problem)
	}
	return query
}

// searchParams returns the parameters of a URL of one of the engine's result pages, or the problem
// with the URL.
func (e Engine) searchParams(address string) (params url.Values, problem string) {
	if len(address) > maxURL {
		return nil, "must have at most " + strconv.Itoa(maxURL) + " characters"
	}
	u, problem := parseAbsolute(address)
	if problem != "" {
		return nil, problem
	}
	params, err := url.ParseQuery(u.RawQuery)
	switch {
	case !e.isOwn(u.Hostname()):
		return nil, "must be on a web host of the search engine, such as " + e.Host
	case u.EscapedPath() != "/search":
		return nil, "must have the path /search"
	case err != nil:
		return nil, "has parameters that cannot be read"
	case params.Has("tbm"):
		return nil, "must not have tbm: other verticals have their own endpoints, such as /v1/monitor/websearch/news"
	}
	if raw, ok := rawParam(u.RawQuery, "uule"); ok {
		params.Set("uule", raw) // a + in uule does not mean a space
	}
	return params, ""
}

// rawParam returns a parameter, unescaped like a path.
func rawParam(query, name string) (value string, ok bool) {
	for pair := range strings.SplitSeq(query, "&") {
		if key, raw, _ := strings.Cut(pair, "="); key == name {
			value, err := url.PathUnescape(raw)
			return value, err == nil
		}
	}
	return "", false
}

// fill sets everything but country and language from the parameters of a search URL, or returns the
// problem with them.
func (q *Query) fill(params url.Values) (problem string) {
	q.Text = strings.TrimSpace(params.Get("q"))
	q.Place = params.Get("uule")
	q.First, _ = strconv.Atoi(params.Get("start")) // an invalid start means 0
	q.First = min(max(0, q.First), maxFirst)
	q.Pages = pagesFor(params.Get("num"))
	q.Extra = map[string]string{}
	for _, name := range []string{"tbs", "safe"} {
		if value := params.Get(name); value != "" {
			q.Extra[name] = value
		}
	}
	switch {
	case !utf8.ValidString(q.Text):
		return "must have a q in UTF-8"
	case q.Text == "" || len([]rune(q.Text)) > schema.MaxPrompt || strings.ContainsRune(q.Text, 0):
		return "must have a q that is not empty"
	case q.Place != "" && !schema.IsUULE(q.Place):
		return "has a uule that is not an encoded location"
	default:
		return ""
	}
}

// setCountry sets the country from the gl of a search URL, or returns the problem with it.
func (q *Query) setCountry(gl string, def provider.Definition) (problem string) {
	q.Locale.Country = strings.ToUpper(gl)
	switch {
	case gl == "":
		return "has no gl: add it, or send country in the request"
	case !def.Serves(q.Locale.Country):
		return "has the gl of a country in which " + def.Name + " is not available"
	default:
		return ""
	}
}

// setLanguage sets the language from the hl of a search URL, or returns the problem with it.
func (q *Query) setLanguage(hl string) (problem string) {
	if hl != "" && !schema.IsInterfaceLanguage(hl) {
		return "has an hl that is too long or not printable"
	}
	q.Locale.Language = strings.ToLower(hl)
	return ""
}

// pagesFor returns the number of result pages for num results, at most maxPages. A num that is not
// a number means one page.
func pagesFor(num string) int {
	n, err := strconv.Atoi(num)
	if errors.Is(err, strconv.ErrSyntax) {
		n = PageSize
	}
	n = min(n, maxPages*PageSize)
	return max((n+PageSize-1)/PageSize, 1)
}
