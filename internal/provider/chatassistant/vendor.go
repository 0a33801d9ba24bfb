package chatassistant

import (
	"earshot/internal/provider"
	"earshot/internal/upstream"
)

var _ provider.Buyer = (*request)(nil)

// Question returns the request in the form that vendors need.
func (r *request) Question() *provider.Question {
	i := r.Include
	return &provider.Question{
		Provider: name, Text: r.Prompt, Locale: r.locale, NoSearch: r.DisableWebSearch, Legacy: r.Legacy,
		Markdown: i.Markdown, HTML: i.HTML, RawResponse: i.RawResponse, SearchQueries: i.SearchQueries, Shopping: i.Shopping, Ads: i.Ads,
	}
}

// Complete makes the result from a vendor's reply.
func (r *request) Complete(reply *provider.Reply, up *upstream.Session) (*provider.Outcome, error) {
	if !r.Include.SearchQueries {
		reply.Answer.SearchQueries, reply.Answer.MapSearchQueries = nil, nil
	}
	r.trim(reply.Answer)
	found, err := r.include().Complete(reply, up, r.locale)
	if err != nil {
		return nil, err
	}
	return &provider.Outcome{Result: found, Bill: r.Bill()}, nil
}
