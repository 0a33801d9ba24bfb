package store

import (
	"maps"
	"sync"
	"time"

	"earshot"
)

// A queued task whose credits are short only because running jobs hold them goes back to
// the front of its queue, and the tasks behind it wait with it: whatever they took, it would
// wait for them as well. Settling those jobs either gives the credits back or takes them
// from the balance, so nothing waits for ever.
//
// Each node remembers such organizations and leaves them out of its claims until their rows
// show that credits came back. Whether a task starts is always decided in the
// transaction of a claim: what is remembered only saves tries.

const (
	// shortTime is how long a shortage is remembered. It bounds how long a task waits that was
	// let in by a change that the row of its organization does not show, such as a
	// higher ceiling of its key.
	shortTime = time.Second
	// fewTasks is how many tasks are looked at even where the credits that are left may be
	// too few for one.
	fewTasks = 16
)

// shortages are the organizations whose next task waits for credits.
type shortages struct {
	mu            sync.Mutex
	organizations map[string]shortage
}

// shortage is what the row of an organization said when its next task had to wait.
type shortage struct {
	queued        int
	balance, held int64
	until         time.Time // when it is forgotten
}

func (s *shortages) note(found map[string]shortage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.organizations == nil {
		s.organizations = map[string]shortage{}
	}
	for id, one := range found {
		one.until = time.Now().Add(shortTime)
		s.organizations[id] = one
	}
}

// count returns how many organizations are left out at most.
func (s *shortages) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.organizations, func(_ string, one shortage) bool { return time.Now().After(one.until) })
	return len(s.organizations)
}

// lasts reports whether the next task of an organization still waits for credits: the
// same tasks are queued, and nothing was given back.
func (s *shortages) lasts(now candidate) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	then, known := s.organizations[now.id]
	return known && time.Now().Before(then.until) && now.queued == then.queued && now.balance == then.balance && now.held >= then.held
}

// checkPaid returns why a job cannot be paid, or nil. waits reports whether jobs that run now
// may give back the credits that it lacks.
func (w *Work) checkPaid(o *LockedOrganization, job *Job, now time.Time) (waits bool, why error) {
	if o.Balance < job.MaxCost {
		return false, errNoCredits(*job, o)
	}
	waits, why = w.checkBudget(job, now)
	if (why == nil || waits) && o.Available() < job.MaxCost {
		return true, errNoCredits(*job, o)
	}
	return waits, why
}

// putBack leaves a task in the queue that a claim has started.
func (w *Work) putBack(job *Job) {
	job.neverStarted()
	w.returned = append(w.returned, job)
}

// neverStarted makes a job queued again that a claim has started.
func (j *Job) neverStarted() {
	j.Status, j.Node, j.StartedAt, j.Attempts = earshot.StatusQueued, "", time.Time{}, j.Attempts-1
}
