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
	// redirectPath begins the path of the API's redirect links.
	redirectPath = "/grounding-api-redirect/"
	// resolveTime is what the site of the links gets to answer for one.
	resolveTime = 10 * time.Second
	// resolveAtOnce is how many links of an answer are asked for at a time.
	resolveAtOnce = 8
	// maxResolved bounds what one answer can make us ask.
	maxResolved = 200
)

// isRedirect tells the API's redirect links from addresses of pages.
func isRedirect(link string) bool {
	u, err := url.Parse(link)
	return err == nil && strings.HasPrefix(u.Path, redirectPath)
}

// nameHosts gives the sources that are only known by their redirect link the
// domain that it leads to, where that is known.
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

// finishAPI asks where the redirect links of an answer lead, and gives sources,
// pills and Markdown their destinations. Sources that turn out to be one page
// become one. What the site does not tell stays as it is; only ctx ends it early.
func finishAPI(ctx context.Context, up *upstream.Session, a *earshot.Answer, locale geo.Locale) error {
	links := unresolved(a)
	if len(links) == 0 {
		return nil
	}
	destinations, err := resolve(ctx, up, locale, links)
	if err != nil {
		return err
	}
	lead(a, destinations)
	return nil
}

// unresolved are the redirect links whose destination is not known.
func unresolved(a *earshot.Answer) []string {
	var links []string
	for _, source := range a.Sources {
		if source.URL == source.RedirectLink && isRedirect(source.URL) {
			links = append(links, source.URL)
		}
	}
	return links
}

// resolve asks for the links, several at once. What is not told is left out.
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

// resolveOne asks for one link. The request is built anew from the link's path
// and parameters: what the link says of a host is never dialled.
func resolveOne(ctx context.Context, up *upstream.Session, locale geo.Locale, link string) (string, error) {
	u, err := url.Parse(link)
	if err != nil {
		return "", upstream.Fail(earshot.ReasonUnreadable, "redirect link: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, resolveTime)
	defer cancel()
	location, err := up.Redirect(ctx, &upstream.Request{Site: redirectSite, Path: u.EscapedPath(), Query: u.Query(), Locale: locale})
	if err != nil {
		return "", err
	}
	destination, ok := webtext.Destination(location, nil, nil)
	if !ok {
		return "", upstream.Fail(earshot.ReasonUnreadable, "the redirect leads to no web address")
	}
	return destination, nil
}

// lead gives the answer the destinations of its links.
func lead(a *earshot.Answer, destinations map[string]string) {
	hosts := map[string]string{}
	var sources answer.Sources
	for _, source := range a.Sources {
		hosts[source.URL] = source.Domain
		sources.Add(led(source, destinations))
	}
	for rest := a.CitationPills; len(rest) > 0; {
		var chip []answer.Citation
		id := rest[0].CitationPillID
		for ; len(rest) > 0 && rest[0].CitationPillID == id; rest = rest[1:] {
			source := led(a.Sources[rest[0].Position-1], destinations)
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

// led is the source with the destination of its link. One that was named after
// the site of the links, for want of a title, loses that name.
func led(source earshot.Source, destinations map[string]string) earshot.Source {
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

// linkTarget is the address of a link as it stands in Markdown.
func linkTarget(link string) string {
	return strings.TrimPrefix(mdtext.WriteLink("x", link), "[x]")
}
