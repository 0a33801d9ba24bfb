package provider_test

import (
	"errors"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/schema"
	"earshot/internal/upstream/lab"
)

// fake is a provider with nothing but a definition.
type fake struct{ about provider.Definition }

func (f fake) Definition() provider.Definition { return f.about }

func (fake) Decode(*schema.Object) provider.Request { return nil }

var list = []provider.Provider{
	fake{provider.Definition{
		Name: "chat", Prices: []provider.Price{{Item: provider.ItemBase, Credits: 5}, {Item: "extras", Credits: 2}},
		Countries: []provider.Countries{{Model: "chat", Except: "CN HK"}},
	}},
	fake{provider.Definition{
		Name: "web", Prices: []provider.Price{{Item: provider.ItemBase, Credits: 3}, {Item: "page", Credits: 2}},
		Countries: []provider.Countries{{Model: "web"}, {Model: "overview", Except: "DE"}},
	}},
}

func none(string) bool { return false }

func TestCostOfABill(t *testing.T) {
	t.Parallel()
	c, err := provider.NewCatalogue(list, none, provider.Prices{"web.page": 1, "surcharge.state": 10})
	if err != nil {
		t.Fatal(err)
	}
	plain := provider.Bill{provider.ItemBase: 1}
	for _, test := range []struct {
		name string
		bill provider.Bill
		want int64
	}{
		{"chat", plain, 5},
		{"chat", plain.With("extras"), 7},
		{"web", plain, 3},
		{"web", provider.Bill{provider.ItemBase: 1, "page": 9}, 12},
		{"chat", plain.With(provider.ItemSync), 5},
		{"chat", provider.BaseBill(geo.Locale{Country: "US", State: "CA"}), 15},
		{"chat", provider.BaseBill(geo.Locale{Country: "US"}), 5},
	} {
		if got := c.Cost(test.name, test.bill); got != test.want {
			t.Errorf("%s %v costs %d, want %d", test.name, test.bill, got, test.want)
		}
	}
	if len(plain) != 1 {
		t.Errorf("With changed the bill it was called on: %v", plain)
	}
}

func TestInvalidPriceOverridesAreRejected(t *testing.T) {
	t.Parallel()
	for _, prices := range []provider.Prices{{"chat.nothing": 1}, {"nobody.base": 1}, {"chat.base": -1}} {
		if _, err := provider.NewCatalogue(list, none, prices); err == nil {
			t.Errorf("%v was accepted", prices)
		}
	}
}

func TestHiddenProvidersAreNotListed(t *testing.T) {
	t.Parallel()
	c, err := provider.NewCatalogue(list, func(name string) bool { return name == "chat" }, nil)
	if err != nil {
		t.Fatal(err)
	}
	if all := c.Providers(); len(all) != 1 || all[0].Definition().Name != "web" {
		t.Errorf("the providers are %v", all)
	}
}

func TestModels(t *testing.T) {
	t.Parallel()
	c, err := provider.NewCatalogue(list, none, nil)
	if err != nil {
		t.Fatal(err)
	}
	models := c.Models()
	if len(models) != 3 || models["overview"].Include("DE") || !models["web"].Include("DE") || models["chat"].Include("CN") || models["web"].Include("ZZ") {
		t.Errorf("the models are %v", models)
	}
}

func TestCheckLocale(t *testing.T) {
	t.Parallel()
	for body, wrong := range map[string]string{
		`{"prompt":"x","country":"US"}`:              "",
		`{"prompt":"x","country":"US","state":"CA"}`: "",
		`{"prompt":"x","state":"CA"}`:                "country state",
		`{"prompt":"x","country":"CN"}`:              "country",
		`{"prompt":"x","country":" US"}`:             "country",
		`{"prompt":"x","country":"DE","state":"CA"}`: "state",
		`{"prompt":"x","country":"US","state":"ZZ"}`: "state",
		`{"prompt":"x","country":"US","state":"ca"}`: "state",
		`{"prompt":"x","country":7}`:                 "country",
	} {
		in, err := schema.Parse([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		request := earshot.AssistantRequest{}
		in.Decode(&request)
		provider.CheckLocale(in, list[0].Definition(), request.Country, request.State)
		var names []string
		var e *earshot.Error
		if errors.As(in.Err(), &e) {
			problems, ok := e.Details.([]earshot.FieldProblem)
			if !ok {
				t.Fatalf("the details are %#v", e.Details)
			}
			for _, p := range problems {
				names = append(names, p.Field)
			}
		}
		if got := strings.Join(names, " "); got != wrong {
			t.Errorf("%s: the invalid fields are %q, want %q", body, got, wrong)
		}
	}
}

func TestConflictingSitesAreRejected(t *testing.T) {
	t.Parallel()
	at := func(name, url, host string) provider.Provider {
		return fake{provider.Definition{
			Name: name + " of " + host, Site: provider.Site{Name: name, URL: url}, Lab: func() lab.Site { return lab.Site{Host: host} },
		}}
	}
	first := at("a", "https://a.example", "a.lab.test")
	sites, err := provider.NewSites([]provider.Provider{first, first, at("b", "https://b.example", "b.lab.test")})
	if err != nil || len(sites.Web) != 2 || sites.Web["a"] != "https://a.example" || sites.Lab["b"].Host != "b.lab.test" {
		t.Errorf("%+v, %v", sites, err)
	}
	for _, other := range []provider.Provider{
		at("a", "https://b.example", "a.lab.test"),
		at("a", "https://a.example", "b.lab.test"),
		at("b", "https://b.example", "a.lab.test"),
	} {
		if sites, err := provider.NewSites([]provider.Provider{first, other}); err == nil {
			t.Errorf("conflicting sites were accepted: %+v", sites)
		}
	}
}
