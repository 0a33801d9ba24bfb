package providertest

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// linkFields are the result fields that hold a link; "images" holds several.
var linkFields = []string{"url", "link", "website", "redirectLink", "imageUrl", "thumbnail", "html", "images"}

// productFields are the lists whose positions count across the whole answer.
var productFields = []string{"shoppingCards", "inlineProducts"}

// Check checks what the contract promises for every result: links are absolute, positions go from 1
// to n, pills refer to their sources, sources are different pages, and text is clean.
func Check(tb testing.TB, result any) {
	tb.Helper()
	data, err := json.Marshal(result)
	if err != nil {
		tb.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		tb.Fatal(err)
	}
	checkValue(tb, "result", "", value)
}

func checkValue(tb testing.TB, path, field string, value any) {
	tb.Helper()
	switch v := value.(type) {
	case map[string]any:
		checkPills(tb, path, v)
		checkProducts(tb, path, v)
		for name, inner := range v {
			if name != "rawResponse" { // copied from the upstream
				checkValue(tb, path+"."+name, name, inner)
			}
		}
	case []any:
		if !slices.Contains(productFields, field) && field != "products" && field != "citationPills" {
			checkPositions(tb, path, v)
		}
		for i, inner := range v {
			checkValue(tb, path+"["+strconv.Itoa(i)+"]", field, inner)
		}
	case string:
		checkText(tb, path, v)
		held := strings.HasSuffix(path, "knowledgeGraph.imageUrl") && strings.HasPrefix(v, "data:image/")
		if slices.Contains(linkFields, field) && !held { // the page may embed this image
			checkLink(tb, path, v)
		}
	}
}

func checkLink(tb testing.TB, path, link string) {
	tb.Helper()
	u, err := url.Parse(link)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		tb.Errorf("%s = %.200q is not an absolute web address", path, link)
	}
}

func checkText(tb testing.TB, path, text string) {
	tb.Helper()
	for _, r := range text {
		if unicode.Is(unicode.Co, r) || unicode.IsControl(r) && r != '\n' && r != '\t' {
			tb.Errorf("%s contains the character %U", path, r)
			return
		}
	}
}

// checkPositions checks that positions in a list go from 1 to n.
func checkPositions(tb testing.TB, path string, list []any) {
	tb.Helper()
	for i, item := range list {
		if object, ok := item.(map[string]any); ok && object["position"] != nil {
			checkPosition(tb, path, object, i+1)
		}
	}
}

func checkPosition(tb testing.TB, path string, object map[string]any, want int) {
	tb.Helper()
	if object["position"] != float64(want) {
		tb.Errorf("%s: position %v, want %d", path, object["position"], want)
	}
}

// objects returns the objects in a list.
func objects(list any) []map[string]any {
	items, _ := list.([]any)
	var found []map[string]any
	for _, item := range items {
		if object, ok := item.(map[string]any); ok {
			found = append(found, object)
		}
	}
	return found
}

// checkProducts checks that products are numbered from 1: first on cards, then in the text.
func checkProducts(tb testing.TB, path string, answer map[string]any) {
	tb.Helper()
	position := 0
	count := func(products any) {
		for _, product := range objects(products) {
			position++
			checkPosition(tb, path+" products", product, position)
		}
	}
	for _, card := range objects(answer["shoppingCards"]) {
		count(card["products"])
	}
	count(answer["inlineProducts"])
}

// checkPills checks that every pill refers to the source at its position, and that sources are
// different pages.
func checkPills(tb testing.TB, path string, answer map[string]any) {
	tb.Helper()
	var links []any
	for _, source := range objects(answer["sources"]) {
		link := source["url"]
		if slices.Contains(links, link) {
			tb.Errorf("%s.sources has %v twice", path, link)
		}
		links = append(links, link)
	}
	for i, pill := range objects(answer["citationPills"]) {
		position, _ := pill["position"].(float64)
		if position < 1 || int(position) > len(links) || links[int(position)-1] != pill["url"] {
			tb.Errorf("%s.citationPills[%d] does not match the source at its position: %v", path, i, pill)
		}
	}
}

// leftMarkup matches markup that remains in a text after a page was read incorrectly.
var leftMarkup = regexp.MustCompile(`</?(?:a|b|br|div|i|img|li|ol|p|script|span|strong|style|svg|td|tr|ul)\b[^<]*>|&(?:amp|nbsp|lt|gt|quot);|\*\*|turn\d+search\d+`)

// CheckNoMarkup checks that a text has no remains of markup. It is not part of Check, because an
// answer may repeat a prompt that contains markup.
func CheckNoMarkup(tb testing.TB, text string) {
	tb.Helper()
	if found := leftMarkup.FindString(text); found != "" {
		tb.Errorf("text has %q in it:\n%s", found, text)
	}
}

// Letters returns the letters and digits of a text, which Markdown does not change.
func Letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}
