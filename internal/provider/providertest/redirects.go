package providertest

import (
	"encoding/json"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// redirectFields maps the result fields with a link's destination to the fields with the redirect
// that the page served.
var redirectFields = map[string]string{
	"link": "redirectLink", "url": "redirectLink", "website": "redirectLink", "sourceLink": "sourceRedirectLink",
}

// attributes matches the attributes of a page that can hold a link.
var attributes = regexp.MustCompile(`[a-z]="((?:https?:/)?/[^"]*|CAES[^"]*)"`)

// unscripted unescapes markup inside the scripts of a page.
var unscripted = strings.NewReplacer(
	`\x3c`, "<", `\x3d`, "=", `\x22`, `"`, `\x26`, "&", `\x27`, "'", `\u003c`, "<", `\u003d`, "=", `\u0026`, "&", `\u003e`, ">", `\"`, `"`,
)

// CheckRedirects checks that each link of a result has its redirect if the pages served the link
// only as a redirect, and that there is no other redirect. read splits a link of a page into
// destination and redirect. CheckRedirects returns the number of redirects in the result.
func CheckRedirects(tb testing.TB, read func(href string) (destination, redirect string, ok bool), result any, pages ...[]byte) int {
	tb.Helper()
	served := map[string][]string{} // redirects by destination; "" is the destination itself
	for _, page := range pages {
		for _, text := range []string{string(page), unscripted.Replace(string(page))} {
			for _, match := range attributes.FindAllStringSubmatch(text, -1) {
				to, redirect, ok := read(html.UnescapeString(match[1]))
				if ok && !slices.Contains(served[to], redirect) {
					served[to] = append(served[to], redirect)
				}
			}
		}
	}
	data, err := json.Marshal(result)
	if err != nil {
		tb.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		tb.Fatal(err)
	}
	return checkRedirects(tb, served, "result", value)
}

func checkRedirects(tb testing.TB, served map[string][]string, path string, value any) (found int) {
	tb.Helper()
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			found += checkRedirects(tb, served, path+"."+name, inner)
			beside, isLink := redirectFields[name]
			to, _ := inner.(string)
			if !isLink || to == "" {
				continue
			}
			redirect, _ := v[beside].(string)
			onlyRedirects := len(served[to]) > 0 && !slices.Contains(served[to], "")
			switch {
			case redirect == "" && onlyRedirects:
				tb.Errorf("%s.%s = %s was served as %s, but there is no %s", path, name, to, served[to], beside)
			case redirect != "" && !slices.Contains(served[to], redirect):
				tb.Errorf("%s.%s = %s has the %s %s, but was served as %q", path, name, to, beside, redirect, served[to])
			case redirect != "":
				found++
			}
		}
	case []any:
		for _, inner := range v {
			found += checkRedirects(tb, served, path, inner)
		}
	}
	return found
}
