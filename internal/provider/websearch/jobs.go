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
	lines := serp.LinesBut(n, func(n *html.Node) bool {
		role := markup.Attr(n, "role")
		return markup.Attr(n, "aria-hidden") == "true" || role == "dialog" || n.DataAtom == atom.Img || role == "button" && !markup.HasAttr(n, "data-viewer-entrypoint")
	})
	if title := serp.Line(serp.Title(n)); title != "" { // the initial of the company can precede the title
		lines = lines[max(slices.Index(lines, title), 0):]
	}
	if len(lines) < 2 {
		return false
	}
	job := earshot.JobPosting{Title: lines[0], Company: lines[1]}
	for i, line := range lines[2:min(4, len(lines))] {
		where, after, dotted := strings.Cut(line, "•")
		site, named := siteOf(cmp.Or(after, line))
		if i == 0 && (dotted || !named) {
			job.Location = strings.TrimSpace(where)
		}
		if job.Source == "" && (named || dotted && i == 0) {
			job.Source = site
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
	r.looks++
	if r.looks > maxLooks {
		return false
	}
	card := jobCard(n, address)
	if card != nil && (card == r.jobCard || r.readJob(card, address)) { // a card can have several links
		r.jobCard = card
		return true
	}
	if at.list && r.jobLink.node == nil {
		r.jobLink = part{node: n, at: r.at, title: cmp.Or(headingIn(n), r.listTitle)}
	}
	return false
}

// jobCard returns the element with the job posting of a link, or nil. A posting has one title and no
// link to other jobs. Without a title, the address says which posting it is.
func jobCard(link *html.Node, address string) *html.Node {
	isTitle := func(n *html.Node) bool { return n.DataAtom == atom.H3 || markup.IsHeading(n, "3") }
	isOther := func(n *html.Node) bool { return markup.Attr(n, "href") != address && isJob(markup.Attr(n, "href")) }
	card := link
	for range 4 {
		titles := markup.FindAll(card, isTitle)
		switch {
		case len(titles) > 1 || markup.Find(card, isOther) != nil:
			return nil
		case len(titles) == 1, card == link && strings.Contains(address, "docid") && len(serp.Lines(link)) >= 3:
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
