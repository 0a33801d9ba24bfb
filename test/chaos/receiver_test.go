package chaos

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"

	"earshot"
)

// receivers is how many addresses webhooks go to. A node that is killed keeps
// its receivers from others until their lease ends, so one would hold up all.
const receivers = 4

// receiver records the webhooks that it gets.
type receiver struct {
	*stage
	servers []*httptest.Server

	mu  sync.Mutex
	got map[string]*received // by webhook-id
}

// received is what is known of one webhook.
type received struct {
	tries    int
	accepted int
	status   earshot.Status
	charged  int64
}

// failFirst in a webhook's address has its first try answered with 500.
const failFirst = "first=500"

func (s *stage) newReceiver() *receiver {
	r := &receiver{stage: s, got: map[string]*received{}}
	for range receivers {
		server := httptest.NewServer(r)
		s.Cleanup(server.Close)
		r.servers = append(r.servers, server)
	}
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	id := req.Header.Get("webhook-id")
	text, err := io.ReadAll(req.Body)
	if err != nil {
		return // its node was killed
	}
	var record earshot.TaskRecord
	if err := json.Unmarshal(text, &record); err != nil || record.Task.ID != id || record.Credits.CreditsCharged == nil {
		r.violation("webhook %s carries %.300s (%v)", id, text, err)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	one := r.got[id]
	if one == nil {
		one = &received{status: record.Task.Status, charged: *record.Credits.CreditsCharged}
		r.got[id] = one
	}
	if one.status != record.Task.Status || one.charged != *record.Credits.CreditsCharged {
		r.violation("webhook %s says %s and %d credits, and before %s and %d", id, record.Task.Status, *record.Credits.CreditsCharged, one.status, one.charged)
	}
	one.tries++
	if one.tries == 1 && req.URL.RawQuery == failFirst {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	one.accepted++
}

// of tells what is known of the webhook of a task.
func (r *receiver) of(id string) received {
	r.mu.Lock()
	defer r.mu.Unlock()
	if one := r.got[id]; one != nil {
		return *one
	}
	return received{}
}

// ids are the tasks that webhooks came for, and how many came again.
func (r *receiver) ids() (all []string, again int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, one := range r.got {
		all = append(all, id)
		again += max(0, one.accepted-1)
	}
	return all, again
}
