package chatpage

import (
	"golang.org/x/net/html"

	"earshot"
	"earshot/internal/provider/answer"
)

// ReadTurn reads an answer that is a part of a larger page, and its Markdown only
// when that is wanted. It changes the part. An answer without text is none: then
// it gives nil. The error is an *upstream.Failure.
func (p *Page) ReadTurn(turn *html.Node, want answer.Want) (*earshot.Answer, error) {
	found := &earshot.Answer{}
	s := survey{marks: &p.marks}
	s.walk(turn, true)
	if s.model != "" {
		found.Model = &s.model
	}
	r := turnReader{page: p, want: want, base: s.base, answer: found}
	if err := r.read(turn); err != nil {
		return nil, err
	}
	if found.Text == "" {
		return nil, nil //nolint:nilnil // see above
	}
	return found, nil
}
