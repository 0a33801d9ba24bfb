package chaos

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"time"

	"earshot"
)

// kind is a type of task with a fixed price.
type kind struct {
	taskType string
	provider string
	field    string // of the payload that holds the question
	price    int64
}

// kinds are of tasks only, and called of calls only, so that the usage by provider
// tells what calls cost whose answer was lost.
var (
	kinds = []kind{
		{"CHATASSISTANT", "chatassistant", "prompt", 5},
		{"GENASSISTANT", "genassistant", "prompt", 4},
		{"WEBSEARCH", "websearch", "query", 3},
	}
	called = kind{"SOCIALASSISTANT", "socialassistant", "prompt", 4}
)

// task is a task as it was submitted.
type task struct {
	kind
	question string // no other task has it
	key      string // idempotency key, or ""
	hook     string // address of its webhook, or ""
	priority int
	capture  bool // it keeps the page
	hopeless bool // no attempt succeeds
}

// body is the task on the wire.
func (t *task) body() map[string]any {
	payload := map[string]any{t.field: t.question, "country": "US"}
	if t.capture {
		payload["include"] = map[string]any{"html": true}
	}
	body := map[string]any{"taskType": t.taskType, "payload": payload, "priority": t.priority}
	if t.key != "" {
		body["idempotencyKey"] = t.key
	}
	if t.hook != "" {
		body["webhook"] = map[string]any{"url": t.hook}
	}
	return body
}

// organization is one that uses the service, and what it remembers of the round.
type organization struct {
	name    string
	id      string
	key     string
	clients int           // that work at the same time
	pace    time.Duration // between two requests of a client
	calm    bool          // asks nothing that keeps a slot for long
	grant   int64         // credits before each round; it runs out of them

	// How it stood when the round began.
	balance int64
	before  map[string]use  // by provider
	newest  string          // task
	usage   map[string]use  // before, and what the tasks of the round add
	booked  map[string]bool // jobs that were charged in earlier rounds

	mu       sync.Mutex
	tasks    map[string]*task    // acknowledged, by id
	ids      []string            // of these
	doubtful map[string]*task    // submitted without an answer, by question
	seen     map[string]progress // what polling told, by id
	calls    map[string]int64    // answered, by id: what they were charged
	cut      int                 // calls without an answer
}

// use is what a provider's jobs came to.
type use struct{ completed, failed, charged int64 }

// forget begins a round.
func (o *organization) forget() {
	o.tasks, o.ids, o.doubtful, o.seen = map[string]*task{}, nil, map[string]*task{}, map[string]progress{}
	o.calls, o.cut = map[string]int64{}, 0
}

// acknowledge remembers that the service took a task.
func (s *stage) acknowledge(o *organization, id string, t *task) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.doubtful, t.question)
	if before := o.tasks[id]; before != nil && before != t {
		s.violation("%s: task %s stands for %q and for %q", o.name, id, before.question, t.question)
		return
	}
	if o.tasks[id] == nil {
		o.ids = append(o.ids, id)
	}
	o.tasks[id] = t
}

// doubt remembers that nobody knows whether the service took a task.
func (o *organization) doubt(t *task) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.doubtful[t.question] = t
}

// refused forgets a task that the service did not take.
func (o *organization) refused(t *task) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.doubtful, t.question)
}

// load keeps all organizations busy until it is told to stop.
func (s *stage) load() (stop func()) {
	ended := make(chan struct{})
	var all sync.WaitGroup
	for _, o := range s.organizations {
		for range o.clients {
			r := s.source()
			all.Go(func() { s.work(r, o, ended) })
		}
		r := s.source()
		all.Go(func() { s.watch(r, o, ended) })
	}
	for _, name := range s.tracking.trackers {
		r := s.source()
		all.Go(func() { s.sweep(r, name, ended) })
	}
	if s.studies {
		name, r := s.tracking.trackers[0], s.source()
		all.Go(func() { s.study(r, name, ended) })
	}
	if s.people != nil {
		for _, u := range s.people.users {
			r := s.source()
			all.Go(func() { s.live(r, s.people, u, ended) })
		}
	}
	r := s.source()
	all.Go(func() { s.raise(r, ended) })
	stop = sync.OnceFunc(func() {
		close(ended)
		all.Wait()
	})
	s.Cleanup(stop) // a test that breaks off must not leave them behind
	return stop
}

