package signin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/signin/oidc"
	"earshot/internal/store"
	"earshot/internal/store/people"
)

const (
	defaultCheck = 15 * time.Minute
	// checkAgain is when an identity provider that could not be reached is asked again.
	checkAgain = time.Minute
	// claimWait and checkWait are how long a request waits for the check of its session: for the
	// database and then for the identity provider. A slower check goes on in the background.
	claimWait = 200 * time.Millisecond
	checkWait = 2 * time.Second
	// checkTimeout limits a check.
	checkTimeout = 20 * time.Second
)

// identityProvider is an identity provider in the settings.
type identityProvider struct {
	*oidc.Provider
	failing atomic.Bool // the last check failed, but not because of its user
}

func (s *Service) openProviders() error {
	for i, settings := range s.Settings.Providers {
		field := fmt.Sprintf("settings: signIn.providers[%d]", i)
		if err := settings.Check(); err != nil {
			return fmt.Errorf("%s.%w", field, err)
		}
		if s.providers[settings.Name] != nil || settings.Name == people.Invited {
			return fmt.Errorf("%s.name: %q is already in use", field, settings.Name)
		}
		secret := s.Getenv(settings.ClientSecretEnv)
		if settings.ClientSecretEnv != "" && secret == "" {
			return fmt.Errorf("%s.clientSecretEnv: the environment variable %s is not set", field, settings.ClientSecretEnv)
		}
		s.providers[settings.Name] = &identityProvider{Provider: oidc.New(settings, secret, s.BaseURL+"/signin/"+settings.Name+"/callback", http.DefaultTransport)}
	}
	return nil
}

// Begin begins a sign-in with an identity provider: it returns where to send the browser, and what
// the browser must keep until it returns. It returns ErrNotFound for an unknown provider.
func (s *Service) Begin(ctx context.Context, provider string) (redirect string, attempt oidc.Attempt, err error) {
	p := s.providers[provider]
	if p == nil {
		return "", attempt, store.ErrNotFound
	}
	return p.Begin(ctx)
}

// Finish completes a sign-in with the parameters with which the browser has returned, and
// returns the secret for the cookie.
func (s *Service) Finish(ctx context.Context, provider string, attempt oidc.Attempt, returned url.Values, b *Browser) (secret string, err error) {
	p := s.providers[provider]
	if p == nil {
		return "", store.ErrNotFound
	}
	person, tokens, err := p.Finish(ctx, attempt, returned)
	if err != nil {
		s.Refused(ctx, &account.User{Email: person.Email}, b, provider+": "+err.Error())
		return "", err
	}
	u, err := s.userOf(ctx, p, &person, b)
	if err != nil {
		return "", err
	}
	session := people.Session{Provider: provider}
	if tokens.Refresh == "" {
		// Without a refresh token the check is a new sign-in.
		session.ExpiresAt = s.People.Now().Add(s.checkEvery())
	}
	return s.open(ctx, u, b, session, func(secret string) ([]byte, error) { return seal(secret, tokens) })
}

// userOf returns the user of a person, with the roles that the person's groups and invitations
// give.
func (s *Service) userOf(ctx context.Context, p *identityProvider, person *oidc.Person, b *Browser) (*account.User, error) {
	now := s.People.Now()
	by := account.Actor{Kind: account.ActorUser, Address: b.Address, Request: b.Request}
	identity := people.Identity{Issuer: person.Issuer, Subject: person.Subject, Name: person.Name}
	if email, err := account.ReadEmail(person.Email); err == nil && person.EmailVerified {
		identity.Email = email
	}
	u, err := s.People.UserOf(ctx, identity, by, now)
	if errors.Is(err, store.ErrNotFound) {
		s.Refused(ctx, &account.User{Email: person.Email}, b, "no verified email")
		return nil, &earshot.Error{Code: earshot.CodeNoPermission, Message: "the identity provider has not verified your email address"}
	}
	if err != nil {
		return nil, err
	}
	if err := s.setRoles(ctx, u, p.Settings(), person.Groups, b.user(u)); err != nil {
		return nil, err
	}
	invitations, err := s.People.InvitationsFor(ctx, identity.Email, now)
	for _, i := range invitations {
		if err := s.People.Accept(i, u, b.user(u), now); err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
	}
	return u, err
}

