// Package analysis says what an answer of a tracker holds: which brands of the panel it
// names, where and backed by what, and which pages it cites. It is pure: the same result
// and the same panel give the same analysis for ever.
//
//	analysis.go  a panel, and what it finds in a result
//	shown.go     the same for people to look at, with its texts and sentences
//	codec.go     an analysis as it is stored
//	refusal.go   whether an assistant declined to answer
package analysis

import (
	"encoding/json"
	"fmt"
	"slices"

	"earshot"
	"earshot/internal/track/mention"
	"earshot/internal/track/metric"
	"earshot/internal/track/source"
)

// Code is the version of what finds brands and citations. Raise it with every change that
// makes another analysis of the same answer: all kept answers are analysed anew then.
const Code = 3

// Alike returns the first version that names and cites what a version does, so that series
// go on from one to the other. Version 3 notes more about an answer than version 2 does,
// and finds the same in it.
func Alike(code int) int {
	if code == 3 {
		return 2
	}
	return code
}

// Panel finds the brands of a tracker. It does not change and is safe for concurrent use.
type Panel struct {
	Brands []metric.PanelBrand
	named  []mention.BrandNames
	rules  *mention.Rules
	sites  *source.Sites
}

// NewPanel makes a panel of brands, and of types of sites that are not those of the table.
// An error of the type mention.Problems names all that is wrong with the brands.
func NewPanel(brands []earshot.Brand, sources ...earshot.SourceType) (*Panel, error) {
	p := &Panel{named: Names(brands)}
	var err error
	if p.rules, err = mention.Compile(p.named); err != nil {
		return nil, err
	}
	var own, rivals []string
	for _, b := range brands {
		domains := make([]string, len(b.Domains)) // as hosts of pages are written, for all who compare the two
		for i, domain := range b.Domains {
			if domains[i], err = source.BrandDomain(domain); err != nil {
				return nil, fmt.Errorf("domain %q: %w", domain, err)
			}
		}
		p.Brands = append(p.Brands, metric.PanelBrand{Name: b.Name, Own: b.Own, Domains: domains})
		if b.Own {
			own = append(own, domains...)
		} else {
			rivals = append(rivals, domains...)
		}
	}
	types := map[string]source.Type{}
	for _, s := range sources {
		types[s.Domain] = source.Type(s.Type)
	}
	if p.sites, err = source.NewSites(own, rivals, types); err != nil {
		return nil, fmt.Errorf("domains: %w", err)
	}
	return p, nil
}

// Names are brands as package mention has them.
func Names(brands []earshot.Brand) []mention.BrandNames {
	named := make([]mention.BrandNames, len(brands))
	for i, b := range brands {
		named[i] = mention.BrandNames{Name: b.Name, Match: match(b.Match), Domains: b.Domains, Own: b.Own}
		for _, alias := range b.Aliases {
			named[i].Aliases = append(named[i].Aliases, mention.Alias{Name: alias.Name, Match: match(alias.Match)})
		}
	}
	return named
}

func match(m *earshot.NameMatch) mention.Match {
	if m == nil {
		return mention.Match{}
	}
	return mention.Match{
		Case: m.Case, Joined: m.Joined, Prefixes: m.Prefixes, Suffixes: m.Suffixes, Near: m.Near, Not: m.Not, Within: m.Within,
	}
}

// Branded tells whether a prompt names a brand of the panel itself.
func (p *Panel) Branded(prompt string) bool {
	found := p.rules.Find(mention.Text{Body: prompt, Format: mention.Plain})
	return slices.ContainsFunc(found.Mentions, mention.Mention.Counts)
}

// Site tells the type of the site that an address or a host belongs to, the brand whose
// it is, "" where it is none's, and its domain.
func (p *Panel) Site(address string) (kind source.Type, brand, domain string) {
	page, err := source.Parse(address)
	if err != nil {
		return source.Other, "", address
	}
	if i := p.rules.BrandOf(address); i >= 0 {
		brand = p.Brands[i].Name
	}
	return p.sites.Type(page.Host), brand, page.Domain
}

