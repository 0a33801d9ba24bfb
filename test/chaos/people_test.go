package chaos

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/test/harness"
)

// people is an organization whose people sign in, while its keys, roles, invitations and share
// links change. Each round has another one, so that its lists and its audit log stay short.
type people struct {
	*organization // its key has the scope admin
	users         []*user

	mu    sync.Mutex
	deeds map[deed]times
}

// deed is a change of one key, session, user, invitation or share link.
type deed struct{ action, subject string }

// times is how often a deed was confirmed, and how often it was requested without an answer.
type times struct{ sure, unsure int }

// user is a person, and what this person holds.
type user struct {
	id, email string
	role      earshot.Role // that was last requested
	held      []*held
}

// held is a credential or a link.
type held struct {
	kind  string // "key", "session" or "share"
	id    string
	text  string // the key, the value of the cookie, or the path of the page
	ended bool   // the service has confirmed that it was revoked
	// refused is when the service first refused it. Zero: it has not.
	refused time.Time
}

const (
	// cacheTime is ten times the second after which all nodes refuse what was revoked.
	cacheTime = 10 * time.Second

	crew = 3 // users of the organization
	// mostHeld limits what works of what a user holds, and what a user holds in all: an organization
	// may have 500 keys.
	mostHeld = 40
	hats     = "hats" // name of the tracker that links share
)

// newPeople creates the organization of a round with its users, while no fault is under way.
func (s *stage) newPeople() *people {
	n := s.serial.Add(1)
	p := &people{organization: s.createAdmin(s.create(fmt.Sprintf("people-%d", n), "enterprise-3k", "0")), deeds: map[deed]times{}}
	definition := map[string]any{"prompts": []string{"one"}, "targets": []map[string]string{{"provider": "chatassistant", "country": "US"}}}
	if a := s.ask(s.random, p.organization, http.MethodPut, "/v1/trackers/"+hats, definition); a == nil || a.status != http.StatusOK {
		s.Fatalf("make a tracker: %+v", a)
	}
	for range crew {
		if u := s.join(s.random, p); u != nil {
			p.users = append(p.users, u)
		}
	}
	if len(p.users) < crew {
		s.Fatal("nobody could join")
	}
	return p
}

// createAdmin returns an organization with a key of all scopes.
func (s *stage) createAdmin(o *organization) *organization {
	text, err := s.run("key", "create", "--org", o.name, "--name", "admin", "--scopes", "read,monitor,tasks,track,admin", "--json")
	var made struct{ Key string }
	if err == nil {
		err = json.Unmarshal([]byte(text), &made)
	}
	if err != nil {
		s.Fatalf("make a key: %v", err)
	}
	return &organization{name: o.name, id: o.id, key: made.Key}
}

// note counts a deed.
func (p *people) note(action, subject string, isSure bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.deeds[deed{action, subject}]
	if isSure {
		n.sure++
	} else {
		n.unsure++
	}
	p.deeds[deed{action, subject}] = n
}

// act makes a request that is a deed, with a credential. It reports whether the service confirmed the
// deed, and decodes the response into v. A deed whose subject the service chooses has the subject "".
func (s *stage) act(r *rand.Rand, p *people, as, method, path string, body any, d deed, v any) (*answer, bool) {
	a, err := s.send(r, &organization{name: p.name, key: as}, method, path, body)
	switch {
	case errors.Is(err, errNotSent):
		return nil, false
	case err == nil && a.body != nil && a.status == http.StatusOK:
		if err := json.Unmarshal(a.body, v); err != nil {
			s.violation("%s: %s: %v in %.300s", p.name, d.action, err, a.body)
			return nil, false
		}
		if d.subject != "" {
			p.note(d.action, d.subject, true)
		}
		return a, true
	case err == nil && a.body != nil && a.status == http.StatusTooManyRequests:
	case err != nil || a.body == nil || a.status >= http.StatusInternalServerError:
		p.note(d.action, d.subject, false)
	default:
		s.violation("%s: %s of %q was refused with %d %.300s", p.name, d.action, d.subject, a.status, a.body)
	}
	return nil, false
}

// live lets one user work until the round ends.
func (s *stage) live(r *rand.Rand, p *people, u *user, ended <-chan struct{}) {
	for {
		select {
		case <-ended:
			return
		case <-time.After(time.Duration(r.Int64N(int64(100 * time.Millisecond)))):
		}
		switch n := r.IntN(20); {
		case n < 6 && u.working() >= mostHeld:
			s.revoke(r, p, u)
		case n < 2:
			s.signIn(r, p, u)
		case n < 4:
			s.newKey(r, p, u)
		case n < 6:
			s.newShare(r, p, u)
		case n < 8:
			s.rename(r, p, u)
		case n < 10:
			s.changeRole(r, p, u)
		case n < 11:
			s.invite(r, p)
		case n < 12:
			s.comeAndGo(r, p)
		case n < 16:
			s.revoke(r, p, u)
		default:
			s.use(r, p, u)
		}
	}
}

