package api

import (
	"earshot"
	"earshot/internal/store"
)

// queueStatus tells how the organization's queue and slots stand.
func (s *Server) queueStatus(c *call) error {
	status, err := s.Store.QueueStatus(c.r.Context(), c.principal.OrganizationID)
	if err != nil {
		return err
	}
	return c.json(queueOf(status))
}

func queueOf(status store.QueueStatus) earshot.QueueStatus {
	o := status.Organization
	return earshot.QueueStatus{
		QueuedTasks:       o.Queued,
		ProcessingTasks:   status.Processing,
		PriorityBreakdown: status.Queued,
		Concurrency:       earshot.Concurrency{Used: o.Running, Max: o.Plan.Slots},
		Queue:             earshot.QueueRoom{Max: o.Plan.QueueCapacity, Remaining: max(0, o.Plan.QueueCapacity-o.Queued)},
	}
}

// clear removes every queued task of the organization.
func (s *Server) clear(c *call) error {
	cleared, err := s.Store.Clear(c.principal.OrganizationID, c.started)
	if err != nil {
		return err
	}
	s.Log.Info("a queue was cleared", "request", c.id, "organization", c.principal.OrganizationID, "tasks", cleared)
	return c.json(earshot.QueueCleared{Cleared: cleared})
}
