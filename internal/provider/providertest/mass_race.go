//go:build race

package providertest

// Mass is the divisor for the sizes of hostile documents. The race detector slows parsing by a
// factor of twenty; make test also parses them in full size without it.
const Mass = 64
