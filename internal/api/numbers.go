package api

import (
	"context"
	"errors"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/track"
)

func numberOperations() []Operation {
	return []Operation{
		operation(Operation{Method: "GET", Path: "/v1/trackers/{name}/metrics", Scope: account.ScopeRead, Finds: "tracker", Client: Method{Name: "TrackerMetrics"}}, numbers((*track.Service).Metrics)),
		operation(Operation{Method: "GET", Path: "/v1/trackers/{name}/compare", Scope: account.ScopeRead, Finds: "tracker", Client: Method{Name: "CompareTracker"}},
			func(s *Server, c *call, q earshot.CompareQuery, _ none) (*earshot.CompareReport, error) {
				return s.Reports.Compare(c.context(), c.organization(), c.trackerName(), &q, s.Store.Now())
			}),
		operation(Operation{Method: "GET", Path: "/v1/trackers/{name}/sources", Scope: account.ScopeRead, Finds: "tracker", Client: Method{Name: "TrackerSources"}}, numbers((*track.Service).Sources)),
		operation(Operation{Method: "GET", Path: "/v1/trackers/{name}/rules", Scope: account.ScopeRead, Finds: "tracker", Client: Method{Name: "TrackerRules"}},
			func(s *Server, c *call, _, _ none) (*earshot.RulesList, error) {
				return s.Trackers.Rules(c.context(), c.organization(), c.trackerName())
			}),
		operation(Operation{Method: "GET", Path: "/v1/trackers/{name}/work", Scope: account.ScopeRead, Finds: "tracker", Client: Method{Name: "TrackerWork"}},
			func(s *Server, c *call, _, _ none) (*earshot.TrackerWorkList, error) {
				return s.Trackers.TrackerWork(c.context(), c.organization(), c.trackerName())
			}),
		operation(Operation{Method: "POST", Path: "/v1/trackers/{name}/reanalysis", Claims: true, Scope: account.ScopeTrack, Finds: "tracker", Audit: "tracker.reanalyse", Client: Method{Name: "Reanalyse"}},
			func(s *Server, c *call, _, _ none) (*earshot.Reanalysis, error) {
				started, err := s.Trackers.Reanalyse(c.context(), c.organization(), c.trackerName(), c.actor(), s.Store.Now())
				if errors.Is(err, store.ErrChanged) { // by a concurrent request
					err = errPastShare("another request is changing this tracker, try again")
				}
				return started, err
			}),
	}
}

// contentOperations returns the lists of what answers contain.
func contentOperations() []Operation {
	return []Operation{
		operation(Operation{Method: "GET", Path: "/v1/trackers/{name}/searches", Scope: account.ScopeRead, Finds: "tracker", Client: Method{Name: "TrackerSearches"}}, numbers((*track.Service).Searches)),
		operation(Operation{Method: "GET", Path: "/v1/trackers/{name}/products", Scope: account.ScopeRead, Finds: "tracker", Client: Method{Name: "TrackerProducts"}}, numbers((*track.Service).Products)),
		operation(Operation{Method: "GET", Path: "/v1/trackers/{name}/ads", Scope: account.ScopeRead, Finds: "tracker", Client: Method{Name: "TrackerAds"}}, numbers((*track.Service).Ads)),
	}
}

// answerOperations returns the operations on single answers of a tracker and on the names in them.
func answerOperations() []Operation {
	return []Operation{
		operation(Operation{Method: "GET", Path: "/v1/trackers/{name}/answers", Scope: account.ScopeRead, Finds: "tracker", Client: Method{Name: "Answers"}},
			func(s *Server, c *call, q earshot.AnswerQuery, _ none) (*earshot.AnswerPage, error) {
				before, err := idCursor(q.Cursor)
				if err != nil {
					return nil, err
				}
				from, until := moments(q.From, q.To)
				return s.Reports.Answers(c.context(), c.organization(), c.trackerName(), &q.AnswerFilter, from, until, before, q.Limit)
			}),
		operation(Operation{Method: "GET", Path: "/v1/trackers/{name}/answers/{id}", Scope: account.ScopeRead, Finds: "answer", Client: Method{Name: "Answer"}},
			func(s *Server, c *call, _, _ none) (*earshot.TrackedAnswer, error) {
				return s.Reports.Answer(c.context(), c.organization(), c.trackerName(), c.subject())
			}),
		operation(Operation{Method: "GET", Path: "/v1/trackers/{name}/diff", Scope: account.ScopeRead, Finds: "tracker", Client: Method{Name: "DiffAnswers", Takes: []string{"A", "B"}}}, numbers((*track.Service).Diff)),
		operation(Operation{Method: "POST", Path: "/v1/trackers/{name}/names/try", Scope: account.ScopeRead, Finds: "tracker", Unaudited: changesNothing, Client: Method{Name: "TryNames"}},
			func(s *Server, c *call, _ none, trial earshot.NameTrial) (*earshot.NameTried, error) {
				return s.Reports.TryNames(c.context(), c.organization(), c.trackerName(), &trial)
			}),
		operation(Operation{Method: "GET", Path: "/v1/trackers/{name}/discover", Scope: account.ScopeRead, Finds: "tracker", Client: Method{Name: "DiscoverNames"}}, numbers((*track.Service).Discover)),
	}
}

// numbers returns a handler that calls a method of track.Service.
func numbers[Q, R any](read func(t *track.Service, ctx context.Context, organization, name string, q *Q) (*R, error)) func(*Server, *call, Q, none) (*R, error) {
	return func(s *Server, c *call, q Q, _ none) (*R, error) {
		return read(s.Reports, c.context(), c.organization(), c.trackerName(), &q)
	}
}