// work is one client: it submits and calls.
func (s *stage) work(r *rand.Rand, o *organization, ended <-chan struct{}) {
	for {
		select {
		case <-ended:
			return
		case <-time.After(time.Duration(r.Int64N(2 * int64(o.pace)))):
		}
		switch n := r.IntN(10); {
		case n < 3:
			s.call(r, o)
		case n < 5:
			s.submit(r, o, []*task{s.newTask(r, o)}, false)
		default:
			batch := make([]*task, 1+r.IntN(8))
			for i := range batch {
				batch[i] = s.newTask(r, o)
			}
			s.submit(r, o, batch, true)
		}
	}
}

func (s *stage) newTask(r *rand.Rand, o *organization) *task {
	n := s.serial.Add(1)
	t := &task{kind: kinds[r.IntN(len(kinds))], priority: 1 + r.IntN(10), capture: r.IntN(16) == 0}
	words := ""
	switch {
	case r.IntN(6) == 0:
		words = " [[delay=50ms]]"
	case !o.calm && s.failing.Load() && n%2 == 0:
		words, t.hopeless = " [[status=503]]", true
	case !o.calm && r.IntN(20) == 0:
		words = " [[fail=1]]"
	case !o.calm && s.hopeless.Load() && r.IntN(200) == 0:
		words, t.hopeless = " [[status=503]]", true
	}
	t.question = fmt.Sprintf("%s asks %d%s", o.name, n, words)
	if r.IntN(2) == 0 {
		t.key = fmt.Sprintf("key-%d", n)
	}
	if r.IntN(4) == 0 {
		t.hook = fmt.Sprintf("%s/%d", s.hooks.servers[r.IntN(receivers)].URL, n)
		if s.long && r.IntN(10) == 0 {
			t.hook += "?" + failFirst
		}
	}
	return t
}

// submit hands in tasks, and once more those with a key when there is no answer,
// as a careful client would.
func (s *stage) submit(r *rand.Rand, o *organization, tasks []*task, batch bool) {
	if s.submitOnce(r, o, tasks, batch) || r.IntN(2) == 0 {
		return
	}
	for _, t := range tasks {
		if t.key != "" {
			s.submitOnce(r, o, []*task{t}, false)
		}
	}
}

// submitOnce hands in tasks and tells whether it is known what became of them.
func (s *stage) submitOnce(r *rand.Rand, o *organization, tasks []*task, batch bool) bool {
	path, body := "/v1/async/task", any(tasks[0].body())
	if batch {
		all := make([]map[string]any, len(tasks))
		for i, t := range tasks {
			all[i] = t.body()
		}
		path, body = "/v1/async/task/batch", all
	}
	for _, t := range tasks {
		o.doubt(t)
	}
	a, err := s.send(r, o, http.MethodPost, path, body)
	switch {
	case errors.Is(err, errNotSent):
		// Doubts of an earlier try of the same task stay.
		if batch || tasks[0].key == "" {
			for _, t := range tasks {
				o.refused(t)
			}
		}
		return true
	case err != nil || a.body == nil || a.status >= http.StatusInternalServerError:
		return false
	case batch && a.status == http.StatusOK:
		s.takeBatch(o, tasks, a)
	case !batch:
		s.take(o, tasks[0], a)
	default:
		s.expectRefusal(o, a.failure())
		for _, t := range tasks {
			o.refused(t)
		}
	}
	return true
}

// take notes what became of a task that was handed in alone.
func (s *stage) take(o *organization, t *task, a *answer) {
	if a.status == http.StatusOK {
		var taken struct {
			Task earshot.Task `json:"task"`
		}
		if err := json.Unmarshal(a.body, &taken); err != nil {
			s.violation("%s: %v in %.300s", o.name, err, a.body)
			return
		}
		s.acknowledge(o, taken.Task.ID, t)
		return
	}
	s.takeRefusal(o, t, a.failure())
}

func (s *stage) takeBatch(o *organization, tasks []*task, a *answer) {
	var taken struct {
		Results []struct {
			Task  *earshot.Task `json:"task"`
			Error *failure      `json:"error"`
		} `json:"results"`
	}
	if err := json.Unmarshal(a.body, &taken); err != nil || len(taken.Results) != len(tasks) {
		s.violation("%s: a batch of %d is answered with %.300s (%v)", o.name, len(tasks), a.body, err)
		return
	}
	for i, one := range taken.Results {
		switch {
		case one.Task != nil:
			s.acknowledge(o, one.Task.ID, tasks[i])
		case one.Error != nil:
			s.takeRefusal(o, tasks[i], one.Error)
		}
	}
}

