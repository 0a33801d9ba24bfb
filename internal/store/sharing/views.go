package sharing

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"earshot/internal/store/engine"
)

// views counts in memory how often links were read, until WriteViews has written the numbers. So
// reading a link writes nothing.
type views struct {
	mu    sync.Mutex
	since map[string]viewed // by the id of the link
}

// viewed is the number of views since the last write, and the time of the last one.
type viewed struct {
	n  int64
	at time.Time
}

// NoteView counts a view of a link.
func (s *Store) NoteView(id string, now time.Time) { s.views.note(id, viewed{1, now}) }

func (v *views) note(id string, more viewed) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.since == nil {
		v.since = map[string]viewed{}
	}
	had := v.since[id]
	if had.at.After(more.at) {
		more.at = had.at
	}
	v.since[id] = viewed{had.n + more.n, more.at}
}

// add adds views that are not written yet to a link.
func (v *views) add(l *Link) {
	v.mu.Lock()
	defer v.mu.Unlock()
	had := v.since[l.ID]
	l.Views += had.n
	if had.at.After(l.ViewedAt) {
		l.ViewedAt = had.at
	}
}

// WriteViews writes the views since the last call. Views that could not be written are kept for
// the next call.
func (s *Store) WriteViews() error {
	s.views.mu.Lock()
	noted := s.views.since
	s.views.since = nil
	s.views.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(noted)) {
		v := noted[id]
		_, err := s.Run(`UPDATE share_links SET views = views + $2, viewed_at = CASE WHEN viewed_at > $3 THEN viewed_at ELSE $3 END WHERE id = $1`, id, v.n, engine.Millis(v.at))
		if err != nil {
			for id, v := range noted {
				s.views.note(id, v)
			}
			return fmt.Errorf("store the views of share links: %w", err)
		}
		delete(noted, id)
	}
	return nil
}
