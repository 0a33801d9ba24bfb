package api

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/limits/share"
	"earshot/internal/limits/slowdown"
	"earshot/internal/schema"
	"earshot/internal/signin"
	"earshot/internal/store"
	"earshot/internal/store/sharing"
	"earshot/internal/track/report"
)

const (
	linkLimit     = 10 // requests per second of a link, on each node
	pageFreshness = time.Minute
	pageTime      = time.Minute // timeout for making a page
	maxPages      = 200         // in memory; most have less than 200 KiB
	linkCookie    = "earshot-link"
)

// sharePages has the state of the pages of share links.
type sharePages struct {
	find      func(ctx context.Context, id string, now time.Time) (*sharing.Link, error)
	passwords *account.Passwords
	attempts  *slowdown.Slowdown
	loads     singleflight.Group

	// A report of a large tracker takes seconds of CPU time, and anybody who has the link can
	// request it. So a page is made at most once a minute. The link itself is read from the
	// database for each request: a revoked link is refused although its page is in memory.
	mu    sync.Mutex
	pages map[pageKey]madePage
}

type pageKey struct {
	link string
	days int
}

type madePage struct {
	html   []byte
	madeAt time.Time
}

func newSharePages(links *sharing.Store) *sharePages {
	return &sharePages{find: links.Find, passwords: account.NewPasswords(), attempts: slowdown.New(), pages: map[pageKey]madePage{}}
}

// shareQuery has the parameters of a share link.
type shareQuery struct {
	Days int `json:"days,omitempty" schema:"min=1,max=366"` // instead of the link's own
}

// sharePage completes the declaration of the page of a share link. Links that are unknown, revoked or
// expired get the same page.
func sharePage(o Operation, serve func(*Server, *call, *sharing.Link, shareQuery) error) Operation {
	return special(o, func(s *Server, c *call, q shareQuery, _ none) error {
		if s.WorkerOnly {
			return errWorkerOnly()
		}
		header := c.w.Header()
		header.Set("Cache-Control", "no-store")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("X-Robots-Tag", "noindex, nofollow")
		link, err := s.openLink(c)
		if err == nil {
			err = serve(s, c, link, q)
		}
		refused, tooMany := errors.AsType[*slowdown.RefusedError](err)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return c.notice(http.StatusNotFound, report.Notice{Heading: "This link does not work", Text: "It may have expired or been revoked. Ask the sender for a new one."})
		case tooMany:
			header.Set("Retry-After", strconv.Itoa(int(math.Ceil(refused.After.Seconds()))))
			return c.notice(http.StatusTooManyRequests, report.Notice{Heading: "Too many wrong passwords", Text: "Try again later."})
		case earshot.ErrorCode(err) == earshot.CodeRateLimit:
			header.Set("Retry-After", "1")
			return c.notice(http.StatusTooManyRequests, report.Notice{Heading: "Too many requests", Text: "Try again in a moment."})
		}
		return err
	})
}

// page sends a page that loads nothing. The sandbox prevents scripts, and forms unless allowed.
func (c *call) page(status int, html []byte, allowForm bool) {
	policy := report.Policy + "; base-uri 'none'; frame-ancestors 'none'; form-action 'none'; sandbox"
	if allowForm {
		policy = report.Policy + "; base-uri 'none'; frame-ancestors 'none'; form-action 'self'; sandbox allow-forms"
	}
	c.w.Header().Set("Content-Security-Policy", policy)
	c.write(status, "text/html; charset=utf-8", html)
}

func (c *call) notice(status int, n report.Notice) error {
	html, err := n.HTML()
	if err != nil {
		return err
	}
	c.page(status, html, n.Form)
	return nil
}

// openLink returns the link of a request. It returns store.ErrNotFound or CodeRateLimit. A token
// with a wrong checksum is refused without a database query. An address that has exceeded
// guestLimit can open only links with a page in memory.
func (s *Server) openLink(c *call) (*sharing.Link, error) {
	token := c.r.PathValue("token")
	id, ok := account.SecretID(account.ShareSecret, token)
	window := "link " + id // differs from every address
	known := ok && s.shares.has(id)
	if v := s.keys.guests.Peek(window, linkLimit); ok && v.Remaining == 0 {
		return nil, errRateLimit(v)
	}
	if !ok {
		return nil, s.unknownLink(c)
	}
	if !known {
		done, err := s.keys.admit(c.context(), c.address())
		if err != nil {
			return nil, err
		}
		defer done()
	}
	link, err := s.shares.find(c.context(), id, s.Store.Now())
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	if err != nil || !account.KeyMatches(token, link.Hash) {
		return nil, s.unknownLink(c)
	}
	return link, s.countGuest(c, window, linkLimit)
}

// unknownLink counts a request with a token of no link, and returns the error for the response.
func (s *Server) unknownLink(c *call) error {
	return cmp.Or(s.countGuest(c, c.address(), guestLimit), store.ErrNotFound)
}

// showShare sends the report of a link, or the form for its password.
func (s *Server) showShare(c *call, link *sharing.Link, q shareQuery) error {
	if link.Password != "" && !mayRead(c.r, link, s.Store.Now()) {
		return c.notice(http.StatusOK, report.Notice{Heading: "Password required", Text: "The sender of this link has the password.", Form: true})
	}
	shared := &report.Shared{Title: link.Title, From: link.From, To: link.To}
	if link.Days > 0 {
		shared.Offer(link.Days, q.Days)
	}
	if q.Days > 0 && q.Days != shared.Days {
		return schema.Invalid("days", "this link does not offer this number of days")
	}
	c.leave() // waiting for the page takes a place of the organization, and making it takes a turn
	release, ok := s.others.Hold(link.Organization)
	if !ok {
		return errPastShare("this node has too many requests in flight, try again")
	}
	defer release()
	html, err := s.shares.page(c.context(), pageKey{link.ID, shared.Days}, func() ([]byte, error) { return s.makePage(c.context(), link, shared) })
	if err != nil {
		return err
	}
	s.Links.NoteView(link.ID, s.Store.Now())
	c.page(http.StatusOK, html, false)
	return nil
}