// setRoles stores the roles that groups give to a user, and removes the roles that they no longer give.
func (s *Service) setRoles(ctx context.Context, u *account.User, settings *oidc.Settings, groups []string, by account.Actor) error {
	ids, err := s.Orgs.Names(ctx)
	if err != nil {
		return err
	}
	roles := map[string]account.Role{} // by id; "" takes the role away
	had, err := s.People.OrganizationsFrom(ctx, u.ID, settings.Name)
	if err != nil {
		return err
	}
	for _, id := range had {
		roles[id] = ""
	}
	for _, r := range settings.Roles {
		id := ids[r.Organization]
		if id == "" {
			s.Log.Warn("a role in the settings is for an organization that does not exist", "provider", settings.Name, "organization", r.Organization)
			continue
		}
		if r.Group == "*" || slices.Contains(groups, r.Group) {
			roles[id] = r.Role.Higher(roles[id])
		}
	}
	for _, id := range slices.Sorted(maps.Keys(roles)) {
		if err := s.People.SetRole(id, u.ID, settings.Name, roles[id], by, s.People.Now()); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) checkEvery() time.Duration { return cmp.Or(s.Settings.CheckEvery, defaultCheck) }

// ErrEnded is returned for a session whose user the identity provider no longer accepts.
var ErrEnded = errors.New("the identity provider has ended the session")

// Check asks the identity provider of a session whether its user still exists, if the last answer is too
// old. One request waits for the answer; others that come meanwhile use the last one. While the
// provider does not decide, the session stays valid. Check returns ErrEnded.
func (s *Service) Check(ctx context.Context, session *people.Session, secret string) error {
	if session.Provider == "" || s.People.Now().Sub(session.CheckedAt) < s.checkEvery() {
		return nil
	}
	if _, others := s.checks.LoadOrStore(session.ID, true); others {
		return nil
	}
	claimed, outcome := make(chan struct{}), make(chan error, 1)
	s.checking.Go(func() {
		defer s.checks.Delete(session.ID)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkTimeout)
		defer cancel()
		outcome <- s.check(ctx, session, secret, func() { close(claimed) })
	})
	late := time.After(claimWait)
	for {
		select {
		case err := <-outcome:
			return err
		case <-claimed:
			claimed, late = nil, time.After(checkWait)
		case <-late:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *Service) check(ctx context.Context, session *people.Session, secret string, claim func()) error {
	now := s.People.Now()
	// A refresh token may work only once, so only one node asks, and the next one after checkAgain.
	claimed := *session
	claimed.CheckedAt = s.nextCheck(now, checkAgain)
	if err := s.People.Checked(session, session.Sealed, claimed.CheckedAt); err != nil {
		return ignoreChanged(err)
	}
	claim()
	end := func(reason string) error {
		err := s.People.EndSession(session.Organization, session.ID, "", "session.revoke", account.System(), now)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		s.Log.Info("a session was ended", "session", session.ID, "reason", reason)
		return ErrEnded
	}
	p := s.providers[session.Provider]
	if p == nil {
		return end("its identity provider is no longer in the settings")
	}
	tokens, err := unseal(secret, session.Sealed)
	if err != nil {
		return end("its tokens cannot be read")
	}
	person, tokens, failed := p.Check(ctx, tokens)
	if errors.Is(failed, oidc.ErrRefused) {
		return end(failed.Error())
	}
	wait := checkAgain
	if failed == nil {
		tokens.Failures = 0
	} else {
		wait <<= min(tokens.Failures, 10)
		tokens.Failures++
	}
	switch changed := p.failing.Swap(failed != nil) != (failed != nil); {
	case changed && failed != nil:
		s.Log.Warn("an identity provider cannot be reached or does not answer correctly; its users stay signed in", "provider", session.Provider, "error", failed)
	case changed:
		s.Log.Info("an identity provider answers again", "provider", session.Provider)
	}
	// The provider may have replaced the refresh token, even if the check failed afterwards.
	sealed, err := seal(secret, tokens)
	if err != nil {
		return err
	}
	checked := claimed
	checked.CheckedAt = s.nextCheck(now, wait)
	if err := s.People.Checked(&claimed, sealed, checked.CheckedAt); err != nil || failed != nil {
		return ignoreChanged(err)
	}
	u, err := s.People.User(ctx, session.UserID)
	if err != nil {
		return err
	}
	if err := s.setRoles(ctx, u, p.Settings(), person.Groups, account.System()); err != nil {
		return err
	}
	return ignoreChanged(s.People.Checked(&checked, sealed, now))
}

// nextCheck returns the time of a check after which the next one is due at now + wait.
func (s *Service) nextCheck(now time.Time, wait time.Duration) time.Time {
	return now.Add(min(wait, s.checkEvery()) - s.checkEvery()).Truncate(time.Millisecond)
}

// ignoreChanged ignores that another node has checked the same session meanwhile.
func ignoreChanged(err error) error {
	if errors.Is(err, store.ErrChanged) {
		return nil
	}
	return err
}

// SignOutURL returns where the user of a session can sign out from the identity provider, or "".
func (s *Service) SignOutURL(ctx context.Context, session *people.Session, secret string) string {
	p := s.providers[session.Provider]
	if p == nil {
		return ""
	}
	tokens, err := unseal(secret, session.Sealed)
	if err != nil {
		return ""
	}
	return p.SignOutURL(ctx, tokens, s.BaseURL+"/")
}
