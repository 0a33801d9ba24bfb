// Package answer is what the parsers of chat answers share: bounded reading of
// hostile documents, sources and pills, text and Markdown, prices and links. It
// knows no provider.
//
//	document.go    HTML within limits of time, size and depth
//	size.go        how large an answer may be
//	events.go      event streams within limits
//	challenge.go   pages that refuse us
//	sources.go     sources without duplicates, and the pills that point at them
//	link.go        destinations, domains, the engine's own tracking
//	text.go        text hygiene
//	plain.go       HTML to plain text
//	flatten.go     Markdown to plain text
//	mdlink.go      links in Markdown
//	markdown.go    HTML to Markdown
//	price.go       prices
//	number.go      numbers as people write them
//	node.go        questions to an HTML node
package answer
