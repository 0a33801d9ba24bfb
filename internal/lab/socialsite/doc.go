// Package socialsite is the lab's social assistant: it reads what a client asks
// and writes an answer of the lab's world as the JSON lines of the provider's
// interface, with posts of the world's social network among its sources.
//
//	question.go   what a request asks
//	stream.go     the lines
//	response.go   the last of them: the answer as a whole
//	cards.go      what the marks in the text stand for
//	page.go       what a browser gets: the app, and the answer as that shows it
package socialsite