// Where is the part of a result that a mention stands in: one of those of a search page,
// or one of these.
const (
	InMarkdown mention.Where = "markdown"
	InText     mention.Where = "text"
)

// Found is what an answer holds.
type Found struct {
	Mentions  []Mention
	Citations []metric.Citation
	Organic   []metric.Citation // nil where the answer is no search page
	// Plain reports whether the prose is plain text because no Markdown was asked for. It
	// then has no lists, and sentences without the pages that they cite.
	Plain bool
}

// Mention is a name in an answer. Start and End are bytes of the text that it stands in.
type Mention struct {
	Brand, Name int
	Kind        mention.Kind
	Where       mention.Where
	Index       int // of the organic result or of the panel's text
	Start, End  int
	Position    int
	ListRank    int
	Domains     []string // registrable domains that its sentence cites
	Citations   []int    // indexes in Found.Citations of the pages that it cites
}

// result is what is looked at of the results of all providers.
type result struct {
	prose
	OrganicResults []organic `json:"organicResults"`
	NewsResults    []organic `json:"newsResults"`
	SearchOverview *prose    `json:"searchoverview"`
	KnowledgeGraph *struct {
		Title       string                       `json:"title"`
		Type        string                       `json:"type"`
		Description string                       `json:"description"`
		Attributes  []earshot.KnowledgeAttribute `json:"attributes"`
	} `json:"knowledgeGraph"`
}

type prose struct {
	Text     string           `json:"text"`
	Markdown string           `json:"markdown"`
	Sources  []earshot.Source `json:"sources"`
	Entities []earshot.Entity `json:"entities"`
}

type organic struct {
	Position int    `json:"position"`
	Title    string `json:"title"`
	Link     string `json:"link"`
	Snippet  string `json:"snippet"`
}

// Analyse finds brands and citations in the result of a provider that was asked a prompt.
func (p *Panel) Analyse(stored []byte, prompt string) (*Found, error) {
	l := look{Panel: p, found: &Found{}}
	return l.found, l.at(stored, prompt)
}

// look is a look at a result.
type look struct {
	*Panel
	found *Found
	shown *Shown // nil where only the analysis is wanted
}

func (l *look) at(stored []byte, prompt string) error {
	var r result
	if err := json.Unmarshal(stored, &r); err != nil {
		return fmt.Errorf("read a result: %w", err)
	}
	if results := r.results(); results != nil {
		l.page(&r, results, prompt)
	} else {
		l.prose(r.prose, prompt)
	}
	return nil
}

// results are those of a search page; nil where it is none.
func (r *result) results() []organic {
	if r.OrganicResults != nil {
		return r.OrganicResults
	}
	return r.NewsResults
}

// text is the prose as it is searched: Markdown where there is some.
func (a prose) text(prompt string) (text mention.Text, where mention.Where) {
	text, where = mention.Text{Body: a.Markdown, Format: mention.Markdown, Prompt: prompt}, InMarkdown
	if text.Body == "" {
		text.Body, text.Format, where = a.Text, mention.Plain, InText
	}
	for _, s := range a.Sources {
		text.Sources = append(text.Sources, mention.Source{URL: s.URL, Title: s.Label})
	}
	return text, where
}

// isPlain reports whether there is a text, and no Markdown of it.
func (a prose) isPlain() bool { return a.Markdown == "" && a.Text != "" }

// prose adds what stands in the text of an assistant, and what it cites.
func (l *look) prose(a prose, prompt string) {
	text, where := a.text(prompt)
	l.shown.text(where, 0, text)
	found := l.rules.Find(text)
	l.found.Plain = a.isPlain()
	l.cite(text.Sources, found.Links)
	for _, m := range found.Mentions {
		l.add(m, where, 0, text.Sources, found.Links)
	}
}

