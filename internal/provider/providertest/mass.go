//go:build !race

package providertest

// Mass divides the sizes of hostile documents.
const Mass = 1
