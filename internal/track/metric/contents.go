package metric

// Contents are the parts of an answer besides its text, which the metrics m2 count.
//
// A list that is nil was not reported by the provider. An empty list was reported and has no
// entries.
type Contents struct {
	Via      string     `json:"via,omitempty"`     // the vendor that answered
	Searches []string   `json:"searches,omitzero"` // that the assistant ran
	Sources  []Citation `json:"sources,omitzero"`  // pages that the assistant retrieved
	Cited    []Citation `json:"cited,omitzero"`    // pages that the answer cites; nil: Observation.Citations
	Products []Product  `json:"products,omitzero"`
	Ads      []Ad       `json:"ads,omitzero"`
	Layout   []Block    `json:"layout,omitzero"` // blocks of a search page
	// Parts are byte ranges of the text. Parts is nil if the provider does not mark any.
	Parts []Part `json:"parts,omitzero"`
	// Unreported is the reason why a field has no data, by field. It takes precedence over a list that
	// is present: a list that was not requested is present only if there is something in it.
	Unreported Unreported `json:"untold,omitzero"`
}

// Field is a field of Contents that a metric needs.
type Field string

// The fields.
const (
	FieldSearches Field = "searches"
	FieldSources  Field = "sources"
	FieldCited    Field = "cited"
	FieldProducts Field = "products"
	FieldAds      Field = "ads"
	FieldLayout   Field = "layout"
)

// Unreported are the fields that an answer does not report, with the reason.
type Unreported map[Field]Reason

// Product is a product that an answer shows.
type Product struct {
	Position int     `json:"position"` // from 1
	Title    string  `json:"title"`
	ID       string  `json:"id,omitempty"`
	URL      string  `json:"url,omitempty"`
	Merchant string  `json:"merchant,omitempty"`
	Domain   string  `json:"domain,omitempty"` // of the merchant
	Price    *Price  `json:"price,omitempty"`
	Offers   []Offer `json:"offers,omitempty"`
	// Named are the brands whose names are in the title.
	Named []string `json:"named"`
}

// Offer is a merchant's price for a product.
type Offer struct {
	Merchant  string `json:"merchant,omitempty"`
	Domain    string `json:"domain,omitempty"` // of the merchant
	Price     *Price `json:"price,omitempty"`
	Available *bool  `json:"available,omitempty"`
}

// Price is an amount of money. It counts if both fields are set.
type Price struct {
	Value    float64 `json:"value,omitempty"`
	Currency string  `json:"currency,omitempty"` // ISO 4217
}

// Ad is a paid placement in an answer.
type Ad struct {
	Position int    `json:"position"` // from 1
	Title    string `json:"title"`
	Brand    string `json:"brand,omitempty"` // the advertiser as the ad names it
	URL      string `json:"url"`
	Domain   string `json:"domain"`
	// Named are the brands whose names are in the title or in Brand.
	Named []string `json:"named"`
	// Text and Block are displayed and not counted.
	Text  string `json:"text,omitempty"`
	Block string `json:"block,omitempty"` // the place on the page
}

// Block is a block of a search page.
type Block struct {
	Type     string `json:"type"`
	Position int    `json:"position"` // from 1
	Count    int    `json:"count"`
}

// Part is a marked byte range of a text, without the byte at End.
type Part struct {
	Kind  string `json:"kind"`
	Start int    `json:"start"`
	End   int    `json:"end"`
}

// Sponsored is the kind of a part that somebody paid for.
const Sponsored = "sponsored"
