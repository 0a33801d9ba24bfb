// Package analysis finds the brands that an answer names, the pages that it cites, the pages
// that support each mention, and the parts of an answer besides its text. It is pure: the same
// result, question and panel always give the same analysis.
//
//	analysis.go  Panel, and the analysis of a result
//	contents.go  searches, cited pages, products, ads and blocks of a result
//	shown.go     an analysis with texts and sentences, for display
//	codec.go     the stored format of an analysis
//	refusal.go   whether an assistant declined to answer
package analysis

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/schema"
	"earshot/internal/track/mention"
	"earshot/internal/track/metric"
	"earshot/internal/track/source"
)

// Version is the version of the analysis. Raise it with every change that gives another analysis
// of the same answer; all kept answers are then analysed again.
const Version = 5

// Alike returns the first version that finds the same mentions and citations as a version, so
// that series continue. Versions 3 and 4 store more than version 2, but find the same.
func Alike(code int) int {
	if code == 3 || code == 4 {
		return 2
	}
	return code
}

// Panel finds the brands of a tracker in results. It is immutable and safe for concurrent use.
type Panel struct {
	Brands []metric.PanelBrand
	named  []mention.BrandNames
	rules  *mention.Rules
	sites  *source.Sites
}

// CheckBrand returns an error unless the panel has a brand or its name is "".
func (p *Panel) CheckBrand(name string) error {
	var brands []string
	for _, b := range p.Brands {
		brands = append(brands, b.Name)
	}
	return schema.Known("brand", name, "tracker", brands)
}

