package api

import (
	"errors"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/schema"
	"earshot/internal/store"
)

// maxDefinition is the maximum size of a tracker's definition.
const maxDefinition = 8 << 20

func trackerOperations() []Operation {
	return []Operation{
		operation(Operation{Method: "GET", Path: "/v1/trackers", Scope: account.ScopeRead, Client: Method{Name: "Trackers", Returns: "Trackers"}},
			func(s *Server, c *call, _, _ none) (*earshot.TrackerList, error) {
				return s.Trackers.List(c.context(), c.organization(), s.Store.Now())
			}),
		operation(Operation{Method: "GET", Path: "/v1/trackers/{name}", Scope: account.ScopeRead, Finds: "tracker", Client: Method{Name: "Tracker"}},
			func(s *Server, c *call, _, _ none) (*earshot.Tracker, error) {
				return s.Trackers.Get(c.context(), c.organization(), c.trackerName(), s.Store.Now())
			}),
		operation(Operation{Method: "PUT", Path: "/v1/trackers/{name}", Scope: account.ScopeTrack, YAML: true, Audit: "tracker.create,tracker.change"}, (*Server).applyTracker),
		operation(Operation{Method: "PATCH", Path: "/v1/trackers/{name}", Scope: account.ScopeTrack, Finds: "tracker", Audit: "tracker.pause,tracker.resume"},
			func(s *Server, c *call, _ none, patch earshot.TrackerPatch) (*earshot.Tracker, error) {
				return s.Trackers.SetState(c.context(), c.organization(), c.trackerName(), orZero(patch.State), c.actor(), s.Store.Now())
			}),
		operation(Operation{Method: "DELETE", Path: "/v1/trackers/{name}", Scope: account.ScopeTrack, Finds: "tracker", Audit: "tracker.delete", Client: Method{Name: "DeleteTracker", Returns: nothing}},
			func(s *Server, c *call, _, _ none) (earshot.TrackerDeleted, error) {
				return earshot.TrackerDeleted{Name: c.trackerName()}, s.Trackers.Store.DeleteTracker(c.context(), c.organization(), c.trackerName(), c.actor(), s.Store.Now())
			}),
		operation(Operation{Method: "POST", Path: "/v1/trackers/{name}/demo", Claims: true, Scope: account.ScopeTrack, BodyOptional: true, Audit: "tracker.create", Client: Method{Name: "MakeDemo"}}, (*Server).makeDemo),
	}
}

func sweepOperations() []Operation {
	return []Operation{
		operation(Operation{Method: "GET", Path: "/v1/trackers/{name}/sweeps", Scope: account.ScopeRead, Finds: "tracker", Client: Method{Name: "Sweeps"}},
			func(s *Server, c *call, q earshot.SweepQuery, _ none) (*earshot.SweepPage, error) {
				before, err := idCursor(q.Cursor)
				if err != nil {
					return nil, err
				}
				return s.Trackers.Sweeps(c.context(), c.organization(), c.trackerName(), q.State, before, q.Limit)
			}),
		operation(Operation{Method: "POST", Path: "/v1/trackers/{name}/sweeps", Scope: account.ScopeTrack, Finds: "tracker", Audit: "tracker.run"},
			func(s *Server, c *call, _ none, request earshot.SweepRequest) (*earshot.SweepStarted, error) {
				return s.Trackers.RunNow(c.context(), c.organization(), c.trackerName(), request, c.actor(), s.Store.Now())
			}),
		operation(Operation{Method: "GET", Path: "/v1/trackers/{name}/sweeps/{id}", Scope: account.ScopeRead, Finds: "sweep", Client: Method{Name: "Sweep"}},
			func(s *Server, c *call, _, _ none) (*earshot.Sweep, error) {
				return s.Trackers.Sweep(c.context(), c.organization(), c.trackerName(), c.subject())
			}),
		operation(Operation{Method: "DELETE", Path: "/v1/trackers/{name}/sweeps/{id}", Scope: account.ScopeTrack, Finds: "sweep", Audit: "sweep.cancel", Client: Method{Name: "CancelSweep"}},
			func(s *Server, c *call, _, _ none) (*earshot.SweepCancelResult, error) {
				return s.Trackers.Cancel(c.context(), c.organization(), c.trackerName(), c.subject(), c.actor(), s.Store.Now())
			}),
	}
}

// trackerName returns the name of the tracker in the path.
func (c *call) trackerName() string { return validText(c.r.PathValue("name")) }

// applyTracker applies a definition; with dryRun, it only returns the changes.
func (s *Server) applyTracker(c *call, q earshot.TrackerQuery, _ unread[earshot.TrackerDefinition]) (*earshot.TrackerApplied, error) {
	if !schema.IsTrackerName(c.trackerName()) {
		return nil, schema.Invalid("name", "%s", schema.TrackerNameRule)
	}
	body, err := c.body(maxDefinition)
	if err != nil {
		return nil, err
	}
	applied, err := s.Trackers.Apply(c.context(), c.organization(), c.trackerName(), body, c.isYAML(), q.DryRun, c.actor(), s.Store.Now())
	return applied, c.unlessChanged(err)
}

// unlessChanged replaces store.ErrChanged by an error for the client.
func (c *call) unlessChanged(err error) error {
	if !errors.Is(err, store.ErrChanged) {
		return err
	}
	return &earshot.Error{
		Code: earshot.CodeConflict, Message: "another request is changing this tracker; read it again and retry",
		Details: earshot.ConflictDetails{ID: c.trackerName()},
	}
}

// makeDemo creates a tracker with a made-up history.
func (s *Server) makeDemo(c *call, _ none, in unchecked[earshot.DemoRequest]) (*earshot.DemoMade, error) {
	if !schema.IsTrackerName(c.trackerName()) {
		return nil, schema.Invalid("name", "%s", schema.TrackerNameRule)
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	made, err := s.Trackers.MakeDemo(c.context(), c.organization(), c.trackerName(), in.value, c.actor(), s.Store.Now())
	return made, c.unlessChanged(err)
}

// span returns moments, or an error if the end is not after the start.
func span(from, to string) (start, end time.Time, err error) {
	start, end = moments(from, to)
	if !start.IsZero() && !end.IsZero() && !start.Before(end) {
		return start, end, schema.Invalid("to", "must be after from")
	}
	return start, end, nil
}

// moments returns the start and the exclusive end of a time range. A day is a whole UTC day.
// The texts were validated when the query was decoded.
func moments(from, to string) (start, end time.Time) {
	if from != "" {
		start, _, _ = schema.ParseMoment(from)
	}
	if to != "" {
		var isDay bool
		if end, isDay, _ = schema.ParseMoment(to); isDay {
			end = end.Add(24 * time.Hour)
		}
	}
	return start, end
}
