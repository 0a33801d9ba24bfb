// Package aimode is the AI mode of the lab's search engine: it writes an answer
// of the lab's world as the engine's page, and the offers for one of the
// products on it as the piece that such a page fetches on demand.
//
//	page.go     the answer as a page (page.gohtml)
//	offers.go   the offers for a product, and where the page says they are
//	link.go     links as the engine serves them, and notes that go with chips
package aimode
