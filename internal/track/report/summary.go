package report

import "fmt"

// Summary is what a report says in a few lines of plain text.
func Summary(in *Input) (lines []string) {
	p := pageOf(in)
	if p.MadeUp {
		lines = append(lines, "The built-in lab made up these answers; nothing of it is real.")
	}
	if p.Empty != "" {
		return append(lines, p.Empty)
	}
	for _, cut := range p.Cuts {
		about := ""
		if cut.Name != "" {
			about = cut.Name + ": "
		}
		for _, h := range cut.Headlines {
			line := fmt.Sprintf("%s%s is named in %s of answers", about, h.Brand, h.Figure.Value)
			if h.Figure.Again != "" {
				line += fmt.Sprintf(" (asked again, %s)", h.Figure.Again)
			}
			if h.Change.Points == "" {
				line += "; there is nothing to compare it with."
			} else {
				line += fmt.Sprintf("; %s, %s against the period before.", h.Change.Verdict, h.Change.Points)
			}
			lines = append(lines, line)
		}
		if cut.Prompts != nil {
			lines = append(lines, about+cut.Prompts.Sentence())
		}
	}
	return append(lines, p.Coverage.Sentence)
}
