package store

import (
	"cmp"
	"math"
	"slices"

	"earshot"
)

// position is where a task stands in the queue of its organization: by priority, and
// then by age.
type position struct {
	priority int
	id       string
}

// firstPosition comes before every task.
var firstPosition = position{math.MaxInt16, "00000000-0000-0000-0000-000000000000"}

func (j *Job) position() position { return position{j.Priority, j.ID} }

func (p position) compare(other position) int {
	return cmp.Or(cmp.Compare(other.priority, p.priority), cmp.Compare(p.id, other.id))
}

// moveFronts has the next claim search behind the tasks that are started now. Where fewer were
// found than are queued the front was wrong, since somebody changed the queue by hand: then the
// next search begins with the first position.
func (w *work) moveFronts(turns []*turn, started []*Job) {
	missing := make(map[string]int64, len(turns))
	for _, t := range turns {
		missing[t.organization] = t.tasks
	}
	for _, job := range w.unstoredTasks() { // they are counted
		missing[job.Organization]--
	}
	for _, job := range started {
		w.organizations[job.Organization].front = job.position()
		missing[job.Organization]--
	}
	for id, n := range missing {
		if n > 0 {
			w.organizations[id].front = firstPosition
		}
	}
}

// moveFrontsBack has the next claim find tasks that are queued from now on.
func (w *work) moveFrontsBack(queued []*Job) {
	for _, job := range queued {
		if o := w.organizations[job.Organization]; job.position().compare(o.front) < 0 {
			o.front = job.position()
		}
	}
}

// unstoredTasks are the tasks that writes of this transaction queued or put back. Their rows
// do not say so yet, so a claim of the same transaction does not find them.
func (w *work) unstoredTasks() []*Job {
	inserted := slices.DeleteFunc(slices.Clone(w.inserted), func(job *Job) bool { return job.Status != earshot.StatusQueued })
	return append(inserted, w.returned...)
}
