package websearch

import (
	"earshot/internal/provider"
	"earshot/internal/upstream"
)

var _ provider.Buyer = (*request)(nil)

// Question returns the request in the form that vendors need.
func (r *request) Question() *provider.Question {
	q := r.query.Question(definition.Name)
	q.HTML, q.Overview, q.Markdown, q.QuestionOverviews = r.html, r.overview, r.markdown, r.questions
	return q
}

// Complete makes the result from a vendor's reply.
func (r *request) Complete(reply *provider.Reply, up *upstream.Session) (*provider.Outcome, error) {
	result := reply.Web
	result.Surface, result.Via = up.Surface(), up.Via()
	if reply.Located {
		result.Location = up.Location(r.query.Locale)
	}
	if overview := result.SearchOverview; overview != nil {
		if r.overview {
			overview.Surface, overview.Via = up.Surface(), up.Via()
			if !r.markdown {
				overview.Markdown = ""
			}
		} else {
			result.SearchOverview = nil
		}
	}
	return &provider.Outcome{Result: result, Bill: r.bill(lastPage(result))}, nil
}
