package world

// Footnote is the number of a source in the answer's list, counting from 1; 0
// for a source that is not on it.
func (a *Answer) Footnote(s Source) int {
	for i, known := range a.Sources {
		if known.URL == s.URL {
			return i + 1
		}
	}
	return 0
}
