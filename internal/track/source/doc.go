// Package source identifies the pages that an answer cites: their canonical addresses, their
// sites, and the types of these sites. It uses no network and no database.
//
//	page.go    canonical addresses, hosts and registrable domains
//	kind.go    types of sites
//	sites.txt  the table of well-known sites
//	cited.go   the citations of one answer
package source