// hold remembers a credential or a link. Of those that were revoked, it forgets the oldest.
func (u *user) hold(h *held) {
	u.held = append(u.held, h)
	if i := slices.IndexFunc(u.held, func(h *held) bool { return !h.refused.IsZero() }); i >= 0 && len(u.held) > mostHeld {
		u.held = slices.Delete(u.held, i, i+1)
	}
}

// working counts what the user holds and was not revoked.
func (u *user) working() (n int) {
	for _, h := range u.held {
		if !h.ended {
			n++
		}
	}
	return n
}

// some returns one of the things that the user holds, or nil.
func (u *user) some(r *rand.Rand, fits func(h *held) bool) *held {
	var all []*held
	for _, h := range u.held {
		if fits(h) {
			all = append(all, h)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[r.IntN(len(all))]
}

// cookie returns the session that a response opened.
func (s *stage) cookie(p *people, a *answer) *held {
	for _, c := range (&http.Response{Header: a.header}).Cookies() {
		if id, ok := account.SecretID(account.SessionSecret, c.Value); ok {
			p.note("session.signin", id, true)
			return &held{kind: "session", id: id, text: c.Value}
		}
	}
	s.violation("%s: a sign-in has no cookie: %v", p.name, a.header)
	return nil
}

func (s *stage) signIn(r *rand.Rand, p *people, u *user) {
	var opened earshot.SessionResponse
	body := earshot.SessionRequest{Email: u.email, Password: harness.Password}
	a, ok := s.act(r, p, nobody, http.MethodPost, harness.SessionPath, body, deed{"session.signin", ""}, &opened)
	if !ok {
		return
	}
	if h := s.cookie(p, a); h != nil {
		u.hold(h)
	}
}

func (s *stage) newKey(r *rand.Rand, p *people, u *user) {
	var made earshot.NewKey
	body := map[string]any{"name": fmt.Sprintf("key %d", s.serial.Add(1)), "scopes": []string{"read"}}
	if _, ok := s.act(r, p, p.key, http.MethodPost, harness.KeysPath, body, deed{"key.create", ""}, &made); ok {
		p.note("key.create", made.Key.ID, true)
		u.hold(&held{kind: "key", id: made.Key.ID, text: made.Secret})
	}
}

func (s *stage) newShare(r *rand.Rand, p *people, u *user) {
	var made earshot.NewShare
	body := earshot.ShareRequest{Tracker: hats, ExpiresAt: time.Now().Add(24 * time.Hour)}
	if _, ok := s.act(r, p, p.key, http.MethodPost, "/v1/shares", body, deed{"share.create", ""}, &made); ok {
		at, err := url.Parse(made.URL)
		if err != nil {
			s.violation("%s: the address of a link: %v", p.name, err)
			return
		}
		p.note("share.create", made.Share.ID, true)
		u.hold(&held{kind: "share", id: made.Share.ID, text: at.Path})
	}
}

// rename gives a key a name that no key had before.
func (s *stage) rename(r *rand.Rand, p *people, u *user) {
	h := u.some(r, func(h *held) bool { return h.kind == "key" && !h.ended })
	if h == nil {
		return
	}
	var changed earshot.ChangedKey
	s.act(r, p, p.key, http.MethodPatch, harness.KeysPath+"/"+h.id, map[string]string{"name": fmt.Sprintf("name %d", s.serial.Add(1))}, deed{"key.change", h.id}, &changed)
}

// changeRole changes the role of the user. After a change without a response it first reads the role,
// because setting the same role again changes nothing.
func (s *stage) changeRole(r *rand.Rand, p *people, u *user) {
	if u.role == "" {
		var all earshot.UserList
		a, err := s.send(r, p.organization, http.MethodGet, harness.UsersPath, nil)
		if err != nil || a.body == nil || a.status != http.StatusOK || json.Unmarshal(a.body, &all) != nil {
			return
		}
		i := slices.IndexFunc(all.Users, func(one *earshot.User) bool { return one.ID == u.id })
		if i < 0 {
			s.violation("%s: user %s has joined and is not listed", p.name, u.id)
			return
		}
		u.role = all.Users[i].Role
	}
	next := earshot.RoleEditor
	if u.role == next {
		next = earshot.RoleViewer
	}
	var changed earshot.ChangedUser
	u.role = ""
	if _, ok := s.act(r, p, p.key, http.MethodPatch, harness.UsersPath+"/"+u.id, earshot.UserPatch{Role: &next}, deed{"user.role", u.id}, &changed); ok {
		u.role = next
	}
}

// invite invites a person who does not come, and mostly revokes the invitation.
func (s *stage) invite(r *rand.Rand, p *people) {
	made := s.newInvitation(r, p)
	if made == nil || r.IntN(10) == 0 {
		return
	}
	var revoked earshot.InvitationRevoked
	s.act(r, p, p.key, http.MethodDelete, harness.InvitationsPath+"/"+made.Invitation.ID, nil, deed{"invitation.revoke", made.Invitation.ID}, &revoked)
}

func (s *stage) newInvitation(r *rand.Rand, p *people) *earshot.NewInvitation {
	var made earshot.NewInvitation
	body := earshot.InvitationRequest{Email: fmt.Sprintf("%d@example.com", s.serial.Add(1)), Role: earshot.RoleViewer}
	if _, ok := s.act(r, p, p.key, http.MethodPost, harness.InvitationsPath, body, deed{"user.invite", ""}, &made); !ok {
		return nil
	}
	p.note("user.invite", made.Invitation.ID, true)
	return &made
}

// join invites a person who accepts, and returns nil if that was not confirmed.
func (s *stage) join(r *rand.Rand, p *people) *user {
	made := s.newInvitation(r, p)
	if made == nil {
		return nil
	}
	_, token, _ := strings.Cut(made.URL, "/#/join/")
	var opened earshot.SessionResponse
	a, ok := s.act(r, p, nobody, http.MethodPost, harness.AcceptPath, earshot.AcceptRequest{Token: token, Password: harness.Password}, deed{"user.join", ""}, &opened)
	if !ok {
		return nil
	}
	if opened.Session == nil || opened.Session.User == nil {
		s.violation("%s: nobody is signed in after an invitation was accepted: %s", p.name, a.body)
		return nil
	}
	u := &user{id: opened.Session.User.ID, email: made.Invitation.Email, role: made.Invitation.Role}
	p.note("user.join", u.id, true)
	if h := s.cookie(p, a); h != nil {
		u.hold(h)
	}
	return u
}

// comeAndGo adds a person and removes the person again.
func (s *stage) comeAndGo(r *rand.Rand, p *people) {
	u := s.join(r, p)
	if u == nil {
		return
	}
	var removed earshot.UserRemoved
	_, ok := s.act(r, p, p.key, http.MethodDelete, harness.UsersPath+"/"+u.id, nil, deed{"user.remove", u.id}, &removed)
	for _, h := range u.held {
		if h.ended = ok; ok {
			s.try(r, p, h)
		}
	}
}

// revoke ends something that the user holds.
func (s *stage) revoke(r *rand.Rand, p *people, u *user) {
	h := u.some(r, func(h *held) bool { return !h.ended })
	if h == nil {
		return
	}
	as, path, d := p.key, harness.KeysPath+"/"+h.id, deed{h.kind + ".revoke", h.id}
	switch {
	case h.kind == "share":
		path = "/v1/shares/" + h.id
	case h.kind == "session" && r.IntN(2) == 0:
		path = harness.SessionsPath + "/" + h.id
	case h.kind == "session":
		as, path, d.action = h.text, harness.SessionPath, "session.signout"
	}
	var gone struct{ Success bool }
	if _, h.ended = s.act(r, p, as, http.MethodDelete, path, nil, d, &gone); !h.ended {
		u.held = slices.DeleteFunc(u.held, func(one *held) bool { return one == h }) // nobody knows
	}
}

// use tries something that the user holds.
func (s *stage) use(r *rand.Rand, p *people, u *user) {
	if h := u.some(r, func(*held) bool { return true }); h != nil {
		s.try(r, p, h)
	}
}

// try checks that a key, a session or a link works until it was revoked, and no longer after
// it was refused. A node may accept it for a moment after another node has revoked it.
// It reports whether the service gave a definite answer.
func (s *stage) try(r *rand.Rand, p *people, h *held) bool {
	by, path, refusal := &organization{name: p.name, key: h.text}, "/v1/credits", http.StatusUnauthorized
	if h.kind == "share" {
		by.key, path, refusal = nobody, h.text, http.StatusNotFound
	}
	began := time.Now()
	a, err := s.send(r, by, http.MethodGet, path, nil)
	if err != nil || a.status == http.StatusTooManyRequests || a.status >= http.StatusInternalServerError {
		return false
	}
	switch {
	case a.status == refusal && h.ended:
		if h.refused.IsZero() {
			h.refused = time.Now()
		}
	case a.status != http.StatusOK, !h.refused.IsZero() && began.Sub(h.refused) > cacheTime:
		s.violation("%s: %s %s (revoked: %t, refused at %s) is answered with %d %.300s", p.name, h.kind, h.id, h.ended, h.refused, a.status, a.body)
	}
	return true
}
