package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/provider"
)

// printer writes a result as text.
type printer struct {
	out io.Writer
	textStyle
	// columns is the width of the terminal, or 0 if out is not a terminal. Then Markdown is
	// printed unchanged, for programs that read it.
	columns int
	started bool // a part was printed
}

func newPrinter(out io.Writer) *printer {
	return &printer{out: out, textStyle: textStyleFor(out), columns: terminalColumns(out)}
}

// print writes the result of a provider. It leaves out some fields; --json prints all.
func (p *printer) print(about provider.Definition, result json.RawMessage) error {
	var err error
	switch about.Result.(type) {
	case earshot.WebSearch:
		err = decodeTo(result, p.webSearch)
	case earshot.NewsSearch:
		err = decodeTo(result, p.news)
	default:
		err = decodeTo(result, p.answer)
	}
	if err == nil && !p.started {
		_, err = fmt.Fprintln(p.out, "(nothing was found)")
	}
	return err
}

func decodeTo[T any](result json.RawMessage, show func(*T)) error {
	decoded := new(T)
	if err := json.Unmarshal(result, decoded); err != nil {
		return fmt.Errorf("read the result: %w; use --json to print it unchanged", err)
	}
	show(decoded)
	return nil
}

// part begins a new part. The title may be empty.
func (p *printer) part(title string) {
	if p.started {
		fmt.Fprintln(p.out)
	}
	p.started = true
	if title != "" {
		fmt.Fprintln(p.out, p.bold(title))
	}
}

// item writes an entry of a numbered list: its name, its description and its URL.
func (p *printer) item(number int, name, about, url string) {
	line := fmt.Sprintf("%3d. %s", number, p.bold(oneLine(name)))
	if about = oneLine(about); about != "" {
		line += "  " + about
	}
	p.line(line)
	if url = oneLine(url); url != "" {
		fmt.Fprintln(p.out, "     "+p.faint(url))
	}
}

// line writes a line, wrapped to the width of the terminal.
func (p *printer) line(text string) { fmt.Fprintln(p.out, wrapped(text, p.columns)) }

func (p *printer) answer(a *earshot.Answer) {
	text, sources := cmp.Or(a.Markdown, a.Text), []earshot.Source(a.Sources)
	if text = strings.TrimSpace(sanitized(text)); text != "" {
		p.part("")
		if p.columns > 0 {
			text, sources = numberLinks(text, sources)
		}
		p.line(p.markdown(text))
	}
	p.sources(sources)
	p.queries("Search queries", append(a.SearchQueries, a.MapSearchQueries...))
	p.queries("Related", a.RelatedQueries)
	p.products(productsOf(a.ShoppingCards, a.InlineProducts, a.ProductResults))
	p.places(a.Places)
	p.ads(a.Ads)
}

// section writes a part with the items, if there are any.
func section[T any](p *printer, title string, items []T, write func(i int, item T)) {
	if len(items) == 0 {
		return
	}
	p.part(title)
	for i, item := range items {
		write(i, item)
	}
}

func (p *printer) sources(sources []earshot.Source) {
	section(p, "Sources", sources, func(_ int, s earshot.Source) { p.item(s.Position, s.Label, s.Domain, s.URL) })
}

func (p *printer) queries(title string, queries []string) {
	section(p, title, queries, func(_ int, query string) { p.line("  - " + oneLine(query)) })
}

func productsOf(cards []earshot.ShoppingCard, lists ...[]earshot.Product) []earshot.Product {
	var all []earshot.Product
	for _, card := range cards {
		all = append(all, card.Products...)
	}
	return append(all, slices.Concat(lists...)...)
}

func (p *printer) products(products []earshot.Product) {
	section(p, "Products", products, func(i int, product earshot.Product) {
		about := product.Merchant
		if product.Price != nil {
			about = product.Price.Raw + "  " + about
		}
		p.item(i+1, product.Title, about, product.URL)
	})
}

func (p *printer) places(places []earshot.Place) {
	section(p, "Places", places, func(_ int, place earshot.Place) {
		p.item(place.Position, place.Name, place.Address, place.Website)
	})
}

func (p *printer) ads(ads []earshot.Ad) {
	section(p, "Ads", ads, func(i int, ad earshot.Ad) { p.item(i+1, ad.Title, ad.Domain, ad.URL) })
}

func (p *printer) webSearch(w *earshot.WebSearch) {
	if w.SearchOverview != nil {
		p.part("Overview")
		p.started = false // no empty line before its text
		p.answer(w.SearchOverview)
	}
	section(p, "Results", w.OrganicResults, func(_ int, r earshot.OrganicResult) {
		p.item(r.Position, r.Title, r.Domain, r.Link)
		p.snippet(r.Snippet)
	})
	section(p, "People also ask", w.PeopleAlsoAsk, func(i int, q earshot.Question) { p.item(i+1, q.Question, "", q.Link) })
	p.products(productsOf(w.ShoppingCards))
	p.places(w.Places)
	p.ads(w.Ads)
	var related []string
	for _, r := range w.RelatedSearches {
		related = append(related, r.Query)
	}
	p.queries("Related searches", related)
}

func (p *printer) news(n *earshot.NewsSearch) {
	section(p, "News", n.NewsResults, func(_ int, r earshot.NewsResult) {
		p.item(r.Position, r.Title, strings.Join(strings.Fields(r.Source+"  "+r.Domain+"  "+r.Date), " "), r.Link)
		p.snippet(r.Snippet)
	})
}

func (p *printer) snippet(text string) {
	if text = oneLine(text); text != "" {
		p.line("     " + text)
	}
}
