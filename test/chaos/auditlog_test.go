package chaos

import (
	"encoding/json"
	"maps"
	"slices"

	"earshot"
	"earshot/test/harness"
)

// kindOfThing is what people create and end. What exists must be what was created, according to
// the audit log, and not ended.
type kindOfThing struct {
	name    string
	created string
	ended   []string
	exist   func(s *stage, p *people) map[string]bool
}

var kindsOfThings = []kindOfThing{
	{"keys", "key.create", []string{"key.revoke"}, func(s *stage, p *people) map[string]bool {
		var list earshot.KeyList
		s.get(s.random, p.organization, harness.KeysPath, &list)
		return idsOf(list.Keys, func(k *earshot.Key) (string, bool) { return k.ID, k.RevokedAt == nil && k.Name != "first" }) // which has the entry of the organization
	}},
	{"sessions", "session.signin", []string{"session.signout", "session.revoke"}, func(s *stage, p *people) map[string]bool {
		var list earshot.SessionList
		s.get(s.random, p.organization, harness.SessionsPath, &list)
		return idsOf(list.Sessions, func(one *earshot.BrowserSession) (string, bool) { return one.ID, true })
	}},
	{"share links", "share.create", []string{"share.revoke"}, func(s *stage, p *people) map[string]bool {
		var list earshot.ShareList
		s.get(s.random, p.organization, "/v1/shares", &list)
		return idsOf(list.Shares, func(l *earshot.ShareLink) (string, bool) { return l.ID, l.RevokedAt == nil })
	}},
	{"users", "user.join", []string{"user.remove"}, func(s *stage, p *people) map[string]bool {
		var list earshot.UserList
		s.get(s.random, p.organization, harness.UsersPath, &list)
		return idsOf(list.Users, func(u *earshot.User) (string, bool) { return u.ID, true })
	}},
	{"invitations", "user.invite", []string{"invitation.revoke"}, func(s *stage, p *people) map[string]bool {
		var list earshot.InvitationList
		s.get(s.random, p.organization, harness.InvitationsPath, &list)
		return idsOf(list.Invitations, func(i earshot.Invitation) (string, bool) { return i.ID, true })
	}},
}

// idsOf returns the ids of the elements that exist.
func idsOf[T any](list []T, of func(T) (id string, exists bool)) map[string]bool {
	all := map[string]bool{}
	for _, one := range list {
		if id, exists := of(one); exists {
			all[id] = true
		}
	}
	return all
}

// checkPeople compares the people, keys, sessions, invitations and links of a round with the audit
// log, and both with what was confirmed.
func (s *stage) checkPeople() {
	p := s.people
	for _, u := range p.users {
		for _, h := range u.held {
			isRight := func() bool { return s.try(s.random, p, h) && h.ended == !h.refused.IsZero() }
			if !s.comes(s.restTime(), isRight) {
				s.violation("%s: after %s, %s %s does not answer, or was revoked and still works", p.name, s.restTime(), h.kind, h.id)
			}
		}
	}
	log := s.auditLog(p)
	entries := map[deed][]earshot.AuditEntry{}
	for _, e := range log {
		entries[deed{e.Action, e.Subject}] = append(entries[deed{e.Action, e.Subject}], e)
	}
	s.checkDeeds(p, entries)
	endedBy := impliedEnds(log)
	for _, kind := range kindsOfThings {
		exist := kind.exist(s, p)
		for d, found := range entries {
			if d.action == kind.created {
				ended := endedBy[d.subject]
				for _, action := range kind.ended {
					ended = ended || len(entries[deed{action, d.subject}]) > 0
				}
				if exist[d.subject] == ended {
					s.violation("%s: of the %s, %s exists: %t, but according to the audit log it has ended: %t; %s", p.name, kind.name, d.subject, exist[d.subject], ended, found[0].After)
				}
				delete(exist, d.subject)
			}
		}
		for id := range exist {
			s.violation("%s: of the %s, %s is not in the audit log", p.name, kind.name, id)
		}
	}
	s.checkChains(p, log)
	s.Logf("people: %d entries in the audit log", len(log))
}

