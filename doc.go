// Package earshot defines the types of the API: requests, results and errors. The
// server, the Go client and the command line share these types, so their JSON tags
// are the wire format.
//
// The package imports only the standard library.
package earshot
