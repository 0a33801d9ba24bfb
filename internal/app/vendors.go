package app

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/serp"
	"earshot/internal/upstream"
)

// CostSettings are the costs of an upstream for the operator, in USD.
type CostSettings struct {
	// Costs are the prices of answers by provider. A charge that the vendor reports
	// takes precedence.
	Costs map[string]PriceSettings `yaml:"costs"`
	// Ceiling is the maximum spending per day (UTC); 0 means no ceiling.
	Ceiling float64 `yaml:"ceiling"`
}

// VendorSettings are the settings of one vendor. A field that is "" or 0 has the vendor's
// default.
type VendorSettings struct {
	URL            string            `yaml:"url"`
	User           string            `yaml:"user"`
	KeyFile        string            `yaml:"key-file"`
	Calls          int               `yaml:"calls"`
	CallsPerMinute int               `yaml:"calls-per-minute"`
	Wait           time.Duration     `yaml:"wait"` // how long an order may wait for its answer
	Poll           time.Duration     `yaml:"poll"` // the shortest time between two polls of an order
	Unit           float64           `yaml:"unit"` // USD for one of the vendor's credits
	Options        map[string]string `yaml:"options"`
	CostSettings   `yaml:",inline"`
}

// vendorConfig returns the configuration of a vendor's upstream.
func (u *upstreams) vendorConfig(name string) (upstream.Config, error) {
	vendor, exists := u.vendors[name]
	if !exists {
		return upstream.Config{}, fmt.Errorf("there is no vendor %q; the vendors are %s", name, strings.Join(slices.Sorted(maps.Keys(u.vendors)), ", "))
	}
	about, s := vendor.Definition(), u.cfg.Settings.Vendors[name]
	key := u.keys[name]
	if key == "" {
		return upstream.Config{}, fmt.Errorf("via:%s needs a key in %s or %s", name, variable(name, "API_KEY"), variable(name, "API_KEY_FILE"))
	}
	if about.Basic {
		user := cmp.Or(u.cfg.getenv(variable(name, "USER")), s.User)
		if user == "" {
			return upstream.Config{}, fmt.Errorf("via:%s needs the name of its user in %s or vendors.%s.user", name, variable(name, "USER"), name)
		}
		key = base64.StdEncoding.EncodeToString([]byte(user + ":" + key))
	}
	for option := range s.Options {
		if !slices.Contains(about.Options, option) {
			return upstream.Config{}, fmt.Errorf("settings: vendors.%s.options: there is no option %q; the options are %s", name, option, strings.Join(about.Options, ", "))
		}
	}
	options := maps.Clone(s.Options)
	if s.Unit != 0 {
		if options == nil {
			options = map[string]string{}
		}
		options["unit"] = strconv.FormatFloat(s.Unit, 'g', -1, 64)
	}
	access := &upstream.API{
		Name: name, KeyHeader: about.KeyHeader, KeyPrefix: about.KeyPrefix, KeyParameter: about.KeyParameter, Key: key, Options: options,
		Calls: cmp.Or(s.Calls, about.Calls, defaultCalls), CallsPerMinute: cmp.Or(s.CallsPerMinute, about.CallsPerMinute, defaultCallsPerMinute),
	}
	base := cmp.Or(u.cfg.getenv(variable(name, "URL")), s.URL, about.URL)
	prices := map[string]upstream.Price{}
	for served := range about.Serves {
		prices[served] = about.Price(served, options)
	}
	return s.apply(upstream.Config{
		Surface: earshot.SurfaceVendor, Sites: map[string]string{name: base}, API: access, Via: name, Wait: s.Wait, Poll: s.Poll,
	}, prices, u)
}

// PriceSettings are the prices of the parts of an answer in USD. A single number is the price of an
// answer, of each further result page, and of an AI overview.
type PriceSettings struct {
	Request  float64  `yaml:"request"`
	Page     *float64 `yaml:"page"`     // nil means the price of a request
	Overview *float64 `yaml:"overview"` // the same
	Extras   float64  `yaml:"extras"`
}

// UnmarshalYAML reads a number or a mapping.
func (p *PriceSettings) UnmarshalYAML(unmarshal func(any) error) error {
	if err := unmarshal(&p.Request); err == nil {
		return nil
	}
	type fields PriceSettings
	return unmarshal((*fields)(p))
}

// price returns the prices, or an error for one that is out of range.
func (p PriceSettings) price() (upstream.Price, error) {
	page, overview := p.Request, p.Request
	if p.Page != nil {
		page = *p.Page
	}
	if p.Overview != nil {
		overview = *p.Overview
	}
	for _, usd := range []float64{p.Request, page, overview, p.Extras} {
		if usd < 0 || usd > 1000 {
			return upstream.Price{}, fmt.Errorf("must be between 0 and 1,000 USD, not %g", usd)
		}
	}
	return upstream.Price{Request: upstream.Dollars(p.Request), Page: upstream.Dollars(page), Overview: upstream.Dollars(overview), Extras: upstream.Dollars(p.Extras)}, nil
}

// apply sets what the upstream costs: prices in the settings take precedence over list prices.
func (s CostSettings) apply(cfg upstream.Config, list map[string]upstream.Price, u *upstreams) (upstream.Config, error) {
	cfg.Prices = maps.Clone(list)
	if cfg.Prices == nil {
		cfg.Prices = map[string]upstream.Price{}
	}
	for name, settings := range s.Costs {
		price, err := settings.price()
		if err != nil {
			return cfg, fmt.Errorf("settings: the cost of %s %w", name, err)
		}
		if !slices.ContainsFunc(u.cfg.providers(serp.Engine{}), func(p provider.Provider) bool { return p.Definition().Name == name }) {
			return cfg, fmt.Errorf("settings: costs: there is no provider %q", name)
		}
		cfg.Prices[name] = price
	}
	if s.Ceiling < 0 {
		return cfg, fmt.Errorf("settings: a ceiling must not be negative, it is %g", s.Ceiling)
	}
	cfg.Ceiling = upstream.Dollars(s.Ceiling)
	return cfg, nil
}

// readsPages reports whether an upstream serves the pages of the search engine itself.
func readsPages(client *upstream.Client) bool {
	return client.Surface() == earshot.SurfaceLab || client.Surface() == earshot.SurfaceWeb
}
