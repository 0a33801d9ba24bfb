// Package chatsite is the lab's chat assistant: it reads what a client asks and
// writes an answer of the lab's world in both shapes of the provider's
// interface, the mobile page and the event stream of the legacy one. Both tell
// the same, so that a parser of the one can be held against the other.
//
//	app.go         what a browser gets that opens the site
//	question.go    what a request asks
//	page.go        the answer as a page
//	page_things.go products, places, videos and ads on the page
//	markup.go      writing HTML
//	stream.go      the answer as an event stream
//	message.go     the stream's final message: Markdown with references
//	things.go      products, places, videos and ads in the stream
//	refusal.go     what is served instead of an answer
package chatsite
