//go:build !race

package providertest

// Mass is the divisor for the sizes of hostile documents.
const Mass = 1
