//go:build !unix

package main

import "os"

// columnsOf returns the width of a terminal, or 0 if it is unknown.
func columnsOf(*os.File) int { return 0 }
