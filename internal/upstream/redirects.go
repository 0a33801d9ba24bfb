package upstream

import "sync"

// redirectMemory is how many redirects a generation holds: some minutes of a
// busy node, at 300 bytes each.
const redirectMemory = 8192

// redirects is a small memory of where redirects lead. It keeps two generations;
// when the young one is full, the old one is forgotten.
type redirects struct {
	mu         sync.Mutex
	young, old map[string]string
}

func (r *redirects) find(key string) (location string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if location, ok = r.young[key]; !ok {
		location, ok = r.old[key]
	}
	return location, ok
}

func (r *redirects) add(key, location string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.young == nil || len(r.young) >= redirectMemory {
		r.young, r.old = map[string]string{}, r.young
	}
	r.young[key] = location
}
