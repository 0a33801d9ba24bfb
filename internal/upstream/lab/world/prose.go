package world

import "strings"

// prose writes the answer's text. It must be called after the sources and products are
// set, because the text refers to them.
func (c *composer) prose(a *Answer) {
	say := func(kind BlockKind, lines ...Line) {
		a.Blocks = append(a.Blocks, Block{Kind: kind, Lines: lines})
	}
	say(Paragraph, c.line(c.book.Intro))
	say(Paragraph, c.cited(a, c.line(c.book.Context)))
	say(Heading, Line{{Text: c.book.Heading}})
	say(pick(c.dice, []BlockKind{Bullets, Numbered}), c.items(a)...)
	say(Paragraph, c.cited(a, c.line(c.book.Advice)))
	if !c.q.Search {
		say(Paragraph, c.line(c.book.Plain))
	}
	say(Paragraph, c.line(c.book.Closing))
}

// items returns the lines of the list: first the products in Answer.Inline, then further
// models, each with a reason.
func (c *composer) items(a *Answer) []Line {
	reasons := draw(c.dice, c.book.Item, 3)
	lines := make([]Line, len(reasons))
	for i, reason := range reasons {
		name := Line{{Text: c.named[i], Brand: true}, {Text: " "}, {Text: pick(c.dice, models), Strong: true}}
		if i < len(a.Inline) {
			name = Line{{Text: a.Inline[i].Title, Product: &a.Inline[i]}}
		}
		lines[i] = c.cited(a, append(name, Span{Text: " – " + reason}))
	}
	return lines
}

// cited appends a chip with one to three sources to the line.
func (c *composer) cited(a *Answer, line Line) Line {
	if len(a.Sources) == 0 {
		return line
	}
	return append(line, Span{Text: " "}, Span{Cites: draw(c.dice, a.Sources, c.between(1, 3))})
}

// line returns one of the phrases as a line in which brands are marked.
func (c *composer) line(phrases []string) Line {
	var line Line
	for i, piece := range strings.Split(brandMarks.Replace(pick(c.dice, phrases)), "\x00") {
		if piece == "" {
			continue
		}
		// Every second piece is between two marks, so it is a brand.
		line = append(line, Span{Text: c.words.Replace(piece), Brand: i%2 == 1})
	}
	return line
}

// brandMarks put a mark before and after each brand in a phrase.
var brandMarks = strings.NewReplacer("{brand}", "\x00{brand}\x00", "{other}", "\x00{other}\x00")
