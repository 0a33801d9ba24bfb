// Package lab is the built-in upstream world: a real HTTP server on loopback
// that plays the providers, so that every request travels the whole way. What
// it answers is made up (package world) and the same for the same question;
// words in a prompt steer it for demonstrations and tests.
//
//	server.go     listening, and dialling the lab's names
//	handler.go    which site answers what
//	apps.go       what a browser gets that opens a site, with app.js
//	pages.go      sites that answer a prompt with a page
//	streams.go    sites that answer a prompt with a stream
//	search.go     the search engine's host, AI mode and redirect links
//	websearch.go  the search engine's result pages
//	steering.go   the words in a prompt
//	delivery.go   how a document is sent: whole, slowly, cut off, or not at all
//	world/        what there is to say
//	chatsite/     the chat assistant's documents
//	gensite/      the generative assistant's page
//	officesite/   the office assistant's page
//	socialsite/   the social assistant's lines
//	enginesite/   the answer engine's stream
//	searchsite/   the search engine's result pages and news pages
//	aimode/       the pages of the search engine's AI mode
//	redirect/     links that the search engine wraps
package lab
