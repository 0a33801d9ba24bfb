package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"earshot"
	"earshot/internal/provider/explain"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/provider/serp"
	"earshot/internal/provider/webtext"
)

// Explain parses a stored document like Parse and returns which code found which part of it. The
// findings in a search page are the entries of its layout. In other documents, they are the form of
// the document, and where it has the text, the sources and so on. If the document has no result,
// Explain returns the findings together with the error.
func Explain(ctx context.Context, s Stored) ([]explain.Finding, error) {
	_, document, _ := parse(ctx, s) // parsed again below, with a log
	s.Document = rawdoc.CapturedDocument(document)
	ctx, log := explain.With(ctx)
	result, err := parseOne(ctx, s)
	switch r := result.(type) {
	case *earshot.Answer:
		locateAnswer(log, s.Document, r)
	case *earshot.NewsSearch:
		places := placesIn(s.Document)
		for _, article := range r.NewsResults {
			places.add(log, "article", article.Title, article.Title)
		}
	}
	return log.Findings(), err
}

// locateAnswer adds the parts of an answer and their places in the document.
func locateAnswer(log *explain.Log, document []byte, a *earshot.Answer) {
	all := placesIn(document)
	text, _, _ := strings.Cut(a.Text, "\n")
	all.add(log, "text", text, text)
	for _, source := range a.Sources {
		all.add(log, "source", source.Label, cmp.Or(source.RedirectLink, source.URL))
	}
	for _, card := range a.ShoppingCards {
		for _, product := range card.Products {
			all.add(log, "product", product.Title, product.Title)
		}
	}
	for _, product := range slices.Concat(a.InlineProducts, a.ProductResults) {
		all.add(log, "product", product.Title, product.Title)
	}
	for _, ad := range a.Ads {
		all.add(log, "ad", ad.Title, ad.Title)
	}
}

// place is a text in a document.
type place struct {
	text string
	node *html.Node // in a page
	path string     // in JSON
}

type places []place

// placesIn returns the texts and attributes of a page, or the strings of JSON.
func placesIn(document []byte) (all places) {
	document = rawdoc.Trimmed(document)
	if rawdoc.IsPage(document) {
		root, err := html.Parse(bytes.NewReader(document))
		if err != nil {
			return nil
		}
		for n := range root.Descendants() {
			if n.Type == html.TextNode && strings.TrimSpace(n.Data) != "" {
				all = append(all, place{text: webtext.Line(n.Data), node: n.Parent})
			}
			for _, a := range n.Attr {
				all = append(all, place{text: a.Val, node: n})
			}
		}
		return all
	}
	pieces, err := rawdoc.RawResponse(document)
	if err != nil {
		return nil
	}
	for i, piece := range pieces {
		var value any
		if json.Unmarshal(piece, &value) != nil {
			continue
		}
		where := ""
		if len(pieces) > 1 {
			where = fmt.Sprintf("event %d ", i+1)
		}
		all.walk(where, value)
	}
	return all
}

// walk adds the strings of a JSON value.
func (all *places) walk(path string, value any) {
	switch v := value.(type) {
	case string:
		*all = append(*all, place{text: v, path: path})
	case []any:
		for i, item := range v {
			all.walk(fmt.Sprintf("%s[%d]", path, i), item)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			dot := "."
			if path == "" || strings.HasSuffix(path, " ") {
				dot = ""
			}
			all.walk(path+dot+name, v[name])
		}
	}
}

// Limits for finding a text whose beginning is in one place and the rest in others.
const (
	maxHead = 40
	minHead = 8
)

// add adds a finding with the first place that has the text or its beginning.
func (all places) add(log *explain.Log, kind, title, text string) {
	f := explain.Finding{Kind: kind, Title: title}
	head := string([]rune(text)[:min(maxHead, len([]rune(text)))])
	if i := slices.IndexFunc(all, func(p place) bool {
		return head != "" && strings.Contains(p.text, head) || len(p.text) >= minHead && strings.HasPrefix(text, p.text)
	}); i >= 0 {
		f.Element = all[i].path
		if all[i].node != nil {
			f.Element = explain.Path(all[i].node)
		}
	}
	log.Add(f)
}

// Recognise returns the name of the provider that sent the document. It returns an error if the
// parsers of no provider or of several providers understand the document.
func Recognise(ctx context.Context, s Stored) (string, error) {
	var names []string
	for _, p := range providers(serp.Engine{}, nil) {
		s.Provider = p.Definition().Name
		result, err := Parse(ctx, s)
		if err != nil {
			continue
		}
		// Pages of news and of AI mode can also be read as search pages.
		if search, ok := result.(*earshot.WebSearch); ok && len(search.OrganicResults) > 0 && !bytes.Contains(s.Document, []byte(newsForm)) {
			return s.Provider, nil
		}
		names = append(names, s.Provider)
	}
	switch len(names) {
	case 0:
		return "", errors.New("no parser understands the document; name its provider")
	case 1:
		return names[0], nil
	default:
		return "", fmt.Errorf("the document can be from %s; name its provider", strings.Join(names, " or "))
	}
}

// newsForm is in the search form of a page of news.
const newsForm = `value="nws"`
