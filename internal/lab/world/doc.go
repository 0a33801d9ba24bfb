// Package world is the made-up world that the lab's sites talk about: brands,
// shops, magazines, places and what can be said of them in several languages.
// Compose puts an answer together from it; the sites turn that answer into the
// documents of their provider. Nothing in it is real: every name is invented
// and every address ends in .example.
//
// Everything is a pure function of the question, so the same question gets the
// same answer on every node and after every start.
//
//	answer.go       what an answer is made of
//	compose.go      an answer for a question
//	prose.go        its paragraphs, lists and citations
//	press.go        sources, videos and images
//	market.go       products, offers and ads
//	town.go         places
//	dice.go         choices that depend on the question alone
//	money.go        prices as a country writes them
//	names.go        invented names
//	phrases*.go     what is said, by language
package world
