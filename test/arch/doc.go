// Package arch tests the rules for the structure of the code: allowed imports, package
// comments, package names, the length of files, and that there is no init function.
//
// The allowed imports are listed at the top of arch_test.go. A new folder of internal
// needs a place there.
package arch
