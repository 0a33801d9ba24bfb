// Package signin decides who may use the dashboard as a user: it opens, checks and ends
// sessions, for people with a password and for people with an account at an identity provider.
//
//	signin.go      the service, its settings and the sessions that it opens
//	password.go    sign-in with an email and a password
//	invitation.go  inviting people and joining an organization
//	identity.go    sign-in with an identity provider, and checking that it still knows the user
//	agent.go       AI agents with an access token of an identity provider
//	sealed.go      encryption of the tokens of identity providers
package signin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/limits/slowdown"
	"earshot/internal/signin/oidc"
	"earshot/internal/store"
	"earshot/internal/store/orgs"
	"earshot/internal/store/people"
)

// SessionLife is how long a browser stays signed in to the dashboard: a working day.
const SessionLife = 12 * time.Hour

// maxBrowser limits the User-Agent that is stored with a session.
const maxBrowser = 300

// Settings are the section signIn of the settings file.
type Settings struct {
	// Passwords: false turns off sign-in with a password. Absent means true.
	Passwords *bool `yaml:"passwords"`
	// CheckEvery is how often an identity provider is asked whether a signed-in user still
	// exists, and for the user's groups. 0 means 15 minutes.
	CheckEvery time.Duration   `yaml:"checkEvery"`
	Providers  []oidc.Settings `yaml:"providers"`
}

// Config is the configuration of a Service.
type Config struct {
	Settings Settings
	People   *people.Store
	Orgs     *orgs.Store
	BaseURL  string
	Getenv   func(string) string
	// Mail sends a mail. Nil means that mail is not configured.
	Mail func(ctx context.Context, to, subject, text string) error
	Log  *slog.Logger
}

// Service signs people in. It is safe for concurrent use.
type Service struct {
	Config
	providers map[string]*identityProvider
	passwords hasher
	slowdown  *slowdown.Slowdown
	unknown   *rate.Limiter // new entries about unknown users and keys in the audit log
	checks    sync.Map      // ids of sessions that are checked at the moment
	checking  sync.WaitGroup
}

// hasher is an account.Passwords.
type hasher interface {
	Hash(ctx context.Context, password string) (string, error)
	Matches(ctx context.Context, hash, password string) (bool, error)
}

// New returns a Service. It returns an error if the settings are invalid.
func New(cfg Config) (*Service, error) {
	s := &Service{Config: cfg, providers: map[string]*identityProvider{}, passwords: account.NewPasswords(), slowdown: slowdown.New(), unknown: rate.NewLimiter(rate.Every(10*time.Second), 100)}
	if cfg.Settings.CheckEvery < 0 {
		return nil, fmt.Errorf("settings: signIn.checkEvery must not be negative, but is %s", cfg.Settings.CheckEvery)
	}
	err := s.openProviders()
	return s, err
}

// Ways returns how people can sign in.
func (s *Service) Ways() *earshot.SignInWays {
	ways := &earshot.SignInWays{Passwords: s.allowsPasswords()}
	for _, p := range s.Settings.Providers {
		ways.Providers = append(ways.Providers, earshot.SignInProvider{Name: p.Name, Title: cmp.Or(p.Title, p.Name)})
	}
	return ways
}

// Browser is the client that signs in.
type Browser struct {
	Address   string
	UserAgent string
	Request   string // id of the request
	Session   string // id of the session that it has; "" for none
}

// guest returns the browser as an actor before it has signed in, with an email or the id of a key.
func (b *Browser) guest(name string) account.Actor {
	return account.Actor{Kind: account.ActorGuest, Name: name, Address: b.Address, Request: b.Request}
}

func (b *Browser) user(u *account.User) account.Actor {
	return account.Actor{Kind: account.ActorUser, ID: u.ID, Name: u.Email, Address: b.Address, Request: b.Request}
}

