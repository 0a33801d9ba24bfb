//go:build !unix

package main

import "os"

// columnsOf is the width of a terminal, 0 where it is not known.
func columnsOf(*os.File) int { return 0 }
