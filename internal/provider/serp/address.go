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
	// maxURL is how long a URL in a request may be.
	maxURL = 2048
	// maxFirst is how many results a search may pass over.
	maxFirst = 1_000_000
)

// ReadURL takes the url of a request, a complete search URL, apart into the query
// that it means: q, gl, hl, uule, num, start, tbs and safe count, everything else
// is dropped. The country and language of the request, where it names them, win
// over the URL's.
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

// searchParams are the parameters of a URL that is one of the engine's result
// pages.
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
		return nil, "must not carry tbm: other verticals have endpoints of their own, such as /v1/monitor/websearch/news"
	}
	if raw, ok := rawParam(u.RawQuery, "uule"); ok {
		params.Set("uule", raw) // there a + is a +, not a space
	}
	return params, ""
}

// rawParam finds a parameter and unescapes it as a path would be.
func rawParam(query, name string) (value string, ok bool) {
	for pair := range strings.SplitSeq(query, "&") {
		if key, raw, _ := strings.Cut(pair, "="); key == name {
			value, err := url.PathUnescape(raw)
			return value, err == nil
		}
	}
	return "", false
}

// fill takes over what a search URL says beside country and language, or returns
// what is wrong with it.
func (q *Query) fill(params url.Values) (problem string) {
	q.Text = strings.TrimSpace(params.Get("q"))
	q.Place = params.Get("uule")
	q.First, _ = strconv.Atoi(params.Get("start")) // junk counts as 0
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
		return "has a uule that is no encoded location"
	default:
		return ""
	}
}

// setCountry takes over the gl of a search URL, or returns what is wrong with it.
func (q *Query) setCountry(gl string, def provider.Definition) (problem string) {
	q.Locale.Country = strings.ToUpper(gl)
	switch {
	case gl == "":
		return "has no gl; add it, or send country"
	case !def.Serves(q.Locale.Country):
		return "has a gl in which " + def.Name + " is not available"
	default:
		return ""
	}
}

// setLanguage takes over the hl of a search URL, or returns what is wrong with it.
func (q *Query) setLanguage(hl string) (problem string) {
	if hl != "" && !schema.IsInterfaceLanguage(hl) {
		return "has an hl that is too long or not printable"
	}
	q.Locale.Language = strings.ToLower(hl)
	return ""
}

// pagesFor is how many pages of ten hold num results. Junk counts as ten
// results, and a number beyond any integer as the largest one.
func pagesFor(num string) int {
	n, err := strconv.Atoi(num)
	if errors.Is(err, strconv.ErrSyntax) {
		n = PageSize
	}
	n = min(n, maxPages*PageSize)
	return max((n+PageSize-1)/PageSize, 1)
}