// open opens a session of a user and returns the secret for the cookie. Unless the session names an
// organization, it is in the organization of the user's last session, or in the first one.
func (s *Service) open(ctx context.Context, u *account.User, b *Browser, session people.Session, seal func(secret string) ([]byte, error)) (secret string, err error) {
	memberships, err := s.People.Memberships(ctx, u.ID)
	if err != nil {
		return "", err
	}
	if len(memberships) == 0 {
		s.Refused(ctx, u, b, "no role")
		return "", &earshot.Error{
			Code: earshot.CodeNoPermission, Message: "you do not belong to any organization here; ask an administrator for an invitation or a role",
			Details: earshot.ScopeDetails{},
		}
	}
	last, err := s.People.LastOrganization(ctx, u.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return "", err
	}
	last = cmp.Or(session.Organization, last)
	session.Organization = memberships[0].Organization
	if slices.ContainsFunc(memberships, func(m people.Membership) bool { return m.Organization == last }) {
		session.Organization = last
	}
	session.UserID = u.ID
	return s.store(&session, b, "session.signin", b.user(u), seal)
}

// store completes and stores a session and returns its secret.
func (s *Service) store(session *people.Session, b *Browser, action string, by account.Actor, seal func(secret string) ([]byte, error)) (secret string, err error) {
	now := s.People.Now()
	id, secret := account.NewSecret(account.SessionSecret)
	session.ID = cmp.Or(session.ID, id)
	session.Hash, session.Address, session.Browser = account.HashKey(secret), b.Address, strings.ToValidUTF8(b.UserAgent[:min(len(b.UserAgent), maxBrowser)], "")
	session.CreatedAt, session.SeenAt = now, now
	if session.ExpiresAt.IsZero() {
		session.ExpiresAt = now.Add(SessionLife)
	}
	if session.CheckedAt.IsZero() {
		session.CheckedAt = now
	}
	if seal != nil {
		if session.Sealed, err = seal(secret); err != nil {
			return "", err
		}
	}
	return secret, s.People.SignIn(session, b.Session, action, by, now)
}

// Wait waits until no session is checked in the background. The store must stay open until then.
func (s *Service) Wait() { s.checking.Wait() }

// Refused adds a refused sign-in to the audit log: of each organization of the user, or of none
// if the user is not known. Anybody can send unknown keys, so entries about some of them are left out
// if there are many. The sign-in is refused anyway, so a failure is only logged.
func (s *Service) Refused(ctx context.Context, u *account.User, b *Browser, reason string) {
	memberships, err := s.People.Memberships(ctx, u.ID)
	if err != nil {
		s.Log.Error("find the organizations of a refused sign-in", "error", err)
	}
	if len(memberships) == 0 {
		memberships = []people.Membership{{}}
	}
	isNew := func() bool { return u.ID != "" || s.unknown.Allow() }
	for _, m := range memberships {
		err := store.ErrChanged
		for try := 0; try < 3 && errors.Is(err, store.ErrChanged); try++ { // another node counted, too
			err = s.People.AuditRefused(m.Organization, b.guest(u.Email), reason, isNew, s.People.Now())
		}
		if err != nil {
			s.Log.Error("store a refused sign-in", "error", err)
		}
	}
}

// Switch replaces a session by one for another organization of its user, and returns its secret. It
// returns ErrNotFound if the user does not belong to the organization.
func (s *Service) Switch(ctx context.Context, old *people.Session, oldSecret, organization string, b *Browser, by account.Actor) (secret string, err error) {
	memberships, err := s.People.Memberships(ctx, old.UserID)
	if err != nil {
		return "", err
	}
	if !slices.ContainsFunc(memberships, func(m people.Membership) bool { return m.Organization == organization }) {
		return "", store.ErrNotFound
	}
	session := people.Session{UserID: old.UserID, Organization: organization, Provider: old.Provider, CheckedAt: old.CheckedAt, ExpiresAt: old.ExpiresAt}
	return s.store(&session, b, "session.switch", by, func(secret string) ([]byte, error) {
		if len(old.Sealed) == 0 {
			return nil, nil
		}
		tokens, err := unseal(oldSecret, old.Sealed)
		if err != nil {
			return nil, err
		}
		return seal(secret, tokens)
	})
}