// NewPanel returns a panel of brands. sources override the built-in types of sites. An error
// of the type mention.Problems lists all problems of the brands.
func NewPanel(brands []earshot.Brand, sources ...earshot.SourceType) (*Panel, error) {
	p := &Panel{named: Names(brands)}
	var err error
	if p.rules, err = mention.Compile(p.named); err != nil {
		return nil, err
	}
	var own, rivals []string
	for _, b := range brands {
		domains := make([]string, len(b.Domains)) // in the form of the hosts of pages
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

// Names converts brands to the form of package mention.
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

// Branded reports whether a prompt names a brand of the panel.
func (p *Panel) Branded(prompt string) bool { return len(p.NamedIn(prompt)) > 0 }

// NamedIn returns the brands that plain texts name, in the order of the texts.
func (p *Panel) NamedIn(texts ...string) (brands []string) {
	for _, text := range texts {
		for _, m := range p.rules.Find(mention.Text{Body: text, Format: mention.Plain}).Mentions {
			if name := p.Brands[m.Brand].Name; m.Counts() && !slices.Contains(brands, name) {
				brands = append(brands, name)
			}
		}
	}
	return brands
}

// Site returns the type, the brand and the domain of the site of an address or host. brand is
// empty if the site belongs to no brand of the panel.
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

// The parts of an assistant's answer that contain mentions. Package mention has the parts of a
// search page.
const (
	InMarkdown mention.Where = "markdown"
	InText     mention.Where = "text"
)

// Analysis holds the brands that an answer names and the pages that it cites.
type Analysis struct {
	Mentions  []Mention
	Citations []metric.Citation
	Organic   []metric.Citation // nil unless the answer is a search page
	// Plain is true if the answer is plain text because Markdown was not requested. Plain
	// text shows neither lists nor the pages that a sentence cites.
	Plain bool

	metric.Contents
}

// Mention is a name of a brand in an answer.
type Mention struct {
	Brand, Name int
	Kind        mention.Kind
	Where       mention.Where
	Index       int // of the organic result, or of the text in a knowledge panel
	Start, End  int // byte offsets in the text
	Position    int
	ListRank    int
	Domains     []string // registrable domains that the sentence cites
	Citations   []int    // indexes into Analysis.Citations of the pages that the sentence cites
}

// result contains the fields of all providers' results that are analysed.
type result struct {
	prose
	Via            string         `json:"via"`
	Layout         []metric.Block `json:"layout"`
	OrganicResults []organic      `json:"organicResults"`
	NewsResults    []organic      `json:"newsResults"`
	SearchOverview *prose         `json:"searchoverview"`
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

	CitationPills    []pill    `json:"citationPills"`
	SearchQueries    []string  `json:"searchQueries"`
	MapSearchQueries []string  `json:"mapSearchQueries"`
	ShoppingCards    []card    `json:"shoppingCards"`
	InlineProducts   []product `json:"inlineProducts"`
	ProductResults   []product `json:"productResults"`
	Ads              []ad      `json:"ads"`
}

type organic struct {
	Position int    `json:"position"`
	Title    string `json:"title"`
	Link     string `json:"link"`
	Snippet  string `json:"snippet"`
}

// Origin returns the origin and the model that a result names. The origin is the surface,
// such as "web", or the surface and the vendor that answered, such as "vendor:cloro".
// Trackers keep and count it as the surface, so that no series has answers of two vendors.
func Origin(stored json.RawMessage) (origin, model string) {
	var result struct {
		Surface string `json:"surface"`
		Via     string `json:"via"`
		Model   string `json:"model"`
	}
	_ = json.Unmarshal(stored, &result) // an unreadable result has neither
	return JoinOrigin(result.Surface, result.Via), result.Model
}

// JoinOrigin returns the origin of a surface and a vendor, which may be "".
func JoinOrigin(surface, via string) string {
	if via == "" {
		return surface
	}
	return surface + ":" + via
}

// SplitOrigin returns the surface and the vendor of an origin.
func SplitOrigin(origin string) (surface, via string) {
	surface, via, _ = strings.Cut(origin, ":")
	return surface, via
}

// Analyse finds brands, citations and contents in the result of a question.
func (p *Panel) Analyse(stored []byte, q Question) (*Analysis, error) {
	a := analyser{Panel: p, Question: q, found: &Analysis{}}
	return a.found, a.analyse(stored)
}

// analyser analyses one result.
type analyser struct {
	*Panel
	Question
	found *Analysis
	shown *Shown // nil unless texts and sentences are wanted
}

func (l *analyser) analyse(stored []byte) error {
	r, err := decodeResult(stored)
	if err != nil {
		return err
	}
	if results := r.results(); results != nil {
		l.page(r, results)
	} else {
		l.prose(&r.prose)
	}
	l.contents(r)
	return nil
}

func decodeResult(stored []byte) (*result, error) {
	var r result
	if err := json.Unmarshal(stored, &r); err != nil {
		return nil, fmt.Errorf("read a result: %w", err)
	}
	return &r, nil
}

// results returns the results of a search page, or nil for another result.
func (r *result) results() []organic {
	if r.OrganicResults != nil {
		return r.OrganicResults
	}
	return r.NewsResults
}

// text returns the text to search: the Markdown, or the plain text if there is no Markdown.
func (a *prose) text(prompt string) (text mention.Text, where mention.Where) {
	text, where = mention.Text{Body: a.Markdown, Format: mention.Markdown, Prompt: prompt}, InMarkdown
	if text.Body == "" {
		text.Body, text.Format, where = a.Text, mention.Plain, InText
	}
	for _, s := range a.Sources {
		text.Sources = append(text.Sources, mention.Source{URL: s.URL, Title: s.Label})
	}
	return text, where
}

// isPlain reports whether there is text without Markdown.
func (a *prose) isPlain() bool { return a.Markdown == "" && a.Text != "" }

// prose adds the mentions and citations of an assistant's answer.
func (l *analyser) prose(a *prose) {
	text, where := a.text(l.Text)
	l.shown.text(where, 0, text)
	found := l.rules.Find(text)
	l.cite(a, text, found.Links)
	for _, m := range found.Mentions {
		l.add(m, where, 0, text.Sources, found.Links)
	}
}

// cite adds the pages of an answer: its sources and then the other links in its text, the
// retrieved pages, and the cited pages.
func (l *analyser) cite(a *prose, text mention.Text, links []mention.Link) {
	var addresses []string
	for _, s := range text.Sources {
		addresses = append(addresses, s.URL)
	}
	for _, link := range links {
		if link.Source < 0 {
			addresses = append(addresses, link.URL)
		}
	}
	retrieved := 0
	for _, c := range l.sites.Cited(addresses) {
		l.found.Citations = append(l.found.Citations, citation(c))
		if c.Index < len(text.Sources) {
			retrieved++
		}
	}
	if l.reports(metric.FieldSources) {
		l.found.Sources = append([]metric.Citation{}, l.found.Citations[:retrieved]...)
	}
	if l.found.Plain = a.isPlain(); l.found.Plain && l.Inline && len(a.CitationPills) == 0 {
		l.leaveOut(metric.FieldCited, metric.NotRequested) // plain text has no links
	}
	if l.reports(metric.FieldCited) {
		l.found.Cited = []metric.Citation{}
		for _, c := range l.sites.Cited(l.citations(a, text.Body, links)) {
			l.found.Cited = append(l.found.Cited, citation(c))
		}
	}
}

func citation(c source.Citation) metric.Citation {
	return metric.Citation{URL: c.URL, Host: c.Host, Domain: c.Domain, Type: string(c.Type), Position: c.Position}
}

// add adds a mention and the pages that its sentence cites.
func (l *analyser) add(m mention.Mention, where mention.Where, index int, sources []mention.Source, links []mention.Link) {
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

// page adds the mentions, citations and organic results of a search page.
func (l *analyser) page(r *result, results []organic) {
	var page mention.SearchPage
	l.found.Organic = []metric.Citation{}
	for i, o := range results {
		page.Organic = append(page.Organic, mention.Organic{Title: o.Title, Snippet: o.Snippet})
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
	overview := &prose{}
	var text mention.Text
	if r.SearchOverview != nil {
		overview = r.SearchOverview
		text, _ = overview.text(l.Text)
		page.Overview = &text
		sources, links = text.Sources, l.rules.Find(text).Links
	}
	l.cite(overview, text, links)
	l.shown.page(page)
	for _, m := range l.rules.Search(page).Mentions {
		if m.Where != mention.InOverview {
			m.Sources, m.Links = nil, nil // only the overview cites pages
		}
		l.add(m.Mention, m.Where, m.Index, sources, links)
	}
}

// Answer returns the analysis as an observation without prompt, target, sweep and outcome. It
// shares memory with f.
func (f *Analysis) Answer(p *Panel) metric.Observation {
	a := metric.Observation{}
	f.Fill(&a, p)
	return a
}

// Fill sets the mentions, citations and contents of an observation. It reuses the observation's memory.
func (f *Analysis) Fill(a *metric.Observation, p *Panel) {
	a.Citations, a.Organic, a.Plain, a.Contents, a.Mentions = f.Citations, f.Organic, f.Plain, f.Contents, resized(a.Mentions, len(f.Mentions))
	for i, m := range f.Mentions {
		a.Mentions[i] = metric.Mention{
			Brand: p.Brands[m.Brand].Name, Kind: metric.Kind(m.Kind), Position: m.Position, ListRank: m.ListRank, Domains: m.Domains,
		}
	}
}
