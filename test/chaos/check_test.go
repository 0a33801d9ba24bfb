package chaos

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"earshot"
	"earshot/test/harness/program"
)

const (
	// deliveryTime is how long webhooks may take then: a lease of a dead node
	// ends after 40 s, and a refused try is repeated after 5.
	deliveryTime = 5 * time.Minute
	// glance is how long the short version waits for webhooks. What a dead node
	// had under way must then still be planned.
	glance = 3 * time.Second
	// pollers ask at the same time for one organization.
	pollers = 8
)

// restTime is how long everything may take to come to rest: jobs of a dead node are found within
// 15 s, and a task then has up to four waits, 18 s; the rest is for slow machines.
func (s *stage) restTime() time.Duration {
	if s.long {
		return 5 * time.Minute
	}
	return time.Minute
}

// check lets everything come to rest and holds what organizations remember
// against what the service says.
func (s *stage) check() {
	s.each(s.resolve)
	began := time.Now()
	s.each(s.rest)
	s.Logf("at rest %s after the load; the last takeover was %d ms after the last kill", time.Since(began).Round(time.Millisecond), s.takeover.Load()-s.killed.Load())
	s.each(s.checkTasks)
	s.checkDeliveries()
	for _, o := range s.organizations {
		s.checkMoney(s.random, o)
	}
	s.checkSweeps()
	if s.people != nil {
		s.checkPeople()
	}
	s.audit()
}

// each does something for all organizations at once.
func (s *stage) each(do func(*rand.Rand, *organization)) {
	var all sync.WaitGroup
	for _, o := range s.organizations {
		r := s.source()
		all.Go(func() { do(r, o) })
	}
	all.Wait()
}

// resolve finds out what became of tasks with a key that got no answer: handed in
// again, they are either new or known.
func (s *stage) resolve(r *rand.Rand, o *organization) {
	var keyed []*task
	for _, t := range o.doubtful {
		if t.key != "" {
			keyed = append(keyed, t)
		}
	}
	for _, t := range keyed {
		if a := s.ask(r, o, http.MethodPost, "/v1/async/task", t.body()); a != nil {
			s.take(o, t, a)
		}
	}
	// Those that did get an answer are known by their key, too.
	for range min(10, len(o.ids)) {
		id := o.ids[r.IntN(len(o.ids))]
		t := o.tasks[id]
		if t.key == "" {
			continue
		}
		a := s.ask(r, o, http.MethodPost, "/v1/async/task", t.body())
		if a == nil {
			continue
		}
		if why := a.failure(); a.status != http.StatusConflict || why.taken() != id {
			s.violation("%s: task %s handed in again with its key: %d %.300s", o.name, id, a.status, a.body)
		}
	}
}

// rest waits until an organization has nothing queued or running.
func (s *stage) rest(r *rand.Rand, o *organization) {
	var status earshot.QueueStatus
	for deadline := time.Now().Add(s.restTime()); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		if !s.get(r, o, "/v1/async/status", &status) {
			return
		}
		if status.QueuedTasks == 0 && status.ProcessingTasks == 0 && status.Concurrency.Used == 0 {
			return
		}
	}
	s.violation("%s: after %s there are still %d tasks queued, %d processing and %d slots used",
		o.name, s.restTime(), status.QueuedTasks, status.ProcessingTasks, status.Concurrency.Used)
}

// checkTasks wants every acknowledged task to have ended, once, and no others.
func (s *stage) checkTasks(r *rand.Rand, o *organization) {
	s.checkList(r, o)
	left := make(chan string, len(o.ids))
	for _, id := range o.ids {
		left <- id
	}
	close(left)
	var all sync.WaitGroup
	for range pollers {
		r := s.source()
		all.Go(func() {
			for id := range left {
				var record earshot.TaskRecord
				if s.get(r, o, "/v1/async/task/"+id, &record) {
					s.advance(o, record.Task)
					s.checkTask(r, o, o.tasks[id], &record)
				}
			}
		})
	}
	all.Wait()
}

