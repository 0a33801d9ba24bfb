// Package source says what an answer cites: the canonical address of a page, the
// site that it belongs to, and what kind of site that is. It is pure: it asks no
// network and no database.
//
//	page.go   an address, made canonical; host and registrable domain
//	kind.go   the types of sites, and who has which
//	sites.txt the table of well-known sites
//	cited.go  the citations of one answer, each page once
package source
