// Package arch tests the rules for the structure of the code: allowed imports, package
// comments, package names, the length of files, and that there is no init function. It also
// tests the wording of comments.
//
// The allowed imports are listed at the top of arch_test.go. A new folder of internal
// needs a place there. The wording to avoid is listed in language_test.go.
package arch
