package mdtext

import (
	"strings"

	"earshot"
	"earshot/internal/provider/webtext"
)

// Replacement replaces a citation mark in an answer. Text is used for the plain text, Markdown for
// the Markdown; both are written in Markdown.
type Replacement struct{ Text, Markdown string }

// Removed removes a mark together with the white space before it.
var Removed = Replacement{webtext.Mark, webtext.Mark}

// Rewrite replaces the citation marks in Markdown, except in code, and returns both versions of the
// whole text. The text is cut at webtext.MaxText bytes.
//
// A mark begins with one of the bytes in starts. read receives the text from that byte on and
// returns the replacement and the length of the mark, or length 0 if there is no mark. If the
// replacement is Gone, the white space before the mark is removed too.
func Rewrite(markdown, starts string, read func(rest string) (shown Replacement, length int)) Replacement {
	markdown = strings.ToValidUTF8(markdown[:min(len(markdown), webtext.MaxText)], "")
	var text, links strings.Builder
	end := 0
	code := codeStretches(markdown)
	for i := next(markdown, starts, 0); i < len(markdown); i = next(markdown, starts, i) {
		for len(code) > 0 && code[0].end <= i {
			code = code[1:]
		}
		if len(code) > 0 && code[0].start <= i {
			i = code[0].end
			continue
		}
		shown, length := read(markdown[i:])
		if length == 0 {
			i++
			continue
		}
		before := markdown[end:i]
		if shown.Text == webtext.Mark {
			before = strings.TrimRight(before, " \t")
		}
		text.WriteString(before + shown.Text)
		links.WriteString(before + shown.Markdown)
		i += length
		end = i
	}
	text.WriteString(markdown[end:])
	links.WriteString(markdown[end:])
	return Replacement{text.String(), links.String()}
}

// breaks replaces HTML line breaks, which assistants use in table cells.
var breaks = strings.NewReplacer("<br>", " ", "<br/>", " ", "<br />", " ")

// Fill sets the text of the answer, and its Markdown if wanted.
func (r Replacement) Fill(a *earshot.Answer, markdown bool) {
	a.Text = Flatten(breaks.Replace(r.Text))
	if markdown {
		a.Markdown = webtext.Clean(KeepSafeLinks(r.Markdown))
	}
}

// next returns the index of the first of the bytes at or after from, or the length of the text.
func next(text, bytes string, from int) int {
	for from < len(text) && strings.IndexByte(bytes, text[from]) < 0 {
		from++
	}
	return from
}

// ProseLinks returns the web links in Markdown that are not part of code, in order.
func ProseLinks(markdown string) []Link {
	var links []Link
	code := codeStretches(markdown)
	for _, at := range anyLink.FindAllStringSubmatchIndex(markdown, -1) {
		for len(code) > 0 && code[0].end <= at[2] {
			code = code[1:]
		}
		if len(code) == 0 || code[0].start > at[2] {
			links = append(links, Link{Label: markdown[at[2]:at[3]], URL: markdown[at[4]:at[5]]})
		}
	}
	return links
}

// stretch is the part of a text from start up to but not including end.
type stretch struct{ start, end int }

// codeStretches returns the code in Markdown: lines between fences, and spans within a line.
func codeStretches(markdown string) []stretch {
	var code []stretch
	at, fenced := 0, false
	for line := range strings.Lines(markdown) {
		begin := at
		at += len(line)
		if indented := strings.TrimLeft(line, " \t"); strings.HasPrefix(indented, "```") || strings.HasPrefix(indented, "~~~") {
			fenced = !fenced
			continue
		}
		if fenced {
			code = append(code, stretch{begin, at})
			continue
		}
		for i := begin; i < at; {
			tick := strings.IndexByte(markdown[i:at], '`')
			if tick < 0 {
				break
			}
			i += tick
			_, length := codeSpan(markdown[i:at])
			if length == 0 { // unclosed backticks are text
				i += len(markdown[i:at]) - len(strings.TrimLeft(markdown[i:at], "`"))
				continue
			}
			code = append(code, stretch{i, i + length})
			i += length
		}
	}
	return code
}
