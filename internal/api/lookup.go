package api

import (
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/geo"
	"earshot/internal/purchase"
	"earshot/internal/schema"
	"earshot/internal/store/outbound"
)

func lookupOperations() []Operation {
	return []Operation{
		operation(Operation{Method: "GET", Path: "/v1/countries", Scope: account.ScopeRead, Client: Method{Name: "Countries", Takes: []string{"Model"}}}, (*Server).countries),
		operation(Operation{Method: "GET", Path: "/v1/states", Scope: account.ScopeRead, Client: Method{Name: "States", Takes: []string{"Country"}}}, states),
		operation(Operation{Method: "GET", Path: "/v1/credits", Scope: account.ScopeRead, Client: Method{Name: "Credits"}},
			func(s *Server, c *call, _, _ none) (*earshot.Credits, error) {
				o, err := s.Orgs.Organization(c.context(), c.organization(), s.Store.Now())
				if err != nil {
					return nil, err
				}
				return new(creditsOf(o)), nil
			}),
		operation(Operation{Method: "GET", Path: "/v1/health/unparsed", Scope: account.ScopeOperator, Client: Method{Name: "UnparsedPages", Returns: "Pages"}}, (*Server).unparsedPages),
		special(Operation{Method: "GET", Path: "/v1/health/unparsed/{id}", Scope: account.ScopeOperator}, (*Server).unparsedPage),
		operation(Operation{Method: "GET", Path: "/v1/health/agreement", Scope: account.ScopeRead, Client: Method{Name: "Agreement", Takes: []string{"Days"}, Returns: "Groups"}},
			func(s *Server, c *call, q earshot.AgreementQuery, _ none) (*earshot.Agreement, error) {
				return s.Jobs.Desk.Agreement(c.context(), c.organization(), q.Days)
			}),
	}
}

// unparsedPages lists the documents that no parser understood. They are for the operator only, because
// they contain prompts of all organizations.
func (s *Server) unparsedPages(c *call, _, _ none) (list earshot.UnparsedList, err error) {
	kept, err := outbound.New(s.Store.DB).KeptPages(c.context(), purchase.Unreadable)
	for _, k := range kept {
		slash := strings.LastIndex(k.Provider, "/") // before the surface
		list.Pages = append(list.Pages, earshot.UnparsedPage{
			ID: k.ID, Provider: k.Provider[:slash], Surface: earshot.Surface(k.Provider[slash+1:]), KeptAt: earshot.Timestamp{Time: k.KeptAt}, Pages: k.Pages,
		})
	}
	return list, err
}

// unparsedPage sends such a document as it was received.
func (s *Server) unparsedPage(c *call, q earshot.UnparsedQuery, _ none) error {
	id := c.subject()
	if !account.IsCaptureID(id) {
		return errNotFound("page", id)
	}
	page, err := s.Kept.Page(c.context(), id, q.Page)
	if errors.Is(err, fs.ErrNotExist) {
		return errNotFound("page", id) // or in the data folder of another node
	}
	if err != nil {
		return err
	}
	c.write(http.StatusOK, "application/octet-stream", page)
	return nil
}

// countries lists all countries, or the countries of one model.
func (s *Server) countries(c *call, q earshot.CountryQuery, _ none) ([]string, error) {
	codes := geo.Countries()
	if c.r.URL.Query().Has("model") {
		models := s.Catalogue.Models()
		model, known := models[q.Model]
		if !known {
			return nil, schema.Invalid("model", "%s", schema.NotOneOf(q.Model, slices.Sorted(maps.Keys(models))))
		}
		codes = slices.DeleteFunc(codes, func(code string) bool { return !model.Include(code) })
	}
	return codes, nil
}

// states lists the states of a country.
func states(_ *Server, _ *call, q earshot.StateQuery, _ none) (list earshot.List[earshot.State], err error) {
	if err := checkCountry(q.Country); err != nil {
		return nil, err
	}
	if q.Country == "US" {
		for _, s := range geo.States() {
			list = append(list, earshot.State(s))
		}
	}
	return list, nil
}

// checkCountry returns an error unless the code of a query is a country's.
func checkCountry(code string) error {
	if geo.IsCountry(code) {
		return nil
	}
	return schema.Invalid("country", "must be an upper-case ISO 3166-1 alpha-2 code such as US%s", schema.Hint(code, geo.Countries()))
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
