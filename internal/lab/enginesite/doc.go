// Package enginesite is the lab's answer engine: it reads what a client asks and
// writes an answer of the lab's world as the event stream of the provider's
// interface, in which an entry grows block by block.
//
//	question.go   what a request asks
//	stream.go     the events
//	blocks.go     what the blocks hold
//	page.go       what a browser gets: the app, and the answer as that shows it
package enginesite
