package api

import (
	"maps"
	"slices"
	"testing"
	"time"

	"earshot/internal/store/people"
)

// Sessions end, but nobody asks for them again, so the cache would grow forever.
func TestUnusedSessionsAreForgotten(t *testing.T) {
	t.Parallel()
	now := time.Now()
	known := func(session *people.Session, unused time.Duration) *knownKey {
		return &knownKey{session: session, readAt: now.Add(-unused)}
	}
	k := newKeyring(nil, nil)
	k.keys = map[string]*knownKey{"a key": known(nil, 100*time.Hour), "used": known(&people.Session{}, time.Minute), "unused": known(&people.Session{}, 2*time.Hour)}
	k.forgetUnused(now)
	if left := slices.Sorted(maps.Keys(k.keys)); !slices.Equal(left, []string{"a key", "used"}) {
		t.Errorf("the cache has %q", left)
	}
}
