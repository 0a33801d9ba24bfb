package searchaimode

import (
	"context"
	"net/url"
	"time"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/sync/errgroup"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/serp"
	"earshot/internal/upstream"
)

// Ask fetches the page, resolves its redirect links, reads it, and fetches the offers for its
// product clusters if they are wanted.
func (r *request) Ask(ctx context.Context, up *upstream.Session) (*provider.Outcome, error) {
	response, err := up.Fetch(ctx, serp.WithBrowserSteps(r.query.Page(1), serp.AnswerShown))
	if err != nil {
		return nil, err
	}
	resolved, err := r.engine.Resolve(ctx, up, r.query.Locale, r.engine.Hidden(response.Body))
	if err != nil {
		return nil, err
	}
	want := answer.Options{Country: r.query.Locale.Country, Markdown: r.include.Markdown}
	var found *reading
	err = up.Read(ctx, func() (err error) {
		found, err = read(response.Body, r.engine.NewLinks(resolved), want)
		return response.Judge(serp.JudgeAnswer(response.Body, err))
	})
	if err != nil {
		return nil, err
	}
	result := found.answer
	if r.expand {
		result.ProductResults, err = r.offers(ctx, up, found)
		if err != nil {
			return nil, err
		}
	}
	result.Location = up.Location(r.query.Locale)
	if err := r.include.Attach(result, up, response.Body); err != nil {
		return nil, err
	}
	return &provider.Outcome{Result: result, Bill: bill(len(result.ProductResults))}, nil
}

const (
	// maxClusters is the maximum number of expanded product clusters in the specification.
	maxClusters = 6
	// offersTime is the timeout for the offers for one cluster, so that a slow request does not delay
	// the whole answer.
	offersTime = 20 * time.Second
)

// offers fetches the offers for the clusters of an answer concurrently. A cluster whose offers
// cannot be fetched is left out. The error is set only if ctx ends.
func (r *request) offers(ctx context.Context, up *upstream.Session, found *reading) ([]earshot.Product, error) {
	clusters := found.clusters()
	clusters = clusters[:min(len(clusters), maxClusters)]
	expanded := make([]*earshot.Product, len(clusters))
	var group errgroup.Group
	for i, cluster := range clusters {
		group.Go(func() error {
			product, err := r.expandOne(ctx, up, found.offersLink, cluster)
			if err != nil && ctx.Err() != nil {
				return err
			}
			expanded[i] = product
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	products := []earshot.Product{} // an empty list in the result says that offers were requested
	for _, product := range expanded {
		if product != nil {
			product.Position = len(products) + 1
			products = append(products, *product)
		}
	}
	return products, nil
}

// expandOne returns a product of the answer with its offers. The error is as for Ask.
func (r *request) expandOne(ctx context.Context, up *upstream.Session, link string, cluster earshot.Product) (*earshot.Product, error) {
	ctx, cancel := context.WithTimeout(ctx, offersTime)
	defer cancel()
	part, err := r.engine.FetchPart(ctx, up, r.query.Target, link, url.Values{"cluster": {cluster.ID}})
	if err != nil {
		return nil, err
	}
	want := answer.Options{Country: r.query.Locale.Country}
	var product *earshot.Product
	err = up.Read(ctx, func() (err error) {
		product, err = readOffers(part.Body, part.Links, want, cluster)
		return err
	})
	return product, err
}

// readOffers returns the product with the offers and specifications in a part of a page. The error
// is an *upstream.Failure, even if there are no offers.
func readOffers(piece []byte, links serp.Links, want answer.Options, cluster earshot.Product) (*earshot.Product, error) {
	var served serp.Redirects
	products, err := layout.ReadProducts(piece, want, func(page *goquery.Document) {
		served = links.Unwrap(page.Nodes[0])
	})
	if err != nil {
		return nil, err
	}
	served.MarkProducts(products)
	for _, p := range products {
		if p.ID == cluster.ID && len(p.Offers) > 0 {
			cluster.Offers, cluster.Specifications = p.Offers, p.Specifications
			return &cluster, nil
		}
	}
	return nil, upstream.Fail(earshot.ReasonEmpty, "no offers for %q", cluster.ID)
}
