package websearch

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/serp"
)

// jobMark is part of the addresses of job postings and of lists of them.
var jobMark = regexp.MustCompile(`htl(;|%3B)jobs|[?&]udm=8\b`)

func isJob(address string) bool {
	return (strings.Contains(address, "jobs") || strings.Contains(address, "udm=8")) && jobMark.MatchString(address)
}

// readJob reads a job posting: its title, company, location and site.
func (r *reader) readJob(n *html.Node, address string) bool {
	heading := serp.Title(n)
	lines := serp.LinesBut(n, func(n *html.Node) bool {
		role := markup.Attr(n, "role")
		return n == heading || markup.Attr(n, "aria-hidden") == "true" || role == "dialog" || n.DataAtom == atom.Img ||
			role == "button" && !markup.HasAttr(n, "data-viewer-entrypoint")
	})
	if heading != nil {
		lines = append([]string{serp.Line(heading)}, lines...)
	}
	if len(lines) < 2 {
		return false
	}
	job := earshot.JobPosting{Title: lines[0], Company: lines[1]}
	for i, line := range lines[2:] {
		where, site, dotted := strings.Cut(line, "•")
		name, named := siteOf(cmp.Or(site, line))
		switch {
		case i == 0 && !named || dotted && job.Location == "":
			job.Location = strings.TrimSpace(where)
		}
		if job.Source == "" && (named || dotted && i == 0) {
			job.Source = name
		}
	}
	if to, redirect, ok := r.links.Read(address); ok {
		job.Link, job.RedirectLink = to, redirect
	}
	r.found.Jobs = append(r.found.Jobs, job)
	r.note(earshot.BlockJobs)
	return true
}

// siteOf returns the site of a job posting, and whether a word before it says so.
func siteOf(text string) (site string, named bool) {
	text = strings.TrimSpace(text)
	for _, word := range []string{"via ", "über ", "a través de ", "tramite ", "przez "} {
		if site, named = strings.CutPrefix(text, word); named {
			return site, true
		}
	}
	return text, false
}

// readJobLink reads the job posting of a link. The posting is in the link or around it.
func (r *reader) readJobLink(n *html.Node, address string, at area) bool {
	card := jobCard(n, address)
	switch {
	case card == nil || r.looks >= maxLooks:
	case card == r.jobCard: // another link in the same card
		return true
	case r.readJob(card, address):
		r.jobCard = card
		return true
	}
	if at.list && r.jobLink.node == nil {
		r.jobLink = part{node: n, at: r.at, title: cmp.Or(headingIn(n), r.listTitle)}
	}
	r.looks++
	return false
}

// jobCard returns the element with the job posting of a link, or nil. A posting has a title or, if
// the address says which posting it is, at least a title, a company and a location.
func jobCard(link *html.Node, address string) *html.Node {
	isTitle := func(n *html.Node) bool { return n.DataAtom == atom.H3 || markup.IsHeading(n, "3") }
	card := link
	for range 4 {
		switch titles := markup.FindAll(card, isTitle); {
		case len(titles) == 1:
			return card
		case len(titles) > 1:
			return nil
		}
		if card == link && strings.Contains(address, "docid") && len(serp.Lines(link)) >= 3 {
			return card
		}
		if card.Parent == nil || landmarks[markup.Attr(card.Parent, "id")] {
			return nil
		}
		card = card.Parent
	}
	return nil
}

// missedJobs records the block of a link to jobs as a part of the page if no job was read.
func (r *reader) missedJobs() {
	if r.jobLink.node == nil || len(r.found.Jobs) > 0 {
		return
	}
	r.parts = append(r.parts, r.jobLink)
	slices.SortStableFunc(r.parts, func(a, b part) int { return cmp.Compare(a.at, b.at) })
}
