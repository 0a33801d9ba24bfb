package answerengine

import (
	"regexp"

	"earshot"
	"earshot/internal/provider/answer"
)

// page is where things stand on a saved page of the engine's site. It is served
// to people; we are served one only in the place of a stream, when it wants
// something of us.
var page = answer.NewPage(answer.Layout{
	User:    ".group/query",
	Turn:    ".prose",
	Message: ".prose",
	Chip:    ".citation",
	Own:     ownSources,
})

var numeral = regexp.MustCompile(`^[0-9]+$`)

// readPage reads a saved page. A chip there shows a number, which is no name for
// a page.
func readPage(document []byte, want answer.Want) (*earshot.Answer, error) {
	found, err := page.Read(document, want)
	if err != nil {
		return nil, err
	}
	for i := range found.Sources {
		if source := &found.Sources[i]; numeral.MatchString(source.Label) {
			source.Label = source.Domain
		}
	}
	for i := range found.CitationPills {
		if pill := &found.CitationPills[i]; numeral.MatchString(pill.Label) {
			pill.Label = pill.Domain
		}
	}
	return found, nil
}
