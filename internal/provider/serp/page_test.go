package serp_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"earshot/internal/provider/markup"
	"earshot/internal/provider/serp"
)

func TestReadClick(t *testing.T) {
	t.Parallel()
	for note, want := range map[string]serp.Click{
		"2ahUKEwjd-ra4kYqTAxVpHzQIHefmBeQQFnoECAoQAg": serp.ClickResult,
		"0ahUKEwjd-ra4kYqTAxVpHzQIHefmBeQQFggGKAE":    serp.ClickResult,
		"2EBY":                         serp.ClickResult,
		"2ENUC":                        serp.ClickRelated,
		"1t:341":                       serp.ClickRelated,
		"1t:22,r:3":                    serp.ClickResult,
		"":                             serp.ClickNone,
		"2":                            serp.ClickNone,
		"2!!":                          serp.ClickNone,
		"2Eg":                          serp.ClickNone, // truncated message
		"2EP____8":                     serp.ClickNone, // truncated varint
		"1t:x":                         serp.ClickNone,
		"1t:99999999999":               serp.ClickNone,
		"2" + strings.Repeat("A", 999): serp.ClickNone,
	} {
		if got := serp.ReadClick(note); got != want {
			t.Errorf("%q: %d, want %d", note, got, want)
		}
	}
}

func TestClickOf(t *testing.T) {
	t.Parallel()
	for element, want := range map[string]serp.Click{
		`<a href="/search?q=x&amp;ved=2ENUC">`:             serp.ClickRelated,
		`<a href="/x" ping="/url?url=y&amp;ved=2EBY">`:     serp.ClickResult,
		`<a href="/x?ved=2ENUC" data-ved="2EBY">`:          serp.ClickResult,
		`<a href="https://a.example/?saved=2EBY&amp;q=1">`: serp.ClickNone,
		`<a>`: serp.ClickNone,
	} {
		root, err := html.Parse(strings.NewReader(element))
		if err != nil {
			t.Fatal(err)
		}
		link := markup.Find(root, func(n *html.Node) bool { return n.Data == "a" })
		if got := serp.ClickOf(link); got != want {
			t.Errorf("%s: %d, want %d", element, got, want)
		}
	}
}

func TestCopies(t *testing.T) {
	t.Parallel()
	links := serp.Engine{Host: "engine.example"}.NewLinks(nil)
	for link, want := range map[string]string{
		"/amp/s/a.example/b.html?c=d":                                                      "https://a.example/b.html?c=d",
		"https://a-example.cdn.ampproject.org/c/s/a.example/b":                             "https://a.example/b",
		"https://a-example.cdn.ampproject.org/v/a.example/b":                               "http://a.example/b",
		"https://my--site-a-example.translate.goog/b?c=d&_x_tr_sl=en&_x_tr_tl=de#:~:text=": "https://my-site.a.example/b?c=d",
		"https://translate.engine.example/translate?hl=en&u=https://a.example/b":           "https://a.example/b",
		"https://translate.engine.example/translate?hl=en&u=javascript:alert(1)":           "https://translate.engine.example/translate?hl=en&u=javascript:alert(1)",
		"https://www.engine.co.uk/url?q=https://a.example/b":                               "https://a.example/b",
		"/url?q=/search%3Fq%3Dx&ved=1":                                                     "https://www.engine.example/search?q=x",
		"CAESTgHrOzAVDTjrNWH4e2Zxf9W4RXmT":                                                 "https://www.engine.example/goto?url=CAESTgHrOzAVDTjrNWH4e2Zxf9W4RXmT",
	} {
		if got, _, ok := links.Read(link); !ok || got != want {
			t.Errorf("%s: %q, want %q", link, got, want)
		}
	}
}

func TestStored(t *testing.T) {
	t.Parallel()
	document := `<div id="q"><p id="a"></p><p id="b">taken</p><p id="d"></p></div><script>jsl.dh('a','\x3cb id\x3d\x22c\x22>\x3c/b>\u00e9\ud83d\ude00\'');` +
		`window.jsl.dh(
 "c" ,
 "in \"a\"\n");jsl.dh('b','x');jsl.dh('d','\x3');jsl.dh('e');jsl.dh('f','open</script>`
	stored := serp.ScriptPartsIn([]byte(document))
	root, err := html.Parse(strings.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	stored.Fill(root)
	place := markup.Find(root, func(n *html.Node) bool { return markup.Attr(n, "id") == "q" })
	if got, want := strings.Join(serp.Lines(place), "|"), `in "a" é😀'|taken|3`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzStored(f *testing.F) {
	f.Add([]byte(`jsl.dh('a','\x3cdiv\x3e\ud83d')jsl.dh('a',"`))
	f.Fuzz(func(t *testing.T, document []byte) {
		root, err := html.Parse(strings.NewReader(`<div><p id="a"></p></div>`))
		if err != nil {
			t.Fatal(err)
		}
		serp.ScriptPartsIn(document).Fill(root)
		serp.ReadClick(string(document))
	})
}

func TestLineWithoutMarks(t *testing.T) {
	t.Parallel()
	n := &html.Node{Type: html.TextNode, Data: "\u200fקפה\u200e · \u202acoffee\u202c bean\u00ads › x"}
	if got, want := serp.Line(n), "קפה · coffee beans › x"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
