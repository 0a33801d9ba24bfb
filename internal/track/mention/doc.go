// Package mention finds the brands of a panel in answers. It is pure: no files, no
// network, no clock; the same text and the same rules give the same mentions for ever.
// What is not decided by the text itself is decided by tables in data/.
//
// The way of a text, file by file:
//
//	visible.go    the visible text: characters with their bytes, blocks; plain text
//	markdown.go   what is visible of Markdown; html.go of the HTML in it
//	address.go    addresses, which are no prose
//	sources.go    sections of sources and links that are citations, which are none either
//	domain.go     hosts in running text
//	fold.go       folding: what counts as the same character
//	prompt.go     the quoted prompt, which is cut out
//	trie.go       all names that begin at a place
//	boundary.go   where a word begins and ends, by script
//	switches.go   case, joined, affixes, near and not
//	find.go       which of several names wins
//	absence.go    clauses that say that nothing was found
//	listrank.go   position and list rank
//	sentence.go   sentences, and what they cite
//
// Beside it: mention.go has the types, compile.go makes rules of a panel, search.go reads
// search pages, context.go shows hits and collisions of names to people, candidate.go
// guesses names that the panel lacks, case.go runs a file of cases.
package mention
