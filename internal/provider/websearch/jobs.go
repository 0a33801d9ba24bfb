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
	title := serp.Title(n)
	lines := serp.LinesBut(n, func(n *html.Node) bool {
		switch markup.Attr(n, "role") {
		case "dialog":
			return true
		case "button": // the whole card can be a button
			return !markup.HasAttr(n, "data-viewer-entrypoint") && (title == nil || !markup.Contains(n, title))
		default:
			return markup.Attr(n, "aria-hidden") == "true" || n.DataAtom == atom.Img
		}
	})
	if name := serp.Line(title); name != "" { // the initial of the company can precede the title
		lines = lines[max(slices.Index(lines, name), 0):]
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
	if !slices.Contains(r.found.Jobs, job) { // a card can have several links
		r.found.Jobs = append(r.found.Jobs, job)
		r.note(earshot.BlockJobs)
	}
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

// readJobLink reads the job postings of a link: one in the link or around it, or all postings of the
// block whose heading or end is the link.
func (r *reader) readJobLink(n *html.Node, address string, at area) bool {
	r.looks += 4
	if r.looks > maxLooks {
		return false
	}
	read := false
	for _, card := range r.jobCards(n, address) {
		own := address
		if card != n {
			own = jobAddress(card)
		}
		if r.readJob(card, own) {
			r.claim(card, true)
			read = true
		}
	}
	if !read && at.main && r.jobLink.node == nil {
		r.jobLink = part{node: n, at: r.at, title: cmp.Or(headingIn(n), r.listTitle)}
	}
	return read
}

// jobAddress returns the address of the first link to jobs in a card, or "".
func jobAddress(card *html.Node) string {
	if link := markup.Find(card, func(n *html.Node) bool { return isJob(markup.Attr(n, "href")) }); link != nil {
		return markup.Attr(link, "href")
	}
	return ""
}

// jobCards returns the elements with the job postings of a link. A posting has a title, which does
// not lead to another site. Without a title, the address says which posting it is.
func (r *reader) jobCards(link *html.Node, address string) []*html.Node {
	isTitle := func(n *html.Node) bool { return markup.IsHeading(n, "3") }
	if strings.Contains(address, "docid") && len(serp.Lines(link)) >= 3 {
		return []*html.Node{link}
	}
	block := link
	for range 6 {
		titles := markup.FindAll(block, isTitle)
		if len(titles) > maxItems {
			return nil
		}
		for i, title := range titles {
			if around := markup.Closest(title, "href"); around != nil && r.leadsAway(around) || markup.Find(title, r.leadsAway) != nil {
				return nil
			}
			titles[i] = cardOf(title, block)
		}
		if titles != nil {
			return titles
		}
		if block.Parent == nil || landmarks[markup.Attr(block.Parent, "id")] {
			return nil
		}
		block = block.Parent
	}
	return nil
}

// cardOf returns the largest element in the block around a title that contains no other heading.
func cardOf(title, block *html.Node) *html.Node {
	isHead := func(n *html.Node) bool { return isHeading(n, marksOf(n)) }
	card := title
	for card != block && len(markup.FindAll(card.Parent, isHead)) == 1 {
		card = card.Parent
	}
	return card
}

// missedJobs records the block of a link to jobs as a part of the page if no job was read.
func (r *reader) missedJobs() {
	if r.jobLink.node == nil || len(r.found.Jobs) > 0 {
		return
	}
	r.parts = append(r.parts, r.jobLink)
	slices.SortStableFunc(r.parts, func(a, b part) int { return cmp.Compare(a.at, b.at) })
}
