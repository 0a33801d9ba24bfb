package searchaimode

import (
	"earshot"
	"earshot/internal/provider"
	"earshot/internal/upstream"
)

var _ provider.Buyer = (*request)(nil)

// Question returns the request in the form that vendors need.
func (r *request) Question() *provider.Question {
	q := r.query.Question(definition.Name)
	q.Markdown, q.HTML, q.Expand = r.include.Markdown, r.include.HTML, r.expand
	return q
}

// Complete makes the result from a vendor's reply.
func (r *request) Complete(reply *provider.Reply, up *upstream.Session) (*provider.Outcome, error) {
	if r.expand && reply.Answer.ProductResults == nil {
		reply.Answer.ProductResults = []earshot.Product{}
	}
	found, err := r.include.Complete(reply, up, r.query.Locale)
	if err != nil {
		return nil, err
	}
	return &provider.Outcome{Result: found, Bill: bill(len(found.ProductResults))}, nil
}