// checkList holds the list of tasks against what was submitted. Tasks without a
// key whose submission got no answer may be there or not.
func (s *stage) checkList(r *rand.Rand, o *organization) {
	questions, keys := map[string]string{}, map[string]string{}
	listed := map[string]bool{}
	newest := o.newest
	for t := range s.list(r, o) {
		listed[t.ID] = true
		newest = max(newest, t.ID)
		var payload struct{ Prompt, Query string }
		if err := json.Unmarshal(t.Payload, &payload); err != nil {
			s.violation("%s: task %s: %v in %s", o.name, t.ID, err, t.Payload)
		}
		question := payload.Prompt + payload.Query
		if before, twice := questions[question]; twice {
			s.violation("%s: %q is there twice: %s and %s", o.name, question, before, t.ID)
		}
		questions[question] = t.ID
		if t.IdempotencyKey != nil {
			if before, twice := keys[*t.IdempotencyKey]; twice {
				s.violation("%s: tasks %s and %s have the same key", o.name, before, t.ID)
			}
			keys[*t.IdempotencyKey] = t.ID
		}
		if o.tasks[t.ID] != nil {
			continue
		}
		submitted := o.doubtful[question]
		if submitted == nil {
			s.violation("%s: nobody submitted task %s, %q", o.name, t.ID, question)
			continue
		}
		s.acknowledge(o, t.ID, submitted)
	}
	for _, id := range o.ids {
		if !listed[id] {
			s.violation("%s: task %s, %q, was acknowledged and is not listed", o.name, id, o.tasks[id].question)
		}
	}
	o.newest = newest
}

// list gives the tasks of this round.
func (s *stage) list(r *rand.Rand, o *organization) func(yield func(earshot.Task) bool) {
	return func(yield func(earshot.Task) bool) {
		cursor := ""
		for {
			var page earshot.TaskPage
			if !s.get(r, o, "/v1/async/tasks?limit=100"+cursor, &page) {
				return
			}
			for _, record := range page.Tasks {
				if record.Task.ID <= o.newest || !yield(record.Task) {
					return
				}
			}
			if page.NextCursor == nil {
				return
			}
			cursor = "&cursor=" + *page.NextCursor
		}
	}
}

// checkTask holds the end of one task against what it had to come to.
func (s *stage) checkTask(r *rand.Rand, o *organization, t *task, record *earshot.TaskRecord) {
	id, charged := record.Task.ID, int64(-1)
	if record.Credits.CreditsCharged != nil {
		charged = *record.Credits.CreditsCharged
	}
	switch record.Task.Status {
	case earshot.StatusCompleted:
		s.tally("COMPLETED")
		if t.hopeless || charged != t.price || record.Result == nil {
			s.violation("%s: task %s, %q, is COMPLETED for %d credits", o.name, id, t.question, charged)
		}
	case earshot.StatusFailed:
		if charged != 0 || !s.mayFail(o, t, record) {
			s.violation("%s: task %s, %q, is FAILED for %d credits after %d attempts: %s", o.name, id, t.question, charged, record.Task.Attempts, record.Error)
		}
	default:
		s.violation("%s: task %s, %q, is %s", o.name, id, t.question, record.Task.Status)
	}
	if (record.Webhook != nil) != (t.hook != "") {
		s.violation("%s: task %s was submitted with the webhook %q and has %+v", o.name, id, t.hook, record.Webhook)
	}
	if t.capture && record.Task.Status == earshot.StatusCompleted {
		s.checkCapture(r, o, id, record.Result)
	}
	s.note(o, t, record.Task.Status, charged)
}

