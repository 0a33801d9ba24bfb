// Package docs holds the documents to what the program does: commands in them
// run, links lead somewhere, flags, variables, errors and prices are those of the
// code, and what packages the program names things that exist. It has tests only.
//
// Every block of a page that is marked sh is run, the blocks of one page one after
// the other in one shell, beside a service of their own: EARSHOT_URL,
// EARSHOT_API_KEY (all scopes), EARSHOT_DATA and HOOK_URL (a receiver of webhooks)
// are set, and earshot is in the PATH. A block that cannot be run is marked
// sh notest, and the line above it says why:
//
//	<!-- notest: needs a PostgreSQL -->
package docs
