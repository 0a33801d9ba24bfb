package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/limits/share"
	"earshot/internal/store"
	"earshot/internal/store/history"
	"earshot/internal/store/orgs"
)

const (
	// streamsPerKey is the maximum number of open streams of a key on a node. It allows
	// several browser tabs, but stops a client that forgets to close its streams.
	streamsPerKey = 8
	// pollInterval is how often an organization with open streams is read.
	pollInterval = time.Second
	// pollTimeout is the timeout of one read.
	pollTimeout = 5 * time.Second
	// clockSkew is the tolerated difference between the clocks of nodes. With a larger
	// difference, a new task is announced only when it starts.
	clockSkew = 10 * time.Second
	// maxEventTasks is the maximum number of tasks in one event.
	maxEventTasks = 1000
)

// watch sends changes of organizations to live streams. Each organization with open streams
// has one poller.
type watch struct {
	store  *history.Store
	orgs   *orgs.Store
	keys   *keyring
	log    *slog.Logger
	places *share.Pool // limits the streams on this node

	mu       sync.Mutex
	views    map[string]*view // organizations with open streams
	byKey    map[string]int   // the number of open streams
	stopping bool
}

// view is the state of one organization with open streams.
type view struct {
	organization string
	end          context.CancelFunc // ends the poller
	ended        chan struct{}      // closed when the poller has ended

	// Guarded by watch.mu.
	streams map[*stream]bool
	status  []byte // the last status; nil before the first poll

	// Used only by the poller.
	last     *account.Organization
	underWay map[string]earshot.Status
	polledAt time.Time
	failing  bool
}

// stream is one open live stream.
type stream struct {
	view    *view
	key     string
	pending chan update // at most one unsent update, into which later ones are merged; closed at the end
}

// update is a change of the status, of tasks, or of both.
type update struct {
	status []byte
	tasks  []string
}

// text returns the update as server-sent events.
func (n update) text() (text string) {
	if n.status != nil {
		text = event("status", n.status)
	}
	if len(n.tasks) > 0 {
		ids, _ := json.Marshal(earshot.LiveTasks{IDs: n.tasks}) // cannot fail for strings
		text += event("tasks", ids)
	}
	return text
}

// merge returns the update combined with a later one.
func (n update) merge(later update) update {
	if later.status == nil {
		later.status = n.status
	}
	named := map[string]bool{}
	for _, id := range later.tasks {
		named[id] = true
	}
	tasks := slices.Clone(n.tasks) // streams share the slices
	tasks = slices.DeleteFunc(tasks, func(id string) bool { return named[id] })
	tasks = append(tasks, later.tasks...)
	later.tasks = tasks[max(0, len(tasks)-maxEventTasks):]
	return later
}

// send adds an update to the stream's pending update. The caller holds watch.mu.
func (s *stream) send(n update) {
	select {
	case unsent := <-s.pending:
		n = unsent.merge(n)
	default:
	}
	s.pending <- n
}

func newWatch(cfg Config, keys *keyring, places *share.Pool) *watch {
	return &watch{store: cfg.Store, orgs: cfg.Orgs, keys: keys, log: cfg.Log, places: places, views: map[string]*view{}, byKey: map[string]int{}}
}

// follow opens a stream; the caller must call leave. If there are too many streams, it
// returns CodeConcurrencyLimit or CodeServerUnavailable.
func (w *watch) follow(p *account.Principal) (*stream, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.stopping:
		return nil, errStopping()
	case w.byKey[p.Credential()] >= streamsPerKey:
		return nil, &earshot.Error{
			Code:    earshot.CodeConcurrencyLimit,
			Message: fmt.Sprintf("this key already has %d open streams", streamsPerKey),
			Details: earshot.LimitDetails{Limit: streamsPerKey},
		}
	case !w.places.Take(p.OrganizationID, 1):
		return nil, errPastShare("this node has too many open streams, try again")
	}
	v := w.views[p.OrganizationID]
	if v == nil {
		v = w.open(p.OrganizationID)
	}
	s := &stream{view: v, key: p.Credential(), pending: make(chan update, 1)}
	if v.status != nil {
		s.send(update{status: v.status})
	}
	v.streams[s] = true
	w.byKey[s.key]++
	return s, nil
}

