package api

import (
	"maps"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/geo"
	"earshot/internal/provider/health"
	"earshot/internal/schema"
)

// countries lists the countries that can be named, all of them or those of one
// model.
func (s *Server) countries(c *call) error {
	var q earshot.CountryQuery
	if err := c.query(&q); err != nil {
		return err
	}
	codes := geo.Countries()
	if c.r.URL.Query().Has("model") {
		models := s.Catalogue.Models()
		model, known := models[q.Model]
		if !known {
			return schema.Invalid("model", "must be one of %s", strings.Join(slices.Sorted(maps.Keys(models)), ", "))
		}
		codes = slices.DeleteFunc(codes, func(code string) bool { return !model.Include(code) })
	}
	return c.json(codes)
}

// states lists the states that can be named with a country.
func (*Server) states(c *call) error {
	var q earshot.StateQuery
	if err := c.query(&q); err != nil {
		return err
	}
	if !geo.IsCountry(q.Country) {
		return schema.Invalid("country", "must be an upper-case ISO 3166-1 alpha-2 code such as US")
	}
	list := earshot.List[earshot.State]{}
	if q.Country == "US" {
		for _, s := range geo.States() {
			list = append(list, earshot.State(s))
		}
	}
	return c.json(list)
}

// extraction tells how well the parsers understand what they are served.
func (s *Server) extraction(c *call) error {
	providers, err := health.Report(c.r.Context(), s.Store, s.Store.Now())
	if err != nil {
		return err
	}
	return c.json(earshot.ExtractionHealth{Providers: providers})
}

// credits tells the balance and the billing cycle.
func (s *Server) credits(c *call) error {
	o, err := s.Store.Organization(c.r.Context(), c.principal.OrganizationID, s.Store.Now())
	if err != nil {
		return err
	}
	return c.json(creditsOf(o))
}

func creditsOf(o *account.Organization) earshot.Credits {
	return earshot.Credits{
		Remaining:      o.Balance,
		Held:           o.Held,
		PerCycle:       o.Plan.CreditsPerCycle,
		CycleUsed:      o.CycleUsed,
		CycleStartedAt: earshot.At(o.CycleStartedAt),
		CycleResetsAt:  earshot.At(o.CycleResetsAt),
		Plan:           o.Plan.Name,
	}
}
