package provider

// Catalogue is the list of providers that a node serves, and their prices.
type Catalogue struct {
	providers []Provider
	models    map[string]Countries
	prices    Prices
}

// NewCatalogue lists the providers in their order, less those that are hidden.
// Their own prices hold where overrides has no other; an override of an item
// that does not exist is an error.
func NewCatalogue(providers []Provider, hidden func(name string) bool, overrides Prices) (*Catalogue, error) {
	c := &Catalogue{prices: defaultPrices(providers), models: models(providers)}
	if err := c.prices.override(overrides); err != nil {
		return nil, err
	}
	for _, p := range providers {
		if !hidden(p.Definition().Name) {
			c.providers = append(c.providers, p)
		}
	}
	return c, nil
}

// Providers are the providers in the order of the list.
func (c *Catalogue) Providers() []Provider { return c.providers }

// Models are the things that the list of countries can be asked for, by name,
// hidden ones too.
func (c *Catalogue) Models() map[string]Countries { return c.models }

func models(providers []Provider) map[string]Countries {
	named := map[string]Countries{}
	for _, p := range providers {
		for _, countries := range p.Definition().Countries {
			if countries.Model != "" {
				named[countries.Model] = countries
			}
		}
	}
	return named
}

// Cost is what a bill of the named provider comes to.
func (c *Catalogue) Cost(name string, bill Bill) int64 { return c.prices.cost(name, bill) }
