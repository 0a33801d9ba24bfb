package analysis

import (
	"math"
	"slices"

	"earshot/internal/track/metric"
	"earshot/internal/track/packed"
)

// Stored analyses contain indexes into these tables. Append new entries only at the end.
var (
	fields  = []metric.Field{metric.FieldSearches, metric.FieldSources, metric.FieldCited, metric.FieldProducts, metric.FieldAds, metric.FieldLayout}
	reasons = []metric.Reason{"", metric.NotRequested, metric.NotOffered}
)

// writeContents writes the contents of an analysis. A list is 0 if it is nil,
// otherwise 1, its length and its entries. Parts are not stored, because no provider has them.
func writeContents(w *packed.Writer, f *Analysis) {
	c := &f.Contents
	w.Text(c.Via)
	w.Number(len(fields))
	for _, field := range fields {
		w.Number(slices.Index(reasons, c.Unreported[field]))
	}
	writeList(w, c.Searches, func(search string) { w.Text(search) })
	writePages(w, c.Sources, f.Citations)
	writePages(w, c.Cited, f.Citations)
	writeList(w, c.Products, func(p metric.Product) {
		writeTexts(w, p.Title, p.ID, p.URL, p.Merchant, p.Domain)
		w.Number(p.Position)
		writePrice(w, p.Price)
		writeList(w, p.Offers, func(o metric.Offer) {
			writeTexts(w, o.Merchant, o.Domain)
			writePrice(w, o.Price)
			w.Number(flagNumber(o.Available))
		})
		writeList(w, p.Named, func(brand string) { w.Text(brand) })
	})
	writeList(w, c.Ads, func(a metric.Ad) {
		writeTexts(w, a.Title, a.Brand, a.URL, a.Domain, a.Text, a.Block)
		w.Number(a.Position)
		writeList(w, a.Named, func(brand string) { w.Text(brand) })
	})
	writeList(w, c.Layout, func(b metric.Block) {
		w.Text(b.Type)
		w.Number(b.Position, b.Count)
	})
}

// readContents reads the contents of an analysis into f. It reuses the memory of f.
func readContents(r *packed.Reader, f *Analysis) {
	c := &f.Contents
	c.Via, c.Unreported, c.Parts = readText(r), nil, nil
	for i := range r.Count() {
		reason := item(r, reasons)
		if reason == "" || i >= len(fields) {
			continue
		}
		if c.Unreported == nil {
			c.Unreported = metric.Unreported{}
		}
		c.Unreported[fields[i]] = reason
	}
	c.Searches = readList(r, c.Searches, func(search *string) { *search = readText(r) })
	c.Sources = readPages(r, c.Sources, f.Citations)
	c.Cited = readPages(r, c.Cited, f.Citations)
	c.Products = readList(r, c.Products, func(p *metric.Product) {
		readTexts(r, &p.Title, &p.ID, &p.URL, &p.Merchant, &p.Domain)
		p.Position = r.Number()
		p.Price = readPrice(r)
		p.Offers = readList(r, p.Offers, func(o *metric.Offer) {
			readTexts(r, &o.Merchant, &o.Domain)
			o.Price = readPrice(r)
			o.Available = numberFlag(r.Number())
		})
		p.Named = readList(r, p.Named, func(brand *string) { *brand = readText(r) })
	})
	c.Ads = readList(r, c.Ads, func(a *metric.Ad) {
		readTexts(r, &a.Title, &a.Brand, &a.URL, &a.Domain, &a.Text, &a.Block)
		a.Position = r.Number()
		a.Named = readList(r, a.Named, func(brand *string) { *brand = readText(r) })
	})
	c.Layout = readList(r, c.Layout, func(b *metric.Block) {
		b.Type = readText(r)
		b.Position, b.Count = r.Number(), r.Number()
	})
}

func writeList[T any](w *packed.Writer, list []T, write func(T)) {
	if list == nil {
		w.Number(0)
		return
	}
	w.Number(1, len(list))
	for _, entry := range list {
		write(entry)
	}
}

// readList reads a list into list, which it resizes.
func readList[T any](r *packed.Reader, list []T, read func(*T)) []T {
	if r.Number() == 0 {
		return nil
	}
	if list = resized(list, r.Count()); list == nil {
		list = []T{}
	}
	for i := range list {
		read(&list[i])
	}
	return list
}

// writePages writes pages as indexes into the citations, which contain most of them. Their
// positions are their places in the list.
func writePages(w *packed.Writer, pages, citations []metric.Citation) {
	writeList(w, pages, func(page metric.Citation) {
		at := slices.IndexFunc(citations, func(c metric.Citation) bool {
			c.Position = page.Position
			return c == page
		})
		w.Number(at + 1)
		if at < 0 {
			writeCitation(w, page)
		}
	})
}

func readPages(r *packed.Reader, pages, citations []metric.Citation) []metric.Citation {
	position := 0
	return readList(r, pages, func(page *metric.Citation) {
		switch at := r.Number(); {
		case at == 0:
			readCitation(r, page)
		case at > len(citations):
			r.Fail()
		default:
			*page = citations[at-1]
		}
		position++
		page.Position = position
	})
}

func writePrice(w *packed.Writer, p *metric.Price) {
	if p == nil {
		w.Number(0)
		return
	}
	w.Number(1)
	w.Fraction(p.Value)
	w.Text(p.Currency)
}

func readPrice(r *packed.Reader) *metric.Price {
	if r.Number() == 0 {
		return nil
	}
	p := &metric.Price{Value: r.Fraction(), Currency: readText(r)}
	if math.IsNaN(p.Value) {
		r.Fail()
	}
	return p
}

// flagNumber returns 0 for nil, 1 for false and 2 for true.
func flagNumber(flag *bool) int {
	switch {
	case flag == nil:
		return 0
	case *flag:
		return 2
	}
	return 1
}

func numberFlag(n int) *bool {
	if n == 0 {
		return nil
	}
	return new(n == 2)
}

func writeTexts(w *packed.Writer, texts ...string) {
	for _, text := range texts {
		w.Text(text)
	}
}

func readTexts(r *packed.Reader, texts ...*string) {
	for _, text := range texts {
		*text = readText(r)
	}
}

func readText(r *packed.Reader) string { return r.Text(r.Number()) }
