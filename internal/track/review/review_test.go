package review_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/track/analysis"
	"earshot/internal/track/metric"
	"earshot/internal/track/review"
)

var brands = []earshot.Brand{
	{Name: "Ollaro", Own: true, Aliases: []earshot.BrandName{{Name: "Ollaro Road"}}},
	{Name: "Kestrin"},
}

// find returns the findings in an answer in Markdown.
func find(t *testing.T, markdown string, facts ...earshot.Fact) []review.Finding {
	t.Helper()
	panel, err := analysis.NewPanel(brands)
	if err != nil {
		t.Fatal(err)
	}
	result, err := json.Marshal(map[string]any{"markdown": markdown})
	if err != nil {
		t.Fatal(err)
	}
	shown, err := panel.Show(result, analysis.Question{})
	if err != nil {
		t.Fatal(err)
	}
	rules := review.NewRules(panel, facts)
	found := rules.Find(shown)
	if len(found) > 0 && !rules.Concerns(shown.Analysis) {
		t.Errorf("%q has findings, but does not concern the rules", markdown)
	}
	return found
}

// short writes the findings as "kind reason:words reason:words; kind …".
func short(found []review.Finding) string {
	var all []string
	for _, f := range found {
		text := string(f.Kind)
		for _, m := range f.Matches {
			text += fmt.Sprintf(" %s:%s", m.Reason, f.Sentence[m.Start:m.End])
		}
		if f.Kind == earshot.ReviewFact {
			text += fmt.Sprintf(" (%s, not %s)", f.Fact.Expected, f.Fact.Found)
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}

func TestWarningsAndNegations(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		// English.
		{"Avoid Ollaro if you have wide feet.", "warning avoid:Avoid Ollaro"},
		{"You should avoid buying the Ollaro Road.", "warning avoid:avoid buying the Ollaro Road"},
		{"Ollaro recalled 2,000 pairs in May.", "warning recall:recalled"},
		{"Ollaro faces a class action over its soles.", "warning lawsuit:class action"},
		{"Some say that Ollaro is a scam.", "warning scam:scam"},
		{"The Ollaro Road has been discontinued.", "warning discontinued:discontinued"},
		{"The Ollaro Road is no longer sold.", "warning discontinued:no longer sold"},
		{"There are many complaints about Ollaro.", "warning complaints:complaints"},
		{"**Ollaro** is **not** recommended for trails.", "negation not-recommended:not** recommended"},
		{"I wouldn't recommend Ollaro.", "negation not-recommended:wouldn't recommend"},
		{"Ollaro isn't the best choice for beginners.", "negation not-recommended:isn't the best choice"},
		{"Ollaro is not available in Canada.", "negation not-available:not available"},
		{"Ollaro lost a lawsuit and is not recommended.", "warning lawsuit:lawsuit; negation not-recommended:not recommended"},
		{"Kestrin is worse than Ollaro.", ""},
		{"Ollaro is worse than Kestrin.", "negation not-good:Ollaro is worse than"},
		// Traps.
		{"Ollaro is not only recommended, but loved.", ""},
		{"Ollaro is not just good, it is great.", ""},
		{"No other brand beats Ollaro.", ""},
		{"You cannot go wrong with Ollaro.", ""},
		{"I can't recommend Ollaro enough.", ""},
		{"I don't hesitate to recommend Ollaro.", ""},
		{"Ollaro helps you avoid injuries.", ""},
		{"With Ollaro you avoid blisters.", ""},
		{"Ollaro has no complaints, recalls or lawsuits.", ""},
		{"Ollaro has never been recalled.", ""},
		{"Ollaro is not a scam.", ""},
		{"As you may recall, Ollaro makes shoes.", ""},
		{"Ollaro uses non-toxic glue.", ""},
		{"There is no better choice than Ollaro.", ""},
		{"Ollaro offers fraud protection.", ""},
		{"Ollaro is great. Avoid Kestrin.", ""},
		{"Ollaro is great, but avoid Kestrin.", ""},
		{"Kestrin is a scam.", ""},
		{"I could not find any complaints or information about Ollaro.", ""},
		{"See [Ollaro](https://example.com/scam-lawsuit) [2].", ""},
		// German.
		{"Ollaro ist nicht empfehlenswert.", "negation not-recommended:nicht empfehlenswert"},
		{"Bei Ollaro gab es 2024 eine Rückrufaktion.", "warning recall:Rückrufaktion"},
		{"Vor Ollaro wird gewarnt, denn es gibt viele Beschwerden.", "warning complaints:Beschwerden"},
		{"Der Ollaro Road ist nicht mehr erhältlich.", "warning discontinued:nicht mehr erhältlich"},
		{"Mit Ollaro kann man nichts falsch machen.", ""},
		{"Ollaro ist nicht nur empfehlenswert, sondern günstig.", ""},
		{"Über Ollaro gibt es keine Beschwerden.", ""},
		// French.
		{"Ollaro n'est pas recommandé pour la course.", "negation not-recommended:pas recommandé"},
		{"Attention, Ollaro est une arnaque.", "warning scam:arnaque"},
		{"La Ollaro Road n'est plus disponible.", "warning discontinued:n'est plus disponible"},
		{"Non seulement Ollaro est solide, mais elle est légère.", ""},
		{"Ollaro est un achat sans fraude ni arnaque.", ""},
		// Spanish.
		{"Ollaro no es recomendable para maratones.", "negation not-recommended:no es recomendable"},
		{"Hay muchas quejas sobre Ollaro.", "warning complaints:quejas"},
		{"Ollaro es muy demandado y absorbe los golpes.", ""},
		{"Ollaro no solo es recomendable, es la mejor.", ""},
		{"No hay quejas sobre Ollaro.", ""},
		// Italian.
		{"Ollaro non è consigliato per i principianti.", "negation not-recommended:non è consigliato"},
		{"Ollaro è una truffa.", "warning scam:truffa"},
		{"Con Ollaro non si può sbagliare.", ""},
		{"Ollaro non solo è consigliato, è il migliore.", ""},
		// Portuguese.
		{"Ollaro não é recomendado para trilhas.", "negation not-recommended:não é recomendado"},
		{"Há muitas reclamações sobre a Ollaro.", "warning complaints:reclamações"},
		{"Não há nenhuma reclamação sobre a Ollaro.", ""},
		{"Ollaro não só é recomendado como é barato.", ""},
		// Dutch.
		{"Ollaro is niet aan te raden.", "negation not-recommended:niet aan te raden"},
		{"Er zijn veel klachten over Ollaro.", "warning complaints:klachten"},
		{"Met Ollaro kun je niets fout doen.", ""},
		{"Ollaro is niet alleen aan te raden, maar ook goedkoop.", ""},
		{"Er zijn geen klachten over Ollaro.", ""},
	} {
		if got := short(find(t, c.text)); got != c.want {
			t.Errorf("%s\n  found %q\n  want  %q", c.text, got, c.want)
		}
	}
}

func TestFacts(t *testing.T) {
	t.Parallel()
	price := earshot.Fact{Brand: "Ollaro", Name: "price", Near: []string{"Ollaro Road"}, Is: "129 USD"}
	euros := earshot.Fact{Brand: "Ollaro", Name: "price", Near: []string{"Ollaro Road"}, Is: "1299 EUR"}
	year := earshot.Fact{Brand: "Ollaro", Name: "founded", Near: []string{"founded", "gegründet"}, Is: "2004"}
	weight := earshot.Fact{Brand: "Ollaro", Name: "weight", Near: []string{"weighs", "weight"}, Is: "280 g"}
	lugs := earshot.Fact{Brand: "Ollaro", Name: "lugs", Near: []string{"sole"}, Is: "30 lugs"}
	city := earshot.Fact{Brand: "Ollaro", Name: "seat", Near: []string{"based in", "headquarters"}, Is: "Berlin", Not: []string{"Munich", "New York"}}
	for _, c := range []struct {
		fact earshot.Fact
		text string
		want string
	}{
		{price, "The Ollaro Road costs $149.", "fact price:$149 (129 USD, not 149 USD)"},
		{price, "The **Ollaro Road** ($129.00) is light.", ""},
		{price, "The Ollaro Road costs US$ 1,290.", "fact price:US$ 1,290 (129 USD, not 1290 USD)"},
		{price, "The Ollaro Road costs 149 $ 129.", "fact price:149 $ (129 USD, not 149 USD)"}, // one sign for both
		{price, "The Ollaro Road costs 149 dollars.", "fact price:149 dollars (129 USD, not 149 USD)"},
		{price, "The Ollaro Road costs €149.", ""},                      // another currency
		{price, "Ollaro has shoes for $149.", ""},                       // not this product
		{price, "The Ollaro Road ($129) beats the Kestrin ($140).", ""}, // the closest price counts
		{price, "The Kestrin is $129 and the Ollaro Road is $140.", "fact price:$140 (129 USD, not 140 USD)"},
		{price, "The Ollaro Road is one of the best shoes under $150.", ""}, // a limit
		{price, "The Ollaro Road costs $120–150.", ""},                      // a range with the right price
		{price, "The Ollaro Road costs between $140 and $150.", "fact price:$140 and $150 (129 USD, not 140–150 USD)"},
		{price, "The Ollaro Road has 149 reviews and 8 mm drop.", ""},
		{euros, "Der Ollaro Road kostet 1.299 €.", ""},
		{euros, "Der Ollaro Road kostet 1.299,00 Euro.", ""},
		{euros, "Der Ollaro Road kostet 1 399 EUR.", "fact price:1 399 EUR (1299 EUR, not 1399 EUR)"},
		{year, "Ollaro was founded in 2003 in Berlin.", "fact year:2003 (2004, not 2003)"},
		{year, "Ollaro, founded in 2004, grew until 2015.", ""},
		{year, "Ollaro wurde 1999 gegründet.", "fact year:1999 (2004, not 1999)"},
		{year, "Ollaro, founded by a runner, has 1500 employees.", ""},
		{weight, "The Ollaro Road weighs 300 grams.", "fact number:300 grams (280 g, not 300 g)"},
		{weight, "The Ollaro Road weighs 280g.", ""},
		{weight, "The Ollaro Road weighs 9.9 oz.", ""},
		{lugs, "The sole of the Ollaro has 24 lugs.", "fact number:24 (30 lugs, not 24 lugs)"},
		{lugs, "The sole of the Ollaro has 30 lugs.", ""},
		{city, "Ollaro is based in Munich.", "fact text:Munich (Berlin, not Munich)"},
		{city, "Ollaro has its headquarters in New York and a shop in Berlin.", "fact text:New York (Berlin, not New York)"},
		{city, "Ollaro is based in Berlin, not in Munich.", ""},
		{city, "Ollaro is based in Hamburg.", ""}, // not listed
		{city, "Ollaro is sold in Munich.", ""},   // not about the seat
		{city, "Kestrin is based in Munich.", ""},
	} {
		if got := short(find(t, c.text, c.fact)); got != c.want {
			t.Errorf("%s\n  found %q\n  want  %q", c.text, got, c.want)
		}
	}
}

func TestPricesOfProducts(t *testing.T) {
	t.Parallel()
	panel, err := analysis.NewPanel(brands)
	if err != nil {
		t.Fatal(err)
	}
	rules := review.NewRules(panel, []earshot.Fact{{Brand: "Ollaro", Name: "price", Near: []string{"ollaro road"}, Is: "129 USD"}})
	product := func(title, currency string, value float64, named ...string) metric.Product {
		return metric.Product{Title: title, Named: named, Price: &metric.Price{Value: value, Currency: currency}}
	}
	found := &analysis.Analysis{Contents: metric.Contents{Products: []metric.Product{
		product("Ollaro Road, blue", "USD", 129, "Ollaro"),
		product("Ollaro Road, blue", "EUR", 149, "Ollaro"),
		product("Ollaro Trail", "USD", 149, "Ollaro"),
		product("Bag for ollaro road", "USD", 19),
		{Title: "Ollaro Road", Named: []string{"Ollaro"}},
	}}}
	if rules.Concerns(found) {
		t.Error("products with the right or with no price concern the rules")
	}
	found.Products = append(found.Products, product("The Ollaro Road, red", "USD", 149, "Ollaro"))
	got := short(rules.Find(&analysis.Shown{Analysis: found}))
	if want := "fact price:Ollaro Road (129 USD, not 149 USD)"; got != want || !rules.Concerns(found) {
		t.Errorf("found %q, want %q", got, want)
	}
}

func TestEqualStatementsAreOneReview(t *testing.T) {
	t.Parallel()
	const tracker = "0199c82c-c000-7000-8000-0000000000a1"
	fact := earshot.Fact{Brand: "Ollaro", Name: "price", Near: []string{"Ollaro Road"}, Is: "129 USD"}
	ids := func(texts ...string) (ids []string) {
		for _, text := range texts {
			for _, f := range find(t, text, fact) {
				ids = append(ids, f.ID(tracker))
			}
		}
		return slices.Compact(ids)
	}
	for _, c := range []struct {
		texts []string
		want  int
	}{
		{[]string{"Ollaro is a scam.", "**Ollaro** is  a *scam*! [1]", "ollaro is a [scam](https://example.com)."}, 1},
		{[]string{"Ollaro is a scam.", "Ollaro is a big scam."}, 2},
		{[]string{"The Ollaro Road costs $149.", "Buy the Ollaro Road for 149.00 USD."}, 1},
		{[]string{"The Ollaro Road costs $149.", "The Ollaro Road costs $150."}, 2},
		{[]string{"Ollaro is a scam. Ollaro is a scam."}, 1},
	} {
		if got := ids(c.texts...); len(got) != c.want {
			t.Errorf("%q are %d reviews, want %d", c.texts, len(got), c.want)
		}
	}
}

func TestALongSentenceIsCut(t *testing.T) {
	t.Parallel()
	text := "Ollaro " + strings.Repeat("é and ", 500) + "is a scam " + strings.Repeat("é and ", 500) + "a fraud."
	f := find(t, text)[0]
	f.Cut()
	if len(f.Sentence) > 1000 || short([]review.Finding{f}) != "warning scam:scam" || !strings.HasPrefix(text, "Ollaro") {
		t.Errorf("the sentence is %d bytes: %q", len(f.Sentence), f.Sentence)
	}
}

func TestBadFactsAreRejected(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fact  earshot.Fact
		field string
	}{
		{earshot.Fact{Near: []string{"a"}, Is: "129 USD"}, ""},
		{earshot.Fact{Near: []string{"a"}, Is: "€129.50"}, ""},
		{earshot.Fact{Near: []string{"a"}, Is: "2004"}, ""},
		{earshot.Fact{Near: []string{"a"}, Is: "5 %"}, ""},
		{earshot.Fact{Near: []string{"a"}, Is: "30 lugs"}, ""},
		{earshot.Fact{Near: []string{"a"}, Is: "Berlin", Not: []string{"Bonn"}}, ""},
		{earshot.Fact{Near: []string{"a"}, Is: "Berlin"}, "not"},
		{earshot.Fact{Near: []string{"a"}, Is: "24/7 support"}, "not"},
		{earshot.Fact{Near: []string{"a"}, Is: "129"}, "is"},
		{earshot.Fact{Near: []string{"a"}, Is: "$129"}, "is"},
		{earshot.Fact{Near: []string{"a", "?"}, Is: "2004"}, "near[1]"},
		{earshot.Fact{Near: []string{"a"}, Is: "Berlin", Not: []string{"!"}}, "not[0]"},
	} {
		if field, problem := review.CheckFact(c.fact); field != c.field || (field == "") != (problem == "") {
			t.Errorf("%+v: the field %q is wrong (%s), want %q", c.fact, field, problem, c.field)
		}
	}
}
