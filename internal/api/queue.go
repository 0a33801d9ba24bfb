package api

import (
	"earshot"
	"earshot/internal/store/history"
)

func queueOf(status history.QueueStatus) earshot.QueueStatus {
	o := status.Organization
	return earshot.QueueStatus{
		QueuedTasks:       o.Queued,
		ProcessingTasks:   status.Processing,
		PriorityBreakdown: status.Queued,
		Concurrency:       earshot.Concurrency{Used: o.Running, Max: o.Plan.Slots},
		Queue:             earshot.QueueRoom{Max: o.Plan.QueueCapacity, Remaining: max(0, o.Plan.QueueCapacity-o.Queued)},
	}
}

// clear removes all queued tasks of the organization.
func (s *Server) clear(c *call, _, _ none) (earshot.QueueCleared, error) {
	cleared, err := s.Store.Clear(c.organization(), c.actor(), c.started)
	return earshot.QueueCleared{Cleared: cleared}, err
}
