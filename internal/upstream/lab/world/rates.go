package world

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
)

// Rates set how often answers name each brand, and how often they have other contents. The
// metrics of a tracker should estimate these rates.
type Rates struct {
	Brands []BrandRate `yaml:"brands"`
	// DayNoise and PromptNoise are the standard deviations, in logits, of the rates
	// between days and between prompts.
	DayNoise    float64 `yaml:"dayNoise"`
	PromptNoise float64 `yaml:"promptNoise"`
	Shifts      []Shift `yaml:"shifts"`
	// Searches are the searches of assistants. Default: three in each answer.
	Searches *Searches `yaml:"searches"`
	// Merchants sell the products of the brands. Default: the maker of a product.
	Merchants []Merchant `yaml:"merchants"`
	// PriceNoise is the standard deviation of the logarithm of a merchant's prices between
	// days.
	PriceNoise float64 `yaml:"priceNoise"`
	// Overview is the share of search pages that have an AI overview. Default: 1.
	Overview *float64 `yaml:"overview"`
	// Blocks are the shares of search pages that have a block of a type, one of BlockTypes.
	// Default: 0.
	Blocks map[string]float64 `yaml:"blocks"`
}

// Searches set how often and how many times an assistant searches.
type Searches struct {
	Rate float64 `yaml:"rate"` // share of answers with a search
	// Counts are the shares of these answers that have 1, 2, 3 … distinct searches. Their
	// sum is 1.
	Counts []float64 `yaml:"counts"`
	// Branded is the share of answers with a search whose first search names a brand.
	Branded float64 `yaml:"branded"`
}

// Merchant is a shop and the share of products that it offers. If no shop offers a product,
// its maker does.
type Merchant struct {
	Name string  `yaml:"name"`
	Rate float64 `yaml:"rate"`
}

// BlockTypes are the types of blocks that search pages may have, besides results, related
// searches, ads, products and the overview.
var BlockTypes = []string{"discussions", "peopleAlsoAsk", "places", "videos"}

// BrandRate is a brand and how often it is named.
type BrandRate struct {
	Name string `yaml:"name"`
	// Rate is the share of answers that name the brand, over many prompts and days.
	Rate float64 `yaml:"rate"`
	// Domains are the web sites of the brand. Answers cite the first. Default: a domain
	// that ends in .example.
	Domains []string `yaml:"domains"`
	// Cited is the share of answers with a mention of the brand that also cite it.
	// Answers without citations do not count. Default: 0.7.
	Cited *float64 `yaml:"cited"`
	// Position is the usual rank of the brand in an answer, relative to other brands. A
	// brand with position 0 precedes a brand with position 2 in 92 % of the answers.
	Position float64 `yaml:"position"`
	// Retrieved is the share of answers with a search that retrieve a page of the brand,
	// whether or not they name it. Cited is then the share of these answers that cite the
	// page. Default: answers retrieve the pages that they cite.
	Retrieved *float64 `yaml:"retrieved"`
	// Products is the share of answers that show a product of the brand.
	Products float64 `yaml:"products"`
	Price    float64 `yaml:"price"` // of the product, in US dollars; default 100
	// Ads is the share of answers that show an ad of the brand.
	Ads float64 `yaml:"ads"`
}

// Shift is a permanent change of a rate on a day.
type Shift struct {
	Day   string  `yaml:"day"` // yyyy-mm-dd
	Brand string  `yaml:"brand"`
	Rate  float64 `yaml:"rate"`
	// Of is the rate that changes: "retrieved", "products" or "ads". If it is "price", Rate
	// is multiplied with the price. Default: BrandRate.Rate.
	Of string `yaml:"of"`
}

// The values of Shift.Of.
const (
	ofRetrieved = "retrieved"
	ofProducts  = "products"
	ofAds       = "ads"
	ofPrice     = "price"
)

// MaxBrands is the maximum number of brands. Each needs a result on the first page of a
// search.
const MaxBrands = PageSize

