package rawdoc_test

import (
	"strings"
	"testing"

	"earshot/internal/provider/rawdoc"
)

// saved is a page as SingleFile writes it: without optional end tags and with few quotes.
const saved = `<!DOCTYPE html> <html lang=en class="light wide"><!--
 Page saved with SingleFile 
 url: https://search.lab.test/search?q=boots 
--><meta charset=utf-8><title>boots</title><style>a{color:red}</style>` +
	`<body class=srp><div id=main><ul><li>One<li><a href=/about/>Two</a></ul><p>Three<div>Four</div></div>`

func TestIsCut(t *testing.T) {
	t.Parallel()
	_, content, _ := strings.Cut(saved, "<body")
	whole := `<!DOCTYPE html><html><head><meta charset="utf-8"></head><body` + content
	for name, page := range map[string]string{
		"whole":                                  whole + "</body></html>",
		"upper case":                             whole + "</BODY></HTML>\n",
		"something after":                        whole + "</body></html><!-- saved -->",
		"no end tag":                             whole + "</body>",
		"SingleFile":                             saved,
		"SingleFile, text":                       saved + "Five",
		"SingleFile, white space after the head": strings.Replace(saved, "<body", "</head> <body", 1),
		"SingleFile, no comment":                 `<!DOCTYPE html><html><meta charset=utf-8><body` + content,
		"SingleFile, open p":                     saved + "<p>Five",
		"fragment":                               `<div class="markdown"><p>One`,
	} {
		if rawdoc.IsCut([]byte(page)) {
			t.Errorf("%s: is cut:\n%s", name, page)
		}
	}
	head, _, _ := strings.Cut(saved, "<div")
	for name, page := range map[string]string{
		"no body end":      whole,
		"within text":      whole + "</body> and",
		"within a comment": saved + "<!-- and",
		"open script":      saved + "<script>let a",
		"open div":         saved + "<div>Five",
		"within a tag":     saved + "<p class=a",
		"no content":       head,
	} {
		if !rawdoc.IsCut([]byte(page)) {
			t.Errorf("%s: is not cut:\n%s", name, page)
		}
	}
	for length := len("<!doctype"); length < len(saved); length++ {
		if !rawdoc.IsCut([]byte(saved[:length])) {
			t.Errorf("is not cut:\n%s", saved[:length])
		}
	}
}
