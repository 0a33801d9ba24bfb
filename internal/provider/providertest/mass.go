//go:build !race

package providertest

const mass = 1
