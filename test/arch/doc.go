// Package arch holds the rules about the shape of the code as tests: which
// package may import which, that each has a doc comment and a telling name, how
// long a file may grow, and that nothing runs before main.
//
// The table of imports is the first thing in arch_test.go. A new package needs a
// line there.
package arch
