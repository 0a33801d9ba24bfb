// Package examples runs everything in the folder examples against one real service, which
// answers with the lab. It contains only tests.
//
// A test runs a program with run, which sets EARSHOT_URL, EARSHOT_API_KEY and EARSHOT_DATA
// and puts earshot, the Python client and the Go examples into the search paths. The
// service is shared, so a test uses its own tracker names.
package examples