func (s *stage) takeRefusal(o *organization, t *task, why *failure) {
	if why.Code == earshot.CodeAlreadyExists && t.key != "" {
		s.acknowledge(o, why.taken(), t) // an earlier try came through
		return
	}
	s.expectRefusal(o, why)
	if t.key == "" || why.Code == earshot.CodeNoCredits { // else the key was not looked at
		o.refused(t)
	}
}

// expectRefusal knows what a sound task can be refused for.
func (s *stage) expectRefusal(o *organization, why *failure) {
	switch why.Code {
	case earshot.CodeNoCredits:
		if o.grant == 0 {
			s.violation("%s: a task was refused for want of credits: %s", o.name, why.Message)
		}
	case earshot.CodeRateLimit, earshot.CodeQueueLimit:
	default:
		s.violation("%s: a task was refused with %s: %s %s", o.name, why.Code, why.Message, why.Details)
	}
}

// call makes a synchronous call and notes what it cost.
func (s *stage) call(r *rand.Rand, o *organization) {
	question := fmt.Sprintf("%s calls %d", o.name, s.serial.Add(1))
	if r.IntN(3) == 0 {
		question += " [[delay=50ms]]"
	}
	began := time.Now()
	a, err := s.send(r, o, http.MethodPost, "/v1/monitor/"+called.provider, map[string]any{called.field: question, "country": "US"})
	if errors.Is(err, errNotSent) {
		return
	}
	if err == nil && a.status == http.StatusOK {
		s.mu.Lock()
		s.took = append(s.took, time.Since(began))
		s.mu.Unlock()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if err != nil {
		o.cut++
		return
	}
	// The header counts, also when the rest of the answer broke off.
	charged, err := strconv.ParseInt(a.header.Get("X-Credits-Charged"), 10, 64)
	if (a.status == http.StatusOK) != (charged == called.price) || a.status != http.StatusOK && charged != 0 {
		s.violation("%s: a call answered with %d is charged %d (%v)", o.name, a.status, charged, err)
	}
	o.calls[a.header.Get("X-Request-Id")] = charged
}

// progress is how far a task was seen to be.
type progress struct {
	status   earshot.Status
	attempts int
}

var order = map[earshot.Status]int{earshot.StatusQueued: 0, earshot.StatusProcessing: 1, earshot.StatusCompleted: 2, earshot.StatusFailed: 2}

// watch polls while others work: tasks only move on, and slots are never
// exceeded.
func (s *stage) watch(r *rand.Rand, o *organization, ended <-chan struct{}) {
	for {
		select {
		case <-ended:
			return
		case <-time.After(3 * o.pace):
		}
		s.watchStatus(r, o)
		o.mu.Lock()
		id := ""
		if n := len(o.ids); n > 0 {
			id = o.ids[max(0, n-1-r.IntN(50))]
		}
		o.mu.Unlock()
		if id != "" {
			s.watchTask(r, o, id)
		}
	}
}

func (s *stage) watchTask(r *rand.Rand, o *organization, id string) {
	a, err := s.send(r, o, http.MethodGet, "/v1/async/task/"+id, nil)
	if err != nil || a.body == nil {
		return
	}
	var record earshot.TaskRecord
	switch {
	case a.status == http.StatusNotFound:
		s.violation("%s: task %s was acknowledged and is not there", o.name, id)
	case a.status == http.StatusOK && json.Unmarshal(a.body, &record) == nil:
		s.advance(o, record.Task)
	}
}

// advance holds what a poll told against the one before.
func (s *stage) advance(o *organization, t earshot.Task) {
	o.mu.Lock()
	defer o.mu.Unlock()
	before, now := o.seen[t.ID], progress{t.Status, t.Attempts}
	if order[now.status] < order[before.status] || now.attempts < before.attempts ||
		order[before.status] == 2 && now != before {
		s.violation("%s: task %s went from %+v to %+v", o.name, t.ID, before, now)
	}
	o.seen[t.ID] = now
}

func (s *stage) watchStatus(r *rand.Rand, o *organization) {
	a, err := s.send(r, o, http.MethodGet, "/v1/async/status", nil)
	if err != nil || a.body == nil || a.status != http.StatusOK {
		return
	}
	var status earshot.QueueStatus
	if err := json.Unmarshal(a.body, &status); err != nil {
		s.violation("%s: %v in the status %.300s", o.name, err, a.body)
		return
	}
	queued := 0
	for _, one := range status.PriorityBreakdown {
		queued += one.Count
	}
	if status.Concurrency.Used > status.Concurrency.Max || status.ProcessingTasks > status.Concurrency.Used || queued != status.QueuedTasks {
		s.violation("%s: the status does not add up: %s", o.name, a.body)
	}
}
