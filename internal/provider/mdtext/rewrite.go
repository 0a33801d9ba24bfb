package mdtext

import (
	"strings"

	"earshot"
	"earshot/internal/provider/webtext"
)

// Replacement is what stands in an answer for something that is marked in its
// text, once on the way to plain text and once to Markdown. Both are Markdown.
type Replacement struct{ Text, Markdown string }

// Gone leaves nothing, and closes the gap.
var Gone = Replacement{webtext.Mark, webtext.Mark}

// Rewrite replaces what is marked in Markdown, code left alone, and gives the
// whole, as much of it as an answer may have. A mark begins with one of the
// characters in starts; read gets the text from there on and returns what replaces
// the mark and its length, 0 where there is no mark. Where a mark leaves nothing,
// so does the space before it.
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

// breaks are written as HTML in cells of a table.
var breaks = strings.NewReplacer("<br>", " ", "<br/>", " ", "<br />", " ")

// Fill writes a rewritten text into the answer, as Markdown too if that is
// wanted.
func (r Replacement) Fill(a *earshot.Answer, markdown bool) {
	a.Text = Flatten(breaks.Replace(r.Text))
	if markdown {
		a.Markdown = webtext.Clean(KeepSafeLinks(r.Markdown))
	}
}

// next is where one of the characters stands, from a place on, or the end.
func next(text, characters string, from int) int {
	for from < len(text) && strings.IndexByte(characters, text[from]) < 0 {
		from++
	}
	return from
}

// ProseLinks are the web links in Markdown, in their order, less those that are
// code. Labels are Markdown.
func ProseLinks(markdown string) []Link {
	if !strings.Contains(markdown, "](") {
		return nil
	}
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

// stretch is a part of a text, from start to before end.
type stretch struct{ start, end int }

// codeStretches finds code in Markdown: lines between fences, and spans within a line.
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
			if length == 0 { // ticks that stand for themselves
				i += len(markdown[i:at]) - len(strings.TrimLeft(markdown[i:at], "`"))
				continue
			}
			code = append(code, stretch{i, i + length})
			i += length
		}
	}
	return code
}
