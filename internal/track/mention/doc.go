// Package mention finds the brands of a panel in answers. It does no I/O and uses no clock:
// the same text and the same rules always give the same mentions. Word lists are in data/.
//
// The steps of the search, by file:
//
//	visible.go    the visible text: characters with their byte ranges, blocks; plain text
//	markdown.go   the visible text of Markdown
//	html.go       the visible text of HTML in Markdown
//	address.go    excludes addresses
//	sources.go    excludes lists of sources and links that are citations
//	domain.go     hosts in running text
//	fold.go       folding: which characters are equal
//	prompt.go     excludes the quoted prompt
//	trie.go       all names that begin at a character
//	boundary.go   word boundaries, by script
//	switches.go   the matching rules of a name: case, joined, affixes, near and not
//	find.go       which of several names wins
//	absence.go    clauses that say that nothing was found
//	listrank.go   position and list rank
//	sentence.go   sentences and their citations
//
// Other files: mention.go has the types, compile.go compiles a panel into rules, search.go
// reads search pages, collision.go returns the collisions of names, candidate.go suggests names
// that the panel lacks, and case.go runs test cases.
//
// A character that is "out" is visible, but not prose: no name is found there.
package mention
