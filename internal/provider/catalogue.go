package provider

import (
	"fmt"

	"earshot/internal/upstream/lab"
)

// Catalogue lists the providers that a node serves, with their prices.
type Catalogue struct {
	providers []Provider
	byName    map[string]Provider
	models    map[string]Countries
	prices    Prices
	about     map[string]Definition // by provider name, including hidden providers
}

// NewCatalogue lists the providers in the given order, without the hidden ones. Overrides replace
// the providers' own prices. An override for an unknown item is an error.
func NewCatalogue(providers []Provider, hidden func(name string) bool, overrides Prices) (*Catalogue, error) {
	c := &Catalogue{prices: Prices{}, models: map[string]Countries{}, about: map[string]Definition{}, byName: map[string]Provider{}}
	for item, credits := range surcharges {
		c.prices["surcharge."+item] = credits
	}
	for _, p := range providers {
		about := p.Definition()
		c.about[about.Name] = about
		for _, price := range about.Prices {
			c.prices[about.Name+"."+price.Item] = price.Credits
		}
		for _, countries := range about.Countries {
			if countries.Model != "" {
				c.models[countries.Model] = countries
			}
		}
		if !hidden(about.Name) {
			c.providers, c.byName[about.Name] = append(c.providers, p), p
		}
	}
	if err := c.prices.override(overrides); err != nil {
		return nil, err
	}
	return c, nil
}

// Providers returns the visible providers in the order of the list.
func (c *Catalogue) Providers() []Provider { return c.providers }

// Names returns the names of the visible providers in the order of the list.
func (c *Catalogue) Names() []string {
	names := make([]string, len(c.providers))
	for i, p := range c.providers {
		names[i] = p.Definition().Name
	}
	return names
}

// Provider returns the visible provider with that name.
func (c *Catalogue) Provider(name string) (Provider, error) {
	p, known := c.byName[name]
	if !known {
		return nil, fmt.Errorf("there is no provider %q", name)
	}
	return p, nil
}

// Definition returns the definition of the named provider, even if the provider is hidden. It is
// the zero value if there is no such provider.
func (c *Catalogue) Definition(name string) Definition { return c.about[name] }

// Models returns the countries of each named model, including models of hidden providers.
func (c *Catalogue) Models() map[string]Countries { return c.models }

// Cost returns the credits that a bill of the named provider costs.
func (c *Catalogue) Cost(name string, bill Bill) int64 {
	var sum int64
	for item, n := range bill {
		key := name + "." + item
		if _, shared := surcharges[item]; shared {
			key = "surcharge." + item
		}
		sum += int64(n) * c.prices[key]
	}
	return sum
}

// Sites holds the sites that providers read, by site name.
type Sites struct {
	Web map[string]string // default base URLs on the web, of the sites that have one
	Lab map[string]lab.Site
}

// NewSites collects the sites of the providers. Two providers that name the same site must give the
// same URL. Two sites must not have the same host in the lab.
func NewSites(providers []Provider) (Sites, error) {
	sites := Sites{Web: map[string]string{}, Lab: map[string]lab.Site{}}
	for _, p := range providers {
		about := p.Definition()
		site, inLab := about.Site, about.Lab()
		if base, known := sites.Web[site.Name]; known && base != site.URL {
			return Sites{}, fmt.Errorf("%s: the site %s already has the URL %s, not %s", about.Name, site.Name, base, site.URL)
		}
		for name, other := range sites.Lab {
			if (name == site.Name) != (other.Host == inLab.Host) {
				return Sites{}, fmt.Errorf("%s: the site %s has the lab host %s, but the site %s has %s", about.Name, site.Name, inLab.Host, name, other.Host)
			}
		}
		sites.Lab[site.Name] = inLab
		if site.URL != "" {
			sites.Web[site.Name] = site.URL
		}
	}
	return sites, nil
}
