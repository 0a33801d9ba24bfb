package providertest

import (
	"os"
	"strings"
	"testing"
)

// Hostile parses documents that are designed to break a parser. page has a %s in place of the
// answer's text. Every result must pass Check.
func Hostile(t *testing.T, page string, parse Parse) {
	t.Helper()
	for name, document := range HostileDocuments(page) {
		t.Run(name, func(t *testing.T) { Survives(t, document, parse) })
	}
}

// AnswerText is the page to pass to Hostile and Fuzz if the answer is a string in a JSON document:
// see Within.
const AnswerText = "text of an answer: %s"

// Within returns a parser that first puts a text in the form of AnswerText into the document that
// wrap makes of it.
func Within(wrap func(text string) []byte, parse Parse) Parse {
	return func(document []byte) (any, error) {
		if text, ok := strings.CutPrefix(string(document), strings.TrimSuffix(AnswerText, "%s")); ok {
			document = wrap(text)
		}
		return parse(document)
	}
}

// Survives parses a document that is designed to break a parser. The outcome must be a failure or a
// result that passes Check. Here parsing only has to end; make bench measures its time.
func Survives(t *testing.T, document string, parse Parse) {
	t.Helper()
	result, err := parse([]byte(document))
	if err != nil {
		Reason(t, err)
		return
	}
	Check(t, result)
}

// HostileDocuments returns documents that are designed to break a parser, by name. page has a %s in
// place of the answer's text.
func HostileDocuments(page string) map[string]string {
	within := func(text string) string { return strings.Replace(page, "%s", text, 1) }
	rep := strings.Repeat
	return map[string]string{
		"nothing":             "",
		"white space":         " \n\t ",
		"NUL":                 within(rep("\x00x", 1<<20)),
		"not UTF-8":           within("a\xff\xfe\xc3(b" + rep("\x80", 1000)),
		"UTF-16":              "\xff\xfe<\x00h\x00t\x00m\x00l\x00>\x00",
		"private use":         within("a\ue200cite\ue202turn0search0 \ue201b\ue203c\ue204 \uf8ff \ue200open"),
		"deep":                within(rep("<div>", 1<<20)),
		"deep text":           within(rep("<div>x", 480) + rep("<b>y</b>", 50_000)),
		"open links":          within(rep("<a>", 1<<20)),
		"formatting":          within(rep("<b><i><u><p>", 100_000)),
		"misnested":           within(rep("<b id=1><i>x<p></b>", 50_000)),
		"foster parents":      within("<table>" + rep("<b>x", 100_000)),
		"templates":           within(rep("<template>", 100_000)),
		"attributes":          within("<p " + rep("a ", 3<<20) + ">x"),
		"entities":            within(rep("&amp;", 1<<20)),
		"long text":           within(rep("word ", 1<<20)),
		"cut text":            within(rep("word ", 40_000) + rep("<!---->x", 9000)),
		"brackets":            within(rep("[", 200_000)),
		"ticks":               within("<code>" + rep("`a", 100_000) + "</code>"),
		"nested lists":        within(rep("<ul><li>", 240) + rep("word<br>", 9000)),
		"nested quotes":       within(rep("<blockquote>", 480) + rep("word<br>", 9000)),
		"nested tables":       within(rep("<table><tr><td>", 120) + rep("word<br>", 9000)),
		"uneven table":        within("<table><tr><td>" + rep("word ", 30_000) + "</td></tr>" + rep("<tr><td>x</td></tr>", 5000) + "</table>"),
		"uneven rows":         within("<table><tr>" + rep("<td>x</td>", 4000) + "</tr>" + rep("<tr><td>x</td></tr>", 3000) + "</table>"),
		"wide cells":          within("<table>" + rep("<tr>"+rep("<td colspan=1000 rowspan=1000>x</td>", 50)+"</tr>", 100)),
		"links elsewhere":     within(`x <a href="javascript:alert(1)">a</a> <a href="data:text/html,x">b</a> <a href="//">c</a> <a href="http://u:p@h/">d</a> <a href="http://[::1">e</a>`),
		"script":              within(`x<script>document.write("</div>")</script><style>p{}</style><!-- ` + rep("-", 1000) + ` -->y`),
		"larger than allowed": within(rep("x", 9<<20)),
		"many events":         strings.Repeat("data: 1\n\n", 60_000),
		"one long line":       "data: " + rep("x", 3_000_000),
		"deep JSON":           rep(`{"mapping":`, 100_000),
		"wide JSON":           `{"mapping":{"a":{"message":{"x":[` + rep("0,", 1_000_000) + `0]}}}}`,
		"event of deep JSON":  "data: " + rep("[", 1_000_000) + "\n\ndata: [DONE]\n\n",
	}
}

// Seed adds the stored documents and small hostile documents to the seed corpus of a fuzz target.
func Seed(f *testing.F, page string) {
	f.Helper()
	for _, path := range Documents(f) {
		document, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(document)
	}
	for _, document := range HostileDocuments(page) {
		if len(document) < 4<<10 {
			f.Add([]byte(document))
		}
	}
}

// Fuzz runs the parser over what the fuzzer makes of fixtures and hostile
// documents. Whatever comes out must pass Check.
func Fuzz(f *testing.F, page string, parse Parse) {
	f.Helper()
	Seed(f, page)
	f.Fuzz(func(t *testing.T, document []byte) { Survives(t, string(document), parse) })
}