// makePage makes the page of a link. Other requests may wait for the page, so it is not canceled
// with the request.
func (s *Server) makePage(ctx context.Context, link *sharing.Link, shared *report.Shared) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pageTime)
	defer cancel()
	turn, err := s.Turns.Begin(ctx, link.Organization)
	if errors.Is(err, share.ErrBusy) {
		err = errPastShare("this node is overloaded, try again")
	}
	if err != nil {
		return nil, err
	}
	defer turn.End()
	html, err := s.Reports.SharedPage(ctx, link.Organization, link.TrackerName, shared, s.Store.Now())
	if err != nil {
		return nil, err
	}
	// The report was read by name. If the tracker still exists, no other tracker had its name.
	_, err = s.shares.find(ctx, link.ID, s.Store.Now())
	return html, err
}

// page returns a page from memory, or makes it. It returns the error of ctx if ctx ends first.
func (p *sharePages) page(ctx context.Context, key pageKey, create func() ([]byte, error)) ([]byte, error) {
	p.mu.Lock()
	had, ok := p.pages[key]
	p.mu.Unlock()
	if ok && time.Since(had.madeAt) < pageFreshness {
		return had.html, nil
	}
	made := p.loads.DoChan(fmt.Sprint(key), func() (_ any, err error) {
		defer func() {
			if v := recover(); v != nil { // it would end the process
				err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
			}
		}()
		html, err := create()
		if err == nil {
			p.keep(key, html)
		}
		return html, err
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case page := <-made:
		html, _ := page.Val.([]byte) // always the type
		return html, page.Err
	}
}

// keep stores a page and drops pages that are too old, or any if there are too many.
func (p *sharePages) keep(key pageKey, html []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.pages, func(_ pageKey, m madePage) bool {
		return time.Since(m.madeAt) >= pageFreshness || len(p.pages) >= maxPages
	})
	p.pages[key] = madePage{html, time.Now()}
}

// has reports whether a page of a link is in memory.
func (p *sharePages) has(link string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key := range p.pages {
		if key.link == link {
			return true
		}
	}
	return false
}

// unlockShare checks the password of a link and sets the cookie with which its page can be read.
func (s *Server) unlockShare(c *call, link *sharing.Link, _ shareQuery) error {
	form, err := c.body(maxSignIn)
	if err != nil {
		return err
	}
	values, _ := url.ParseQuery(string(form)) // a form that cannot be parsed has no password
	if link.Password != "" {
		right, err := s.checkPassword(c, link, strings.TrimSpace(values.Get("password"))) // like all texts of the API
		if err != nil {
			return err
		}
		if !right {
			return c.notice(http.StatusForbidden, report.Notice{Heading: "Wrong password", Text: "Check the password and try again.", Form: true})
		}
		expires := s.Store.Now().Add(signin.SessionLife)
		http.SetCookie(c.w, &http.Cookie{ // over plain HTTP, browsers reject Secure cookies
			Name: linkCookie, Value: pass(link, expires.Unix()), Path: s.cookie.base + c.r.URL.Path, MaxAge: int(signin.SessionLife.Seconds()), HttpOnly: true, Secure: s.cookie.secure,
			// Browsers treat links on a sandboxed page as links on another site, where they send no Strict cookies.
			SameSite: http.SameSiteLaxMode,
		})
	}
	c.w.Header().Set("Location", path.Base(c.r.URL.Path)+"?"+c.r.URL.RawQuery) // relative, because a proxy may have removed a prefix
	c.page(http.StatusSeeOther, nil, false)
	return nil
}

// checkPassword reports whether a password opens a link. Wrong passwords delay the next attempts.
func (s *Server) checkPassword(c *call, link *sharing.Link, password string) (right bool, err error) {
	c.turn.Pause()
	attempt, err := s.shares.attempts.Begin(c.context(), "link "+link.ID, c.address(), false)
	if err == nil {
		err = c.turn.Resume(c.context())
	}
	if err != nil {
		return false, err
	}
	if right, err = s.shares.passwords.Matches(c.context(), link.Password, password); right {
		attempt.Succeeded()
	}
	return right, err
}

// pass returns the value of the cookie that opens a link until a time in Unix seconds. It is
// derived from the stored hash of the password, so no session is stored.
func pass(link *sharing.Link, expires int64) string {
	text := strconv.FormatInt(expires, 10)
	mac := hmac.New(sha256.New, []byte(link.Password))
	_, _ = mac.Write([]byte(link.ID + " " + text)) // never returns an error
	return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// mayRead reports whether a request has a valid cookie of the link.
func mayRead(r *http.Request, link *sharing.Link, now time.Time) bool {
	cookie, err := r.Cookie(linkCookie)
	if err != nil {
		return false
	}
	var expires int64
	_, err = fmt.Sscanf(cookie.Value, "%d.", &expires)
	return err == nil && expires > now.Unix() && hmac.Equal([]byte(cookie.Value), []byte(pass(link, expires)))
}
