// Package answer is what the parsers of chat answers share: bounded reading of
// hostile documents, sources and pills, text and Markdown, prices and links. It
// knows no provider. It has many files since each is one question that every
// parser asks, and the answers lean on each other.
//
//	chat.go        an assistant that is asked by fetching one document
//	raw.go         the document itself, for clients that want it
//	page.go        an assistant's page: where things stand, what else a page can be
//	page_*.go      its marks, the walk over a turn, its citations, its cards
//	document.go    HTML within limits of time, size and depth
//	size.go        how large an answer may be
//	events.go      event streams within limits
//	pieces.go      the objects of an official API's answer, streamed or whole
//	object*.go     JSON of which nothing is certain, and the things it describes
//	rewrite.go     what is marked in Markdown, replaced
//	challenge.go   pages that refuse us
//	refusal.go     errors of official APIs
//	sources.go     sources without duplicates, and the pills that point at them
//	post.go        posts that are told by their address
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
