// Package rest has the type that Helm's engine names.
package rest

// Config is the address of a cluster. There is none.
type Config struct{}
