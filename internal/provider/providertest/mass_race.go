//go:build race

package providertest

// Mass divides the sizes of hostile documents under the race detector, which slows
// parsing twentyfold; make test reads them in full size without it.
const Mass = 64
