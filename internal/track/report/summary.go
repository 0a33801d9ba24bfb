package report

import "fmt"

// Summary returns the main findings of a report as lines of plain text.
func Summary(in *Input) (lines []string) {
	p := pageOf(in)
	if p.MadeUp {
		lines = append(lines, "The built-in lab made up these answers. Nothing in this report is real.")
	}
	if p.Empty != "" {
		return append(lines, p.Empty)
	}
	for _, cut := range p.Cuts {
		prefix := ""
		if cut.Name != "" {
			prefix = cut.Name + ": "
		}
		for _, h := range cut.Headlines {
			line := fmt.Sprintf("%s%s is named in %s of answers", prefix, h.Brand, h.Figure.Value)
			if h.Figure.Rerun != "" {
				line += fmt.Sprintf(" (expected range if re-run: %s)", h.Figure.Rerun)
			}
			if h.Change.Points == "" {
				line += ". Nothing to compare with."
			} else {
				line += fmt.Sprintf(". Change from the previous period: %s, %s.", h.Change.Points, h.Change.Verdict)
			}
			lines = append(lines, line)
		}
		if cut.Prompts != nil {
			lines = append(lines, prefix+cut.Prompts.Sentence())
		}
	}
	return append(lines, p.Coverage.Sentence)
}
