package labsite

import (
	"net/url"
	"strconv"

	"earshot/internal/upstream/lab/world"
)

// Page writes the answer to prompt as the mobile page.
func Page(prompt string, answer *world.Answer) ([]byte, error) {
	id := world.Identity(prompt, answer)
	var m markup
	m.Grow(32 << 10) // slightly more than most pages need
	m.fill(`<!DOCTYPE html>
<html lang="{}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{}</title>
<link rel="canonical" href="{}">
<style>.pill{border-radius:1rem;padding:0 .4rem}.sr-only{position:absolute;left:-999rem}</style>
</head>
<body>
<header><button type="button" aria-label="Menu">≡</button></header>
<main id="main"><div id="thread">
<section data-testid="conversation-turn-1" data-turn="user" dir="auto"><h4 class="sr-only">You</h4>
<div data-message-author-role="user" data-message-id="{}-1"><div class="whitespace-pre-wrap">{}</div></div>
</section>
`, answer.Language, prompt, "http://"+host+"/c/"+id, id, prompt)
	m.turn(id, answer)
	m.fill(`
</div></main>
<footer><form action="/" method="get"><textarea name="q" aria-label="Ask"></textarea></form></footer>
</body>
</html>
`)
	return m.Bytes(), nil
}

// turn writes the turn with the answer.
func (m *markup) turn(id string, answer *world.Answer) {
	m.fill(`<section data-testid="conversation-turn-2" data-turn="assistant" dir="auto"><h4 class="sr-only">Lab</h4>
`)
	if len(answer.Queries)+len(answer.MapQueries) > 0 {
		m.fill(`<details data-testid="search-activity"><summary>{}</summary>
<ul data-testid="search-queries">`, strconv.Itoa(len(answer.Queries)))
		m.each(`<li>{}</li>`, answer.Queries)
		m.fill(`</ul>
<ul data-testid="map-search-queries">`)
		m.each(`<li>{}</li>`, answer.MapQueries)
		m.fill(`</ul>
</details>`)
	}
	m.fill(`
<div data-message-author-role="assistant" data-message-id="{}-2" data-message-model-slug="{}" dir="auto"><div class="flex w-full flex-col gap-1">
`, id, world.Model)
	m.text(answer)
	m.ads(answer.Ads)
	m.fill(`
</div></div>
`)
	m.sources(answer.Sources)
	if len(answer.Related) > 0 {
		m.fill(`<ul data-testid="related-questions">`)
		m.each(`<li><button type="button">{}</button></li>`, answer.Related)
		m.fill(`</ul>`)
	}
	m.fill(`
<div class="actions"><button type="button" aria-label="Copy" data-testid="copy-turn-action-button">⧉</button></div>

</section>`)
}

// text writes the message with its widgets.
func (m *markup) text(answer *world.Answer) {
	m.fill(`<div class="markdown prose w-full break-words">
`)
	m.each(`<img data-testid="answer-image" alt="" src="{}">`, answer.Images)
	m.fill("\n")
	for _, block := range answer.Blocks {
		m.block(block)
	}
	m.cards(answer.Cards)
	m.places(answer.Places)
	m.videos(answer.Videos)
	m.fill(`</div>`)
}

func (m *markup) block(block world.Block) {
	switch block.Kind {
	case world.Paragraph:
		m.line(`<p>`, block.Lines[0], "</p>\n")
	case world.Heading:
		m.line(`<h3>`, block.Lines[0], "</h3>\n")
	case world.Bullets:
		m.list("<ul>\n", block.Lines, "</ul>\n")
	case world.Numbered:
		m.list("<ol>\n", block.Lines, "</ol>\n")
	}
}

func (m *markup) list(before literal, lines []world.Line, after literal) {
	m.fill(before)
	for _, line := range lines {
		m.line("<li>\n<p>", line, "</p>\n</li>\n")
	}
	m.fill(after)
}

func (m *markup) line(before literal, line world.Line, after literal) {
	m.fill(before)
	for _, span := range line {
		switch {
		case span.Cites != nil:
			m.chip(span.Cites)
		case span.Product != nil:
			m.inlineProduct(span.Text, span.Product)
		case span.Brand:
			m.fill(`<span data-testid="entity" data-entity-type="brand" class="entity underline">{}</span>`, span.Text)
		case span.Strong:
			m.fill(`<strong>{}</strong>`, span.Text)
		default:
			m.fill(`{}`, span.Text)
		}
	}
	m.fill(after)
}

// chip shows its first source. The others appear when the user touches it.
func (m *markup) chip(cites []world.Source) {
	first, others := cites[0], cites[1:]
	m.fill(`<span class="ms-1 inline-flex" data-state="closed"><span class="pill relative inline-flex" data-testid="webpage-citation-pill">`+
		`<a href="{}" target="_blank" rel="noopener" class="pill-link"><span class="pill-face"><img alt="" width="32" height="32" src="{}"><span class="pill-label truncate">{}</span>`,
		tracked(first.URL), icon(first.URL), first.Site)
	if len(others) > 0 {
		m.fill(`<span class="pill-count">+{}</span>`, strconv.Itoa(len(others)))
	}
	m.fill(`</span></a>`)
	if len(others) > 0 {
		m.fill(`<span role="tooltip" class="pill-card" hidden>`)
		for _, source := range others {
			m.fill(`<a href="{}" target="_blank" rel="noopener"><span class="pill-label">{}</span></a>`, tracked(source.URL), source.Site)
		}
		m.fill(`</span>`)
	}
	m.fill(`</span></span>`)
}

func (m *markup) sources(sources []world.Source) {
	if len(sources) > 0 {
		m.fill(`<div data-testid="sources-list"><ol>
`)
		for _, s := range sources {
			m.fill(`<li><a href="{}" target="_blank" rel="noopener"><img alt="" src="{}"><span data-testid="source-site">{}</span>`+
				`<div data-testid="source-title">{}</div><div data-testid="source-snippet">{}</div>`,
				tracked(s.URL), icon(s.URL), s.Site, s.Title, s.Snippet)
			if s.Published != "" {
				m.fill(`<time datetime="{}">{}</time>`, s.Published, s.Published)
			}
			m.fill("</a></li>\n")
		}
		m.fill(`</ol></div>`)
	}
	m.fill("\n")
}

// tracked returns the link with the site's tracking parameter.
func tracked(link string) string { return world.Tracked(link, host) }

// icon returns the URL of the icon next to a link.
func icon(link string) string {
	return "http://" + host + "/icons?site=" + url.QueryEscape(link)
}
