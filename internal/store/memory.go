package store

import "time"

const (
	// memorySize is how many organizations a lane remembers.
	memorySize = 10_000
	// sharedTime is how long a lane remembers nothing after it was wrong: other nodes
	// change the same organizations.
	sharedTime = time.Second
)

// memory is what a lane knows of the organizations of its last commits. The next one takes
// it for granted that they are as they were: it does not read them, and so needs no round
// trip of its own before it decides. It locks those rows whose version is still the same,
// and fails unless that is all of them. Then it runs again, and reads. On SQLite, where only
// the whole database has a version, a transaction that finds another one forgets all.
//
// A nil memory remembers nothing.
type memory struct {
	organizations map[string]*lockedOrganization
	version       uint64 // of SQLite's database, as the last of the commits left it
	sharedUntil   time.Time
}

// recall gives organizations as they are to be locked, or nil unless all of them are known
// and the database still has the version of the last commit.
func (m *memory) recall(ids []string, version uint64) map[string]*lockedOrganization {
	if m == nil {
		return nil
	}
	if version != m.version {
		clear(m.organizations)
	}
	known := make(map[string]*lockedOrganization, len(ids))
	for _, id := range ids {
		o := m.organizations[id]
		if o == nil {
			return nil
		}
		known[id] = &lockedOrganization{Organization: o.Organization, before: o.Organization, front: o.front, version: o.version, place: o.place, server: o.server}
	}
	return known
}

// remember keeps the organizations of a transaction that was committed, but for those that
// a write may have changed on another way than through work.
func (m *memory) remember(committed *work, writes []*write) {
	if m == nil || time.Now().Before(m.sharedUntil) {
		return
	}
	if len(m.organizations)+len(committed.organizations) > memorySize {
		clear(m.organizations)
	}
	m.version = committed.version
	for id, o := range committed.organizations {
		m.organizations[id] = o
	}
	for _, w := range writes {
		switch {
		case w.counts:
		case w.organization == "" && committed.dialect.version == "": // nobody knows what it changed
			clear(m.organizations)
		default:
			delete(m.organizations, w.organization)
		}
	}
}

// forget forgets organizations whose transaction failed.
func (m *memory) forget(ids []string) {
	if m == nil {
		return
	}
	for _, id := range ids {
		delete(m.organizations, id)
	}
}

// doubt forgets everything for a while: some of it was wrong.
func (m *memory) doubt() {
	if m != nil {
		clear(m.organizations)
		m.sharedUntil = time.Now().Add(sharedTime)
	}
}
