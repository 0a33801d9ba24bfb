package serp

import (
	"context"
	"errors"
	"net/url"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/schema"
	"earshot/internal/upstream"
	"earshot/internal/upstream/browser"
)

const (
	// resolveTime is the timeout for one link: for Goto in total, for a page before a browser is tried.
	resolveTime = 10 * time.Second
	// visitTime is the timeout for one link in a browser.
	visitTime = 30 * time.Second
	// resolveAtOnce is the number of links of a page that are resolved concurrently.
	resolveAtOnce = 8
	// maxResolved limits the requests that one page can cause, and maxVisited the requests by a
	// browser, which cost a hundred times as much.
	maxResolved = 200
	maxVisited  = 20
)

// Resolve asks the engine where the redirect links lead, several at once. Links that cannot be
// resolved are left out. It returns an error only if ctx ends.
func (e Engine) Resolve(ctx context.Context, up *upstream.Session, locale geo.Locale, links []string) (map[string]string, error) {
	resolved := map[string]string{}
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(resolveAtOnce)
	for i, link := range links[:min(len(links), maxResolved)] {
		group.Go(func() error {
			destination, err := e.resolve(ctx, up, locale, link, i < maxVisited)
			if err != nil {
				return ctx.Err()
			}
			mu.Lock()
			defer mu.Unlock()
			resolved[link] = destination
			return nil
		})
	}
	return resolved, group.Wait()
}

// resolve resolves one link. The request is built from the link's path and parameters only, so the
// host in the link is never contacted. If the engine shows a page instead of a redirect and visits
// is set, a browser tries again.
func (e Engine) resolve(ctx context.Context, up *upstream.Session, locale geo.Locale, link string, visits bool) (string, error) {
	u, err := url.Parse(link)
	if err != nil {
		return "", upstream.Fail(earshot.ReasonUnreadable, "redirect link: %w", err)
	}
	request := &upstream.Request{Site: Site, Path: u.Path, Query: u.Query(), Locale: locale, Refusal: linkRefusal}
	location, err := redirect(ctx, up, request, resolveTime)
	failure, _ := errors.AsType[*upstream.Failure](err)
	if failure != nil && visits && up.Browses() && (failure.Reason == earshot.ReasonBlocked || failure.Reason == earshot.ReasonUnreadable) {
		request.Steps = visit(browser.TakeRedirect(e.Host))
		location, err = redirect(ctx, up, request, visitTime)
	}
	if err != nil {
		return "", err
	}
	destination, ok := webAddress(location)
	if !ok {
		return "", upstream.Fail(earshot.ReasonUnreadable, "the redirect leads to no web address")
	}
	return destination, nil
}

func redirect(ctx context.Context, up *upstream.Session, request *upstream.Request, limit time.Duration) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return up.Redirect(ctx, request)
}

// Goto resolves a redirect link from a client within resolveTime, on every upstream. The error is
// an *earshot.Error unless it comes from ctx.
func (e Engine) Goto(ctx context.Context, client *upstream.Client, link string) (string, error) {
	if problem := e.gotoProblem(link); problem != "" {
		return "", schema.Invalid("url", "%s", problem)
	}
	ctx, cancel := context.WithTimeout(ctx, resolveTime)
	defer cancel()
	destination, err := e.resolve(ctx, client.NewSession(1, ""), geo.Locale{Country: "US"}, link, true)
	if failure, ok := errors.AsType[*upstream.Failure](err); ok {
		return "", &earshot.Error{
			Code:    earshot.CodeUpstream,
			Message: "the search engine did not answer with a redirect",
			Details: earshot.UpstreamDetails{Service: "websearch/goto", Reason: failure.Reason},
			Err:     failure,
		}
	}
	return destination, err
}

// gotoProblem returns why a link is not one of the engine's redirect links, or "".
func (e Engine) gotoProblem(link string) string {
	if len(link) > maxURL {
		return "is too long"
	}
	u, problem := parseAbsolute(link)
	switch {
	case problem != "":
		return problem
	case !e.isMain(u.Hostname()):
		return "must be on " + e.Host
	case u.EscapedPath() != pathURL && u.EscapedPath() != pathGoto:
		return "must have the path /goto or /url"
	default:
		return ""
	}
}
