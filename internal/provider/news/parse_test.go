package news_test

import (
	"testing"

	"earshot/internal/provider/news"
	"earshot/internal/provider/providertest"
)

// newsPage is a page with %s where an article stands.
const newsPage = `<!DOCTYPE html><html><body><div id="search"><div id="rso"><div><a href="https://a.example/">` +
	`<div>Paper</div><div role="heading" aria-level="3">Title</div><div>%s</div></a></div></div></div></body></html>`

func parse(document []byte) (any, error) { return news.Parse(document, lab.Engine) }

func TestGolden(t *testing.T) {
	t.Parallel()
	providertest.Golden(t, parse)
}

func TestHostile(t *testing.T) {
	t.Parallel()
	providertest.Hostile(t, newsPage, parse)
}

func FuzzParse(f *testing.F) { providertest.Fuzz(f, newsPage, parse) }
