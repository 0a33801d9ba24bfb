package chat

import (
	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/upstream"
)

var _ provider.Buyer = (*request)(nil)

// Question returns the request in the form that vendors need.
func (r *request) Question() *provider.Question {
	return &provider.Question{
		Provider: r.assistant.About.Name, Text: r.question.Prompt, Locale: r.question.Locale,
		Markdown: r.include.Markdown, HTML: r.include.HTML, RawResponse: r.include.RawResponse,
	}
}

// Complete makes the result from a vendor's reply.
func (r *request) Complete(reply *provider.Reply, up *upstream.Session) (*provider.Outcome, error) {
	found, err := r.include.Complete(reply, up, r.question.Locale)
	if err != nil {
		return nil, err
	}
	return &provider.Outcome{Result: found, Bill: r.Bill()}, nil
}

// Complete returns the answer of a vendor's reply with the parts that the request includes.
func (i Include) Complete(reply *provider.Reply, up *upstream.Session, locale geo.Locale) (*earshot.Answer, error) {
	a := reply.Answer
	a.Via = up.Via()
	if reply.Located {
		a.Location = up.Location(locale)
	}
	if err := i.Attach(a, up, reply.Document); err != nil {
		return nil, err
	}
	return a, nil
}