// mayFail knows why a task fails: it asked for it, there was no money, every node
// that had it was killed, or the machine is so busy that parsing takes too long.
func (s *stage) mayFail(o *organization, t *task, record *earshot.TaskRecord) bool {
	var why struct {
		failure
		Details earshot.UpstreamDetails `json:"details"`
	}
	if err := json.Unmarshal(record.Error, &why); err != nil {
		return false
	}
	s.tally(fmt.Sprintf("%s %s", why.Code, why.Details.Reason))
	switch why.Code {
	case earshot.CodeUpstream:
		return t.hopeless || s.outages.Load() || why.Details.Reason == earshot.ReasonUnreadable || why.Details.Reason == earshot.ReasonTimeout
	case earshot.CodeNoCredits:
		return o.grant > 0
	case earshot.CodeInternal:
		return record.Task.Attempts >= 5 && strings.Contains(why.Message, "its node died")
	default:
		return false
	}
}

// checkCapture wants the page that a task kept.
func (s *stage) checkCapture(r *rand.Rand, o *organization, id string, result []byte) {
	var kept struct{ HTML any }
	if err := json.Unmarshal(result, &kept); err != nil {
		s.violation("%s: the result of task %s: %v", o.name, id, err)
		return
	}
	pages, many := kept.HTML.([]any)
	if !many {
		pages = []any{kept.HTML}
	}
	for _, page := range pages {
		text, _ := page.(string)
		at, err := url.Parse(text)
		if err != nil || text == "" {
			s.violation("%s: the capture of task %s is %v", o.name, id, page)
			continue
		}
		if a := s.ask(r, o, http.MethodGet, at.Path, nil); a != nil && a.status != http.StatusOK {
			s.violation("%s: the capture of task %s answers %d", o.name, id, a.status)
		}
	}
}

// note adds an ended task to what the usage must say.
func (s *stage) note(o *organization, t *task, status earshot.Status, charged int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	sum := o.usage[t.provider]
	if status == earshot.StatusCompleted {
		sum.completed++
		sum.charged += charged
	} else {
		sum.failed++
	}
	o.usage[t.provider] = sum
}

// checkMoney holds the balance, the usage and the ledger against the ends of
// tasks and the answers to calls.
func (s *stage) checkMoney(r *rand.Rand, o *organization) {
	usage, balance, ok := s.standing(r, o)
	if !ok {
		return
	}
	var spent int64
	for _, k := range kinds {
		if usage[k.provider] != o.usage[k.provider] {
			s.violation("%s: the usage of %s is %+v, but tasks say %+v", o.name, k.provider, usage[k.provider], o.usage[k.provider])
		}
		spent += o.usage[k.provider].charged - o.before[k.provider].charged
	}
	calls := s.checkLedger(o)
	if charged := usage[called.provider].charged - o.before[called.provider].charged; charged != calls {
		s.violation("%s: the usage of calls is %d, but the ledger says %d", o.name, charged, calls)
	}
	if fall := o.balance - balance; fall != spent+calls {
		s.violation("%s: the balance fell by %d, but tasks were charged %d and calls %d", o.name, fall, spent, calls)
	}
}

// checkLedger wants one charge for every task that is COMPLETED and every call
// that was answered with one, and no others, except for calls without an answer.
// It gives what calls were charged.
func (s *stage) checkLedger(o *organization) (calls int64) {
	ledger := s.charges(o)
	unexplained := 0
	for id, charged := range ledger {
		if o.booked[id] {
			continue
		}
		o.booked[id] = true
		if o.tasks[id] != nil {
			continue
		}
		calls += charged
		if _, answered := o.calls[id]; !answered {
			unexplained++
		}
	}
	if unexplained > o.cut {
		s.violation("%s: %d charges are nobody's; %d calls got no answer", o.name, unexplained, o.cut)
	}
	for id, told := range o.calls {
		if told != ledger[id] {
			s.violation("%s: the answer to call %s says that it was charged %d, and the ledger %d", o.name, id, told, ledger[id])
		}
	}
	for id, t := range o.tasks {
		want := int64(0)
		if o.seen[id].status == earshot.StatusCompleted {
			want = t.price
		}
		if ledger[id] != want {
			s.violation("%s: task %s is %s and was charged %d in the ledger", o.name, id, o.seen[id].status, ledger[id])
		}
	}
	return calls
}

