package world

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
)

// Rates set how often answers name each brand. The metrics of a tracker should estimate
// these rates.
type Rates struct {
	Brands []BrandRate `yaml:"brands"`
	// DayNoise and PromptNoise are the standard deviations, in logits, of the rates
	// between days and between prompts.
	DayNoise    float64 `yaml:"dayNoise"`
	PromptNoise float64 `yaml:"promptNoise"`
	Shifts      []Shift `yaml:"shifts"`
}

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
}

// Shift is a permanent change of a rate on a day.
type Shift struct {
	Day   string  `yaml:"day"` // yyyy-mm-dd
	Brand string  `yaml:"brand"`
	Rate  float64 `yaml:"rate"`
}

// MaxBrands is the maximum number of brands. Each needs a result on the first page of a
// search.
const MaxBrands = PageSize

// maxNoise is far larger than any useful value.
const maxNoise = 5

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
		case !within(s.Rate, 1):
			return fmt.Errorf("shifts[%d].rate: must be 0 to 1, but is %v", i, s.Rate)
		}
	}
	return nil
}

func (b *BrandRate) check() error {
	switch {
	case strings.TrimSpace(b.Name) == "" || len(b.Name) > 200 || strings.ContainsAny(b.Name, "{}\n"):
		return fmt.Errorf("name: must be 1 to 200 bytes on one line without braces, but is %q", b.Name)
	case !within(b.Rate, 1):
		return fmt.Errorf("rate: must be 0 to 1, but is %v", b.Rate)
	case b.Cited != nil && !within(*b.Cited, 1):
		return fmt.Errorf("cited: must be 0 to 1, but is %v", *b.Cited)
	case !within(math.Abs(b.Position), 100):
		return fmt.Errorf("position: must be -100 to 100, but is %v", b.Position)
	}
	for _, domain := range b.Domains {
		if strings.ContainsAny(domain, "/:?#@% ") || !strings.Contains(domain, ".") || len(domain) > 253 {
			return fmt.Errorf("domains: must be host names such as ollaro.example, but one is %q", domain)
		}
	}
	return nil
}

// within reports whether 0 <= n <= limit.
func within(n, limit float64) bool { return n >= 0 && n <= limit }

// IsDay reports whether text is a date in the form yyyy-mm-dd.
func IsDay(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

// On returns a brand's rate on a day: the rate of its last shift on or before the day, or
// BrandRate.Rate. An empty day is before every shift.
func (r *Rates) On(day string, b *BrandRate) float64 {
	rate, since := b.Rate, ""
	for _, s := range r.Shifts {
		if s.Brand == b.Name && s.Day <= day && s.Day >= since {
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