// open starts the poller of an organization. leave ends the poller with the last stream.
func (w *watch) open(organization string) *view {
	ctx, end := context.WithCancel(context.Background())
	v := &view{organization: organization, end: end, ended: make(chan struct{}), streams: map[*stream]bool{}}
	w.views[organization] = v
	go func() {
		defer close(v.ended)
		w.poll(ctx, v)
	}()
	return v
}

// leave ends a stream and, if it was the last of its organization, the poller.
func (w *watch) leave(s *stream) {
	w.mu.Lock()
	v := s.view
	delete(v.streams, s)
	w.places.Release(v.organization, 1)
	if w.byKey[s.key]--; w.byKey[s.key] == 0 {
		delete(w.byKey, s.key)
	}
	last := len(v.streams) == 0
	if last && w.views[v.organization] == v {
		delete(w.views, v.organization)
	}
	w.mu.Unlock()
	if last {
		v.end()
		<-v.ended
	}
}

// stop ends all streams and refuses new ones.
func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopping = true
	for _, v := range w.views {
		v.dismiss(func(*stream) bool { return true })
	}
}

// dismiss ends the streams that match which. The caller holds watch.mu.
func (v *view) dismiss(which func(*stream) bool) {
	for s := range v.streams {
		if which(s) {
			delete(v.streams, s)
			close(s.pending)
		}
	}
}

// poll polls an organization until ctx is done.
func (w *watch) poll(ctx context.Context, v *view) {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		err := w.pollOnce(ctx, v)
		if err != nil && ctx.Err() == nil && !v.failing {
			w.log.Warn("cannot read an organization for its live streams", "organization", v.organization, "error", err)
		}
		v.failing = err != nil
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// pollOnce sends the changes since the last poll to the streams of an organization.
func (w *watch) pollOnce(ctx context.Context, v *view) error {
	ctx, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	if err := w.checkKeys(ctx, v); err != nil {
		return err
	}
	now := w.store.Now()
	o, err := w.orgs.Organization(ctx, v.organization, now)
	if err != nil {
		return err
	}
	// Every change of a job changes the row of its organization.
	if v.last != nil && *o == *v.last {
		return nil
	}
	event, since := o.Events, now
	if v.last != nil {
		event, since = v.last.Events, v.polledAt
	}
	m, err := w.store.Movement(ctx, v.organization, since.Add(-clockSkew), event)
	if err != nil {
		return err
	}
	var changed update
	if v.last != nil {
		changed.tasks = v.moved(m)
	}
	v.last, v.underWay, v.polledAt = m.Organization, m.UnderWay, now
	status, err := json.Marshal(liveStatus(m.QueueStatus))
	if err != nil {
		return fmt.Errorf("encode the status: %w", err)
	}
	w.publish(v, status, changed)
	return nil
}

// moved returns the tasks whose state differs from the last poll; tasks that have ended
// come last.
func (v *view) moved(m *history.Movement) (tasks []string) {
	for id, status := range m.UnderWay {
		if v.underWay[id] != status {
			tasks = append(tasks, id)
		}
	}
	slices.Sort(tasks)
	slices.Reverse(m.Ended)
	tasks = append(tasks, m.Ended...)
	return tasks[max(0, len(tasks)-maxEventTasks):]
}

func (w *watch) publish(v *view, status []byte, changed update) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if string(status) != string(v.status) {
		v.status, changed.status = status, status
	}
	if changed.status == nil && len(changed.tasks) == 0 {
		return
	}
	for s := range v.streams {
		s.send(changed)
	}
}

// checkKeys ends the streams whose keys are no longer valid.
func (w *watch) checkKeys(ctx context.Context, v *view) error {
	w.mu.Lock()
	keys := map[string]bool{}
	for s := range v.streams {
		keys[s.key] = true
	}
	w.mu.Unlock()
	for key := range keys {
		_, err := w.keys.find(ctx, key, "")
		if errors.Is(err, store.ErrNotFound) {
			w.mu.Lock()
			v.dismiss(func(s *stream) bool { return s.key == key })
			w.mu.Unlock()
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}
