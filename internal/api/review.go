package api

import (
	"earshot"
	"earshot/internal/account"
)

func reviewOperations() []Operation {
	return []Operation{
		operation(Operation{Method: "GET", Path: "/v1/trackers/{name}/reviews", Scope: account.ScopeRead, Finds: "tracker", Client: Method{Name: "Reviews"}},
			func(s *Server, c *call, q earshot.ReviewQuery, _ none) (*earshot.ReviewPage, error) {
				after, err := idCursor(q.Cursor)
				if err != nil {
					return nil, err
				}
				from, until, err := span(q.From, q.To)
				if err != nil {
					return nil, err
				}
				return s.Trackers.Reviews(c.context(), c.organization(), c.trackerName(), &q, from, until, after)
			}),
		operation(Operation{Method: "PATCH", Path: "/v1/trackers/{name}/reviews/{id}", Scope: account.ScopeTrack, Finds: "review", Audit: "review.mark", Client: Method{Name: "MarkReview", Returns: "Review"}},
			func(s *Server, c *call, _ none, patch earshot.ReviewPatch) (*earshot.ReviewMarked, error) {
				return s.Trackers.MarkReview(c.context(), c.organization(), c.trackerName(), c.subject(), patch, c.actor(), s.Store.Now())
			}),
	}
}
