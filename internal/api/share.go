package api

import (
	"cmp"
	"errors"
	"time"
	"unicode/utf8"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/schema"
	"earshot/internal/store"
	"earshot/internal/store/sharing"
)

const (
	maxShareLife   = 366 * 24 * time.Hour
	maxSharePeriod = 366 // days
	minPassword    = 8   // characters; the secret of the link protects the page as well
)

func shareOperations() []Operation {
	return []Operation{
		operation(Operation{Method: "GET", Path: "/v1/shares", Scope: account.ScopeRead, Client: Method{Name: "Shares", Returns: "Shares"}},
			func(s *Server, c *call, _, _ none) (list earshot.ShareList, err error) {
				links, err := s.Links.List(c.context(), c.organization(), s.Store.Now())
				for _, l := range links {
					list.Shares = append(list.Shares, l.Shown())
				}
				return list, err
			}),
		operation(Operation{Method: "POST", Path: "/v1/shares", Scope: account.ScopeTrack, Audit: "share.create", Client: Method{Name: "CreateShare"}}, (*Server).createShare),
		operation(Operation{Method: "DELETE", Path: "/v1/shares/{id}", Scope: account.ScopeTrack, Audit: "share.revoke", Finds: "share link", Client: Method{Name: "RevokeShare", Returns: "Share"}},
			func(s *Server, c *call, _, _ none) (*earshot.ShareRevoked, error) {
				id, err := c.publicID()
				if err != nil {
					return nil, err
				}
				l, err := s.Links.Revoke(c.context(), c.organization(), id, c.actor(), s.Store.Now())
				if err != nil {
					return nil, err
				}
				return &earshot.ShareRevoked{Share: *l.Shown()}, nil
			}),
		sharePage(Operation{Method: "GET", Path: "/share/{token}", Public: true}, (*Server).showShare),
		sharePage(Operation{Method: "POST", Path: "/share/{token}", Public: true, Form: true, Unaudited: changesNothing}, (*Server).unlockShare),
	}
}

// createShare creates a share link and returns its address, which cannot be read again.
func (s *Server) createShare(c *call, _ none, in unchecked[earshot.ShareRequest]) (_ *earshot.NewShare, err error) {
	body, now := in.value, s.Store.Now()
	checkShare(in, now)
	l := &sharing.Link{
		Organization: c.organization(), TrackerName: body.Tracker, Title: body.Title, Days: body.Days, From: body.From, To: body.To,
		CreatedBy: cmp.Or(c.principal.KeyName, c.principal.KeyID), CreatedAt: now, ExpiresAt: body.ExpiresAt,
	}
	if l.From != "" {
		l.Days = 0
	}
	if body.Tracker != "" {
		t, err := s.Trackers.Store.Tracker(c.context(), l.Organization, body.Tracker)
		switch {
		case errors.Is(err, store.ErrNotFound):
			in.Reject("tracker", "there is no tracker with this name")
		case err != nil:
			return nil, err
		default:
			l.Tracker = t.ID
		}
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	if body.Password != "" {
		if l.Password, err = s.shares.passwords.Hash(c.context(), body.Password); err != nil {
			return nil, err
		}
	}
	id, token := account.NewSecret(account.ShareSecret)
	l.ID, l.Hash = id, account.HashKey(token)
	response := &earshot.NewShare{Share: *l.Shown(), URL: s.BaseURL + "/share/" + token}
	c.principal.Once.Answers(response)
	err = s.Links.Create(l, c.actor())
	if errors.Is(err, sharing.ErrTooManyLinks) {
		err = schema.Invalid(schema.BodyField, "%v", sharing.ErrTooManyLinks)
	}
	return response, err
}

// checkShare rejects values of a share link that contradict each other or the time.
func checkShare(in unchecked[earshot.ShareRequest], now time.Time) {
	body := in.value
	if !body.ExpiresAt.IsZero() && (!body.ExpiresAt.After(now) || body.ExpiresAt.After(now.Add(maxShareLife))) {
		in.Reject("expiresAt", "must be a future time at most 366 days from now")
	}
	if n := utf8.RuneCountInString(body.Password); n > 0 && n < minPassword {
		in.Reject("password", "must have at least %d characters", minPassword)
	}
	from, errFrom := time.Parse(time.DateOnly, body.From)
	to, errTo := time.Parse(time.DateOnly, body.To)
	switch {
	case in.Has("from") != in.Has("to"):
		missing := "from"
		if in.Has("from") {
			missing = "to"
		}
		in.Reject(missing, "from and to are required together")
	case in.Has("from") && in.Has("days"):
		in.Reject("days", "cannot be used with from and to")
	case errFrom != nil || errTo != nil: // rejected already, or not sent
	case to.Before(from):
		in.Reject("to", "must not be before from")
	case to.Sub(from) >= maxSharePeriod*24*time.Hour:
		in.Reject("to", "a period may have at most %d days", maxSharePeriod)
	}
}
