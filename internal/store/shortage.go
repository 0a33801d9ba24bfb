package store

import (
	"maps"
	"sync"
	"time"

	"earshot"
)

// A queued task that lacks credits only because running jobs hold them returns to the front of
// its queue, and the tasks behind it wait too: any credits that they took would delay it
// further. Settling a running job either releases its held credits or takes them from the balance, so
// no task waits forever.
//
// Each node caches such organizations and skips them in its claims until their rows show that
// credits were released. The cache only saves attempts: the transaction of a claim always decides
// whether a task starts.

const (
	// shortTime is how long a shortage stays in the cache. It limits the wait for changes that
	// are not visible in the organization's row, such as a higher budget of a key.
	shortTime = time.Second
	// fewTasks is the number of tasks that a claim always examines, even if the available credits
	// may not suffice for one.
	fewTasks = 16
)

// shortages caches the organizations whose next task waits for credits.
type shortages struct {
	mu            sync.Mutex
	organizations map[string]shortage
}

// shortage holds values of an organization's row from when its next task had to wait.
type shortage struct {
	queued        int
	balance, held int64
	until         time.Time // when the entry expires
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

// count returns the number of organizations in the cache, without expired ones.
func (s *shortages) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.organizations, func(_ string, one shortage) bool { return time.Now().After(one.until) })
	return len(s.organizations)
}

// lasts reports whether the next task of an organization still waits for credits: the same
// tasks are queued, and no credits were released.
func (s *shortages) lasts(now candidate) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	then, known := s.organizations[now.id]
	return known && time.Now().Before(then.until) && now.queued == then.queued && now.balance == then.balance && now.held >= then.held
}

// checkPaid returns the reason why a job cannot be paid, or nil. waits reports whether running
// jobs may release the missing credits.
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

// putBack returns a task that a claim has started to the queue.
func (w *Work) putBack(job *Job) {
	job.neverStarted()
	w.returned = append(w.returned, job)
}

// neverStarted resets a job that a claim has started to queued.
func (j *Job) neverStarted() {
	j.Status, j.Node, j.StartedAt, j.Attempts = earshot.StatusQueued, "", time.Time{}, j.Attempts-1
}
