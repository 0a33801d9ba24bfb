// Package docs tests that the documents match the program: commands in them run, links are
// valid, flags, variables, errors and prices agree with the code, and the packaging files
// name existing things. It contains only tests.
//
// Every code block marked sh is run. The blocks of a page run one after the other in one
// shell, with their own service: EARSHOT_URL, EARSHOT_API_KEY (all scopes), EARSHOT_DATA
// and HOOK_URL (a receiver of webhooks) are set, and earshot is in the PATH. A block that
// cannot be run is marked sh notest, and the line above it gives the reason:
//
//	<!-- notest: needs a PostgreSQL -->
package docs