// charges reads the ledger, which no request shows: what each job was charged. A finished job is its entry as long as it is kept.
func (s *stage) charges(o *organization) map[string]int64 {
	all := map[string]int64{}
	rows, err := s.books.QueryContext(s.Context(), `SELECT id, charged FROM finished WHERE organization = $1 AND status = 'COMPLETED'
		UNION ALL SELECT id, -amount FROM ledger WHERE organization = $1 AND kind = 'charge'`, o.id)
	if err != nil {
		s.Fatalf("read the ledger: %v", err)
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		var charged int64
		if err := rows.Scan(&id, &charged); err != nil {
			s.Fatalf("read the ledger: %v", err)
		}
		all[id] += charged
	}
	if err := rows.Err(); err != nil {
		s.Fatalf("read the ledger: %v", err)
	}
	return all
}

// standing is what the service says of an organization's money when nothing runs.
func (s *stage) standing(r *rand.Rand, o *organization) (usage map[string]use, balance int64, ok bool) {
	var credits earshot.Credits
	var all earshot.Usage
	if !s.get(r, o, "/v1/credits", &credits) || !s.get(r, o, "/v1/usage", &all) {
		return nil, 0, false
	}
	if credits.Held != 0 {
		s.violation("%s: %d credits are held for nothing", o.name, credits.Held)
	}
	usage = map[string]use{}
	for _, day := range all.Usage {
		sum := usage[day.Provider]
		usage[day.Provider] = use{sum.completed + day.Completed, sum.failed + day.Failed, sum.charged + day.CreditsCharged}
	}
	return usage, credits.Remaining, true
}

// checkDeliveries wants every webhook to have arrived, none for a task that is
// nobody's, and each to say what polling says.
func (s *stage) checkDeliveries() {
	wait := deliveryTime
	if !s.long {
		wait = glance
	}
	began := time.Now()
	pending := s.undelivered()
	for ; len(pending) > 0 && time.Since(began) < wait; pending = s.undelivered() {
		time.Sleep(100 * time.Millisecond)
	}
	r := s.source()
	for id, o := range pending {
		var d earshot.Delivery
		if s.get(r, o, "/v1/webhooks/deliveries/"+id, &d) && (s.long || d.NextTryAt == nil) {
			s.violation("%s: the webhook of task %s did not arrive in %s: %+v", o.name, id, wait, d)
		}
	}
	ids, again := s.hooks.ids()
	for _, o := range s.organizations {
		for id, t := range o.tasks {
			s.known[id] = true
			one, ended := s.hooks.of(id), o.seen[id]
			if one.tries > 0 && (t.hook == "" || one.status != ended.status) {
				s.violation("%s: task %s has the webhook %q and is %s, but one arrived that says %s", o.name, id, t.hook, ended.status, one.status)
			}
		}
	}
	for _, id := range ids {
		if !s.known[id] {
			s.violation("a webhook arrived for task %s, which is nobody's", id)
		}
	}
	s.Logf("webhooks: %d arrived so far, %d again; %d left after %s", len(ids), again, len(pending), time.Since(began).Round(time.Millisecond))
}

// undelivered are the tasks whose webhook has not been accepted.
func (s *stage) undelivered() map[string]*organization {
	missing := map[string]*organization{}
	for _, o := range s.organizations {
		for id, t := range o.tasks {
			if t.hook != "" && s.hooks.of(id).accepted == 0 {
				missing[id] = o
			}
		}
	}
	return missing
}

// audit has the program recompute every balance and counter.
func (s *stage) audit() {
	if text, err := s.run("audit"); err != nil {
		s.violation("audit: %v\n%s", err, text)
	}
}

// run runs a command of the program on the database.
func (s *stage) run(args ...string) (string, error) {
	var complaint strings.Builder
	command := program.Command(s.T, s.binary, append(args, s.where...)...)
	command.Stderr = &complaint
	text, err := command.Output()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, complaint.String())
	}
	return string(text), err
}
