package answer

import (
	"strconv"
	"strings"

	"earshot/internal/provider/mdtext"
)

// Block is part of an answer's Markdown, followed by the citations of one chip.
type Block struct {
	Text      string
	Citations []Citation
}

// Private-use characters that mark the place of a chip. webtext.Clean removes marks that Rewrite
// does not replace. replaceMarks replaces these characters in the text itself.
const (
	markStart = "\ue200"
	markEnd   = "\ue201"
)

var replaceMarks = strings.NewReplacer(markStart, "\ue202", markEnd, "\ue202")

// maxLinks limits the links of all chips together, in bytes.
const maxLinks = 1 << 20

// Write joins the blocks and returns the text with a chip after each block that has citations. It
// records the chips.
func (s *Sources) Write(blocks []Block) mdtext.Replacement {
	var marked strings.Builder
	shown := make([]mdtext.Replacement, len(blocks))
	links := 0
	for i, block := range blocks {
		marked.WriteString(replaceMarks.Replace(block.Text))
		if len(block.Citations) == 0 {
			continue
		}
		marked.WriteString(markStart + strconv.Itoa(i) + markEnd)
		shown[i] = mdtext.Removed
		if links < maxLinks {
			shown[i] = s.Cite(block.Citations)
		}
		links += len(shown[i].Markdown)
	}
	return mdtext.Rewrite(marked.String(), markStart[:1], func(rest string) (mdtext.Replacement, int) {
		rest, isMark := strings.CutPrefix(rest, markStart)
		if !isMark {
			return mdtext.Replacement{}, 0
		}
		digits, _, _ := strings.Cut(rest, markEnd)
		i, err := strconv.Atoi(digits)
		if err != nil || i >= len(shown) {
			return mdtext.Replacement{}, 0
		}
		return shown[i], len(markStart) + len(digits) + len(markEnd)
	})
}
