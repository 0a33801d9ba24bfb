package aimode_test

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"earshot/internal/lab/aimode"
	"earshot/internal/lab/world"
)

func ask(prompt string) world.Question {
	return world.Question{Prompt: prompt, Country: "US", Language: "en", Search: true}
}

func TestPageHasEveryKindOfLink(t *testing.T) {
	t.Parallel()
	q := ask("tents")
	page, err := aimode.Page(q, 8, world.ComposeClusters(q, 8))
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{`href="/goto?url=CAES`, `href="/url?q=https`, `href="https://`, `data-icl-uuid="`, "<!--Lab1|", world.Model} {
		if !strings.Contains(string(page), kind) {
			t.Errorf("no %s on the page", kind)
		}
	}
}

var attribute = regexp.MustCompile(`data-offers-url="([^"]*)"`)

// TestHostilePrompt wants a prompt to stay text wherever it stands on the page.
func TestHostilePrompt(t *testing.T) {
	t.Parallel()
	const prompt = `--><script>alert(1)</script>"><b onclick=x>&<!--`
	q := ask(prompt)
	page, err := aimode.Page(q, 3, world.ComposeClusters(q, 3))
	if err != nil {
		t.Fatal(err)
	}
	for _, markup := range []string{"<script", "<b onclick", `--><s`} {
		if strings.Contains(string(page), markup) {
			t.Errorf("%s is on the page", markup)
		}
	}
	found := attribute.FindSubmatch(page)
	if found == nil {
		t.Fatal("the page does not tell where offers are")
	}
	u, err := url.Parse(html.UnescapeString(string(found[1])))
	if err != nil || u.Path != aimode.OffersPath || u.Query().Get("q") != prompt || u.Query().Get(aimode.ParamClusters) != "3" {
		t.Errorf("offers are at %v (%v)", u, err)
	}
}

func TestOffers(t *testing.T) {
	t.Parallel()
	a := world.ComposeClusters(ask("tents"), 2)
	product, found := a.Cluster(a.Inline[0].ID)
	if !found {
		t.Fatal("a product of the answer is no cluster of it")
	}
	piece, err := aimode.Offers(product)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(piece), `"product-offer"`); got != len(product.Offers) || got == 0 {
		t.Errorf("%d offers of %d:\n%s", got, len(product.Offers), piece)
	}
	if _, found := a.Cluster("none"); found {
		t.Error("found a cluster that there is not")
	}
}