// impliedEnds returns the sessions that ended because their user was removed, and the invitations
// that ended because they were accepted.
func impliedEnds(log []earshot.AuditEntry) map[string]bool {
	removed, joined, ended := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, e := range log {
		switch e.Action {
		case "user.remove":
			removed[e.Subject] = true
		case "user.join":
			joined[e.Actor.Name], joined[e.Subject] = true, true // once the person is erased, the invitation has the id
		}
	}
	for _, e := range log {
		var after struct{ Email string }
		_ = json.Unmarshal(e.After, &after) // null for other entries
		if e.Action == "session.signin" && removed[e.Actor.ID] || e.Action == "user.invite" && joined[after.Email] {
			ended[e.Subject] = true
		}
	}
	return ended
}

// auditLog reads the audit log of an organization, oldest first.
func (s *stage) auditLog(p *people) (log []earshot.AuditEntry) {
	for cursor := ""; ; {
		var page earshot.AuditPage
		if !s.get(s.random, p.organization, harness.AuditPath+"?limit=500"+cursor, &page) {
			break
		}
		log = append(log, page.Entries...)
		if page.NextCursor == nil {
			break
		}
		cursor = "&cursor=" + *page.NextCursor
	}
	slices.Reverse(log)
	return log
}

// checkDeeds checks that each confirmed deed has an entry, and no deed more than were requested.
func (s *stage) checkDeeds(p *people, entries map[deed][]earshot.AuditEntry) {
	unsure := map[string]int{} // by action: creations without an answer
	for d, n := range p.deeds {
		if d.subject == "" {
			unsure[d.action] = n.unsure
		} else if found := len(entries[d]); found < n.sure || found > n.sure+n.unsure {
			s.violation("%s: %s of %s was confirmed %d times and is unknown %d times, and the audit log has %d entries", p.name, d.action, d.subject, n.sure, n.unsure, found)
		}
	}
	// An invitation is accepted in one transaction, and the person signed in by the next one.
	unsure["session.signin"] += unsure["user.join"]
	setup := map[string]int{"organization.create": 1, "tracker.create": 1, "key.create": 1}
	for d, found := range entries {
		if _, known := p.deeds[d]; known {
			continue
		}
		switch action := d.action; {
		case len(found) != 1:
			s.violation("%s: the audit log has %d entries for %s of %s", p.name, len(found), action, d.subject)
		case setup[action] > 0:
			setup[action]--
		case unsure[action] > 0:
			unsure[action]--
		default:
			s.violation("%s: nobody requested %s of %s: %+v", p.name, action, d.subject, found[0])
		}
	}
}

// checkChains checks that each change of a role or of a key's name began where the one before it ended, and
// that the last one is what the service shows. So no change lacks an entry, and no entry a change.
func (s *stage) checkChains(p *people, log []earshot.AuditEntry) {
	last := map[string]string{}
	for _, e := range log {
		var before, after struct{ Name, Role string }
		_ = json.Unmarshal(e.Before, &before) // null before a creation
		_ = json.Unmarshal(e.After, &after)
		switch e.Action {
		case "key.create", "user.join":
			last[e.Subject] = after.Name + after.Role
		case "key.change", "user.role":
			if last[e.Subject] != before.Name+before.Role {
				s.violation("%s: %s of %s changes %s, but before it was %q", p.name, e.Action, e.Subject, e.Before, last[e.Subject])
			}
			last[e.Subject] = after.Name + after.Role
		}
	}
	var keys earshot.KeyList
	var users earshot.UserList
	if !s.get(s.random, p.organization, harness.KeysPath, &keys) || !s.get(s.random, p.organization, harness.UsersPath, &users) {
		return
	}
	shown := map[string]string{}
	for _, k := range keys.Keys {
		shown[k.ID] = k.Name
	}
	for _, u := range users.Users {
		shown[u.ID] = string(u.Role)
	}
	for _, id := range slices.Sorted(maps.Keys(shown)) {
		if logged, known := last[id]; known && logged != shown[id] {
			s.violation("%s: %s is %q, and according to the audit log %q", p.name, id, shown[id], logged)
		}
	}
}