// Limits that are far larger than any useful value.
const (
	maxNoise      = 5
	maxPrice      = 1_000_000
	maxPriceShift = 100
)

// maxSearches is the maximum number of distinct searches. Every language has more phrases
// than that.
const maxSearches = 6

// DefaultRates returns the rates of a lab that is not configured otherwise.
func DefaultRates() *Rates {
	return &Rates{
		Brands: []BrandRate{
			{Name: "Ollaro", Rate: 0.55},
			{Name: "Kestrin", Rate: 0.45, Position: 0.5},
			{Name: "Nordvale", Rate: 0.3, Position: 0.5},
			{Name: "Velquist", Rate: 0.15, Position: 1},
			{Name: "Tamarek", Rate: 0.05, Position: 1.5},
		},
		DayNoise: 0.3, PromptNoise: 0.8,
	}
}

// ParseRates reads rates from YAML or JSON. Its errors name the field.
func ParseRates(text []byte) (*Rates, error) {
	r := &Rates{}
	decoder := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict())
	if err := decoder.Decode(r); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if err := decoder.Decode(&Rates{}); !errors.Is(err, io.EOF) {
		return nil, errors.New("must be a single YAML document, but more data follows")
	}
	if err := r.Check(); err != nil {
		return nil, err
	}
	return r, nil
}

// Check returns an error that names the first invalid field.
func (r *Rates) Check() error {
	if len(r.Brands) == 0 || len(r.Brands) > MaxBrands {
		return fmt.Errorf("brands: must have 1 to %d entries, but has %d", MaxBrands, len(r.Brands))
	}
	seen := map[string]bool{}
	for i, b := range r.Brands {
		if err := b.check(); err != nil {
			return fmt.Errorf("brands[%d].%w", i, err)
		}
		if seen[b.Name] {
			return fmt.Errorf("brands[%d].name: %s is listed twice", i, b.Name)
		}
		seen[b.Name] = true
	}
	if !within(r.DayNoise, maxNoise) {
		return fmt.Errorf("dayNoise: must be 0 to %d, but is %v", maxNoise, r.DayNoise)
	}
	if !within(r.PromptNoise, maxNoise) {
		return fmt.Errorf("promptNoise: must be 0 to %d, but is %v", maxNoise, r.PromptNoise)
	}
	for i, s := range r.Shifts {
		switch {
		case !IsDay(s.Day):
			return fmt.Errorf("shifts[%d].day: must be a day such as 2026-11-20, but is %q", i, s.Day)
		case !seen[s.Brand]:
			return fmt.Errorf("shifts[%d].brand: there is no brand %q", i, s.Brand)
		case !slices.Contains([]string{"", ofRetrieved, ofProducts, ofAds, ofPrice}, s.Of):
			return fmt.Errorf("shifts[%d].of: must be retrieved, products, ads or price, but is %q", i, s.Of)
		case s.Of == ofPrice && !(s.Rate > 0 && s.Rate <= maxPriceShift):
			return fmt.Errorf("shifts[%d].rate: must be above 0 and at most %d for a price, but is %v", i, maxPriceShift, s.Rate)
		case s.Of != ofPrice && !within(s.Rate, 1):
			return fmt.Errorf("shifts[%d].rate: must be 0 to 1, but is %v", i, s.Rate)
		}
	}
	return r.checkContents()
}

// checkContents checks the fields about contents besides brands.
func (r *Rates) checkContents() error {
	if err := r.Searches.check(); err != nil {
		return fmt.Errorf("searches.%w", err)
	}
	for i, m := range r.Merchants {
		switch {
		case !isName(m.Name):
			return fmt.Errorf("merchants[%d].name: must be 1 to 200 bytes on one line without braces, but is %q", i, m.Name)
		case !within(m.Rate, 1):
			return fmt.Errorf("merchants[%d].rate: must be 0 to 1, but is %v", i, m.Rate)
		}
	}
	if !within(r.PriceNoise, 1) {
		return fmt.Errorf("priceNoise: must be 0 to 1, but is %v", r.PriceNoise)
	}
	if r.Overview != nil && !within(*r.Overview, 1) {
		return fmt.Errorf("overview: must be 0 to 1, but is %v", *r.Overview)
	}
	for kind, rate := range r.Blocks {
		if !slices.Contains(BlockTypes, kind) || !within(rate, 1) {
			return fmt.Errorf("blocks: must have rates of 0 to 1 for %s, but has %v for %s", strings.Join(BlockTypes, ", "), rate, kind)
		}
	}
	return nil
}

