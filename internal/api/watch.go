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
	"earshot/internal/store"
)

const (
	// streamsPerKey is how many streams a key may have open on a node: some tabs of
	// some people, and not what a client that forgets to close them comes to.
	streamsPerKey = 8
	// lookEvery is how often an organization that is followed is looked at.
	lookEvery = time.Second
	// lookTime bounds one look at the database.
	lookTime = 5 * time.Second
	// lookBack is how far the clocks of nodes may be apart before a new task is
	// told of only when it starts.
	lookBack = 10 * time.Second
	// mostNews is how many tasks one event names; a client with more to catch up
	// with reads the lists.
	mostNews = 1000
)

// watch shows organizations to the streams that follow them. One poller looks at
// each organization, however many follow it.
type watch struct {
	store *store.Store
	keys  *keyring
	log   *slog.Logger
	most  int // streams on this node

	mu       sync.Mutex
	views    map[string]*view // by organization, those that are followed
	byKey    map[string]int   // streams
	streams  int
	stopping bool
}

// view is one organization as its streams see it.
type view struct {
	organization string
	end          context.CancelFunc // ends the poller
	ended        chan struct{}      // closed when it has

	// Guarded by the watch's lock.
	streams map[*stream]bool
	status  []byte // as it was last told; nil before the first look

	// The poller's own.
	last     *account.Organization
	underWay map[string]earshot.Status
	lookedAt time.Time
	failing  bool
}

// stream is one client that follows an organization.
type stream struct {
	view *view
	key  string
	news chan news // what it was not yet told, as one; closed when nothing more comes
}

// news is what changed.
type news struct {
	status []byte
	tasks  []string
}

// text is the news as events.
func (n news) text() (text string) {
	if n.status != nil {
		text = event("status", n.status)
	}
	if len(n.tasks) > 0 {
		ids, _ := json.Marshal(earshot.LiveTasks{IDs: n.tasks}) // texts can always be encoded
		text += event("tasks", ids)
	}
	return text
}

// and is the news with later ones.
func (n news) and(later news) news {
	if later.status == nil {
		later.status = n.status
	}
	named := map[string]bool{}
	for _, id := range later.tasks {
		named[id] = true
	}
	var tasks []string // a new list: others may hold the same
	for _, id := range n.tasks {
		if !named[id] {
			tasks = append(tasks, id)
		}
	}
	tasks = append(tasks, later.tasks...)
	later.tasks = tasks[max(0, len(tasks)-mostNews):]
	return later
}

// tell adds to what a stream will hear. Only who holds the watch's lock may call
// it.
func (s *stream) tell(n news) {
	select {
	case untold := <-s.news:
		n = untold.and(n)
	default:
	}
	s.news <- n
}

func newWatch(cfg Config, keys *keyring) *watch {
	return &watch{store: cfg.Store, keys: keys, log: cfg.Log, most: cfg.Streams, views: map[string]*view{}, byKey: map[string]int{}}
}

// follow opens a stream, which leave must end. It refuses one too many with
// CodeConcurrencyLimit or CodeServerUnavailable.
func (w *watch) follow(p *account.Principal) (*stream, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.stopping:
		return nil, errStopping()
	case w.streams >= w.most:
		return nil, &earshot.Error{Code: earshot.CodeServerUnavailable, Message: "this node has all the streams it can carry, try again"}
	case w.byKey[p.KeyID] >= streamsPerKey:
		return nil, &earshot.Error{
			Code:    earshot.CodeConcurrencyLimit,
			Message: fmt.Sprintf("this key has %d streams open already", streamsPerKey),
			Details: earshot.LimitDetails{Limit: streamsPerKey},
		}
	}
	v := w.views[p.OrganizationID]
	if v == nil {
		v = w.open(p.OrganizationID)
	}
	s := &stream{view: v, key: p.KeyID, news: make(chan news, 1)}
	if v.status != nil {
		s.tell(news{status: v.status})
	}
	v.streams[s] = true
	w.streams++
	w.byKey[s.key]++
	return s, nil
}

// open starts the poller of an organization. The last stream that leaves waits
// for it.
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

// leave ends a stream.
func (w *watch) leave(s *stream) {
	w.mu.Lock()
	v := s.view
	delete(v.streams, s)
	w.streams--
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

// dismiss tells some streams that nothing more comes. Only who holds the watch's
// lock may call it.
func (v *view) dismiss(which func(*stream) bool) {
	for s := range v.streams {
		if which(s) {
			delete(v.streams, s)
			close(s.news)
		}
	}
}

// poll looks at an organization until nobody follows it.
func (w *watch) poll(ctx context.Context, v *view) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		err := w.look(ctx, v)
		if err != nil && ctx.Err() == nil && !v.failing {
			w.log.Warn("an organization that is followed could not be looked at", "organization", v.organization, "error", err)
		}
		v.failing = err != nil
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// look tells the streams of an organization what changed since the last look.
func (w *watch) look(ctx context.Context, v *view) error {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	if err := w.checkKeys(ctx, v); err != nil {
		return err
	}
	now := time.Now()
	o, err := w.store.Organization(ctx, v.organization, now)
	if err != nil {
		return err
	}
	// Whatever happens to a job changes the row of its organization.
	if v.last != nil && *o == *v.last {
		return nil
	}
	event, since := o.Events, now
	if v.last != nil {
		event, since = v.last.Events, v.lookedAt
	}
	m, err := w.store.Movement(ctx, v.organization, since.Add(-lookBack), event)
	if err != nil {
		return err
	}
	var changed news
	if v.last != nil {
		changed.tasks = v.moved(m)
	}
	v.last, v.underWay, v.lookedAt = m.Organization, m.UnderWay, now
	status, err := json.Marshal(standing(m.QueueStatus))
	if err != nil {
		return fmt.Errorf("encode the status: %w", err)
	}
	w.publish(v, status, changed)
	return nil
}

// moved are the tasks that are not where the last look found them, those that
// ended last.
func (v *view) moved(m *store.Movement) (tasks []string) {
	for id, status := range m.UnderWay {
		if v.underWay[id] != status {
			tasks = append(tasks, id)
		}
	}
	slices.Sort(tasks)
	slices.Reverse(m.Ended)
	tasks = append(tasks, m.Ended...)
	return tasks[max(0, len(tasks)-mostNews):]
}

func (w *watch) publish(v *view, status []byte, changed news) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if string(status) != string(v.status) {
		v.status, changed.status = status, status
	}
	if changed.status == nil && len(changed.tasks) == 0 {
		return
	}
	for s := range v.streams {
		s.tell(changed)
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
		_, err := w.keys.find(ctx, key)
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
