// Package module tests that programs in other Go modules can use the client, with a replace
// directive and after `make module`. It contains only tests.
package module
