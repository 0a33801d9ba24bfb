// Package earshot is the vocabulary of the service: what a task, a result and
// an error look like on the wire. The server, the Go client and the command
// line share these types, so their JSON tags are the contract.
//
// It imports only the standard library.
package earshot
