package aimode

import (
	"bytes"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"earshot/internal/lab/world"
)

// OffersPath is where the offers for products are, with parameters that a page
// tells and the id of a product as ParamCluster.
const OffersPath = "/async/offers"

// The parameters of OffersPath besides those of a search.
const (
	ParamCluster  = "cluster"
	ParamClusters = "of" // how many products the page has
)

// offersLink is where the offers for the products of an answer are, but for the
// product's id.
func offersLink(q world.Question, clusters int) string {
	params := url.Values{
		"q": {q.Prompt}, "gl": {strings.ToLower(q.Country)}, "hl": {q.Language},
		ParamClusters: {strconv.Itoa(clusters)},
	}
	if q.State != "" {
		params.Set("uule", q.State) // a place has products of its own
	}
	return OffersPath + "?" + params.Encode()
}

// Offers writes what the market knows of a product.
func Offers(p world.Product) ([]byte, error) {
	var out bytes.Buffer
	if err := templates.ExecuteTemplate(&out, "offers", p); err != nil {
		return nil, fmt.Errorf("write offers: %w", err)
	}
	return out.Bytes(), nil
}
