// Package rest has the type that Helm's engine names.
package rest

// Config has no fields, because tests use no cluster.
type Config struct{}
