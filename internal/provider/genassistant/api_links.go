package genassistant

import (
	"cmp"
	"context"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/mdtext"
	"earshot/internal/provider/webtext"
	"earshot/internal/upstream"
)

const (
	// redirectPath is the path prefix of the API's redirect links.
	redirectPath = "/grounding-api-redirect/"
	// resolveTime is the timeout for resolving one link.
	resolveTime = 10 * time.Second
	// resolveAtOnce limits how many links of an answer are resolved at a time.
	resolveAtOnce = 8
	// maxResolved limits how many requests one answer can cause.
	maxResolved = 200
)

// isRedirect reports whether the link is one of the API's redirect links.
func isRedirect(link string) bool {
	u, err := url.Parse(link)
	return err == nil && strings.HasPrefix(u.Path, redirectPath)
}

// nameHosts sets the domain of sources whose destination is unknown. hosts has the domains behind
// redirect links, as far as they are known.
func nameHosts(a *earshot.Answer, hosts map[string]string) {
	for i := range a.Sources {
		if source := &a.Sources[i]; source.URL == source.RedirectLink {
			source.Domain = cmp.Or(hosts[source.URL], source.Domain)
		}
	}
	for i := range a.CitationPills {
		pill := &a.CitationPills[i]
		pill.Domain = a.Sources[pill.Position-1].Domain
	}
}

// finishAPI resolves the redirect links of an answer and replaces them in sources, pills and
// Markdown. Sources that turn out to be the same page are merged. A link that cannot be resolved
// stays unchanged; the only possible error is the one of ctx.
func finishAPI(ctx context.Context, up *upstream.Session, a *earshot.Answer, locale geo.Locale) error {
	var links []string
	for _, source := range a.Sources {
		if source.URL == source.RedirectLink && isRedirect(source.URL) {
			links = append(links, source.URL)
		}
	}
	if len(links) == 0 {
		return nil
	}
	destinations, err := resolve(ctx, up, locale, links)
	if err != nil {
		return err
	}
	setDestinations(a, destinations)
	return nil
}

// resolve resolves the links, several at a time. Links that cannot be resolved are missing from the
// result.
func resolve(ctx context.Context, up *upstream.Session, locale geo.Locale, links []string) (map[string]string, error) {
	destinations := map[string]string{}
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(resolveAtOnce)
	for _, link := range links[:min(len(links), maxResolved)] {
		group.Go(func() error {
			destination, err := resolveOne(ctx, up, locale, link)
			if err != nil {
				return ctx.Err()
			}
			mu.Lock()
			defer mu.Unlock()
			destinations[link] = destination
			return nil
		})
	}
	return destinations, group.Wait()
}

// resolveOne resolves one link. The request is built from the link's path and parameters only: the
// host in the link is never contacted.
func resolveOne(ctx context.Context, up *upstream.Session, locale geo.Locale, link string) (string, error) {
	u, err := url.Parse(link)
	if err != nil {
		return "", upstream.Fail(earshot.ReasonUnreadable, "parse a redirect link: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, resolveTime)
	defer cancel()
	location, err := up.Redirect(ctx, &upstream.Request{Site: redirectSite, Path: u.EscapedPath(), Query: u.Query(), Locale: locale})
	if err != nil {
		return "", err
	}
	destination, ok := webtext.Destination(location, nil, nil)
	if !ok {
		return "", upstream.Fail(earshot.ReasonUnreadable, "the redirect does not lead to a web address")
	}
	return destination, nil
}

// setDestinations replaces the redirect links of the answer by their destinations.
func setDestinations(a *earshot.Answer, destinations map[string]string) {
	hosts := map[string]string{}
	var sources answer.Sources
	for _, source := range a.Sources {
		hosts[source.URL] = source.Domain
		sources.Add(withDestination(source, destinations))
	}
	for rest := a.CitationPills; len(rest) > 0; {
		var chip []answer.Citation
		id := rest[0].CitationPillID
		for ; len(rest) > 0 && rest[0].CitationPillID == id; rest = rest[1:] {
			source := withDestination(a.Sources[rest[0].Position-1], destinations)
			chip = append(chip, answer.Citation{Source: source, Label: cmp.Or(source.Label, rest[0].Label)})
		}
		sources.Chip(chip)
	}
	sources.Fill(a)
	nameHosts(a, hosts)
	var pairs []string
	for link, destination := range destinations {
		pairs = append(pairs, linkTarget(link), linkTarget(destination))
	}
	a.Markdown = strings.NewReplacer(pairs...).Replace(a.Markdown)
}

// withDestination returns the source with the destination of its link. A label that is only the
// domain of the redirect link becomes the domain of the destination.
func withDestination(source earshot.Source, destinations map[string]string) earshot.Source {
	destination, ok := destinations[source.URL]
	if !ok {
		return source
	}
	if source.Label == webtext.Domain(source.URL) {
		source.Label = webtext.Domain(destination)
	}
	source.URL = destination
	return source
}

// linkTarget returns a URL as it appears in a Markdown link, in parentheses.
func linkTarget(link string) string {
	return strings.TrimPrefix(mdtext.WriteLink("x", link), "[x]")
}
