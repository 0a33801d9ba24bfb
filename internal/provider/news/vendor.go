package news

import (
	"earshot/internal/provider"
	"earshot/internal/upstream"
)

var _ provider.Buyer = (*request)(nil)

// Question returns the request in the form that vendors need.
func (r *request) Question() *provider.Question {
	q := r.query.Question(definition.Name)
	q.HTML = r.html
	return q
}

// Complete makes the result from a vendor's reply.
func (r *request) Complete(reply *provider.Reply, up *upstream.Session) (*provider.Outcome, error) {
	result := reply.News
	result.Surface, result.Via = up.Surface(), up.Via()
	if reply.Located {
		result.Location = up.Location(r.query.Locale)
	}
	return &provider.Outcome{Result: result, Bill: bill(lastPage(result))}, nil
}