// cite adds the pages that an answer cites: its sources, then the links in its text.
func (l *look) cite(sources []mention.Source, links []mention.Link) {
	var addresses []string
	for _, s := range sources {
		addresses = append(addresses, s.URL)
	}
	for _, link := range links {
		if link.Source < 0 {
			addresses = append(addresses, link.URL)
		}
	}
	for _, c := range l.sites.Cited(addresses) {
		l.found.Citations = append(l.found.Citations, metric.Citation{URL: c.URL, Host: c.Host, Domain: c.Domain, Type: string(c.Type), Position: c.Position})
	}
}

// add adds a mention, with what its sentence cites.
func (l *look) add(m mention.Mention, where mention.Where, index int, sources []mention.Source, links []mention.Link) {
	var domains []string
	var cited []int
	cite := func(address string) {
		page, err := source.Parse(address)
		if err != nil {
			return
		}
		at := slices.IndexFunc(l.found.Citations, func(c metric.Citation) bool { return c.URL == page.URL })
		if at >= 0 && !slices.Contains(cited, at) {
			cited = append(cited, at)
		}
		if !slices.Contains(domains, page.Domain) {
			domains = append(domains, page.Domain)
		}
	}
	for _, i := range m.Sources {
		cite(sources[i].URL)
	}
	for _, i := range m.Links {
		cite(links[i].URL)
	}
	slices.Sort(cited)
	l.found.Mentions = append(l.found.Mentions, Mention{
		Brand: m.Brand, Name: m.Name, Kind: m.Kind, Where: where, Index: index, Start: m.Start, End: m.End,
		Position: m.Position, ListRank: m.ListRank, Domains: domains, Citations: cited,
	})
	l.shown.sentence(m)
}

// page adds what stands on a search page.
func (l *look) page(r *result, results []organic, prompt string) {
	var page mention.SearchPage
	l.found.Organic = []metric.Citation{}
	for i, o := range results {
		page.Organic = append(page.Organic, mention.Organic{Position: o.Position, URL: o.Link, Title: o.Title, Snippet: o.Snippet})
		if o.Position < 1 {
			o.Position = i + 1
		}
		if at, err := source.Parse(o.Link); err == nil {
			l.found.Organic = append(l.found.Organic, metric.Citation{
				URL: at.URL, Host: at.Host, Domain: at.Domain, Type: string(l.sites.Type(at.Host)), Position: o.Position,
			})
		}
	}
	if k := r.KnowledgeGraph; k != nil {
		page.Panel = []string{k.Title, k.Type, k.Description}
		for _, a := range k.Attributes {
			page.Panel = append(page.Panel, a.Name+": "+a.Value)
		}
	}
	var sources []mention.Source
	var links []mention.Link
	if r.SearchOverview != nil {
		text, _ := r.SearchOverview.text(prompt)
		page.Overview = &text
		sources, links = text.Sources, l.rules.Find(text).Links
		l.found.Plain = r.SearchOverview.isPlain()
		l.cite(sources, links)
	}
	l.shown.page(page)
	for _, m := range l.rules.Search(page).Mentions {
		if m.Where != mention.InOverview {
			m.Sources, m.Links = nil, nil // a title or snippet cites nothing
		}
		l.add(m.Mention, m.Where, m.Index, sources, links)
	}
}

// Answer is an answer as metrics look at it, without its place. It shares the memory of f.
func (f *Found) Answer(p *Panel) metric.Observation {
	a := metric.Observation{}
	f.Fill(&a, p)
	return a
}

// Fill sets what an answer holds, in the memory that it has.
func (f *Found) Fill(a *metric.Observation, p *Panel) {
	a.Citations, a.Organic, a.Plain, a.Mentions = f.Citations, f.Organic, f.Plain, resized(a.Mentions, len(f.Mentions))
	for i, m := range f.Mentions {
		a.Mentions[i] = metric.Mention{
			Brand: p.Brands[m.Brand].Name, Kind: metric.Kind(m.Kind), Position: m.Position, ListRank: m.ListRank, Domains: m.Domains, Cited: m.Citations,
		}
	}
}
