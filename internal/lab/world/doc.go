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
//	markdown.go     the same as Markdown
//	press.go        sources, videos and images
//	posts.go        posts in the social network
//	market.go       products, offers, ads and shops nearby
//	clusters.go     a given number of products, each with an id and a data sheet
//	search.go       what a web search finds
//	news.go         what a news search finds
//	dice.go         choices that depend on the question alone
//	money.go        prices as a country writes them
//	names.go        invented names
//	phrases.go      what is said in a language, from one file for each in phrases/
package world