func (s *Searches) check() error {
	if s == nil {
		return nil
	}
	sum := 0.0
	for i, share := range s.Counts {
		if !within(share, 1) {
			return fmt.Errorf("counts[%d]: must be 0 to 1, but is %v", i, share)
		}
		sum += share
	}
	switch {
	case !within(s.Rate, 1):
		return fmt.Errorf("rate: must be 0 to 1, but is %v", s.Rate)
	case !within(s.Branded, 1):
		return fmt.Errorf("branded: must be 0 to 1, but is %v", s.Branded)
	case len(s.Counts) > maxSearches || math.Abs(sum-1) > 1e-9:
		return fmt.Errorf("counts: must be at most %d shares with the sum 1, but are %v", maxSearches, s.Counts)
	}
	return nil
}

func (b *BrandRate) check() error {
	switch {
	case !isName(b.Name):
		return fmt.Errorf("name: must be 1 to 200 bytes on one line without braces, but is %q", b.Name)
	case !within(b.Rate, 1):
		return fmt.Errorf("rate: must be 0 to 1, but is %v", b.Rate)
	case b.Cited != nil && !within(*b.Cited, 1):
		return fmt.Errorf("cited: must be 0 to 1, but is %v", *b.Cited)
	case !within(math.Abs(b.Position), 100):
		return fmt.Errorf("position: must be -100 to 100, but is %v", b.Position)
	case b.Retrieved != nil && !within(*b.Retrieved, 1):
		return fmt.Errorf("retrieved: must be 0 to 1, but is %v", *b.Retrieved)
	case !within(b.Products, 1):
		return fmt.Errorf("products: must be 0 to 1, but is %v", b.Products)
	case !within(b.Price, maxPrice):
		return fmt.Errorf("price: must be 0 to %d, but is %v", maxPrice, b.Price)
	case !within(b.Ads, 1):
		return fmt.Errorf("ads: must be 0 to 1, but is %v", b.Ads)
	}
	for _, domain := range b.Domains {
		if strings.ContainsAny(domain, "/:?#@% ") || !strings.Contains(domain, ".") || len(domain) > 253 {
			return fmt.Errorf("domains: must be host names such as ollaro.example, but one is %q", domain)
		}
	}
	return nil
}

// isName reports whether a text can be the name of a brand or a merchant.
func isName(text string) bool {
	return strings.TrimSpace(text) != "" && len(text) <= 200 && !strings.ContainsAny(text, "{}\n")
}

// within reports whether 0 <= n <= limit.
func within(n, limit float64) bool { return n >= 0 && n <= limit }

// IsDay reports whether text is a date in the form yyyy-mm-dd.
func IsDay(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

// on returns a rate of a brand on a day: the rate of its last shift on or before the day, or
// rate. An empty day is before every shift.
func (r *Rates) on(day string, b *BrandRate, of string, rate float64) float64 {
	since := ""
	for _, s := range r.Shifts {
		if s.Brand == b.Name && s.Of == of && s.Day <= day && s.Day >= since {
			rate, since = s.Rate, s.Day
		}
	}
	return rate
}

// domain returns the domain of the brand that answers cite.
func (b *BrandRate) domain() string {
	if len(b.Domains) > 0 {
		return b.Domains[0]
	}
	return slug(b.Name) + ".example"
}

func (b *BrandRate) cited() float64 {
	if b.Cited == nil {
		return 0.7
	}
	return *b.Cited
}
