//go:build race

package providertest

// mass divides the sizes of hostile documents under the race detector, which slows
// parsing twentyfold; their full size is measured by make bench.
const mass = 8
