//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// columnsOf is the width of a terminal, 0 where it is not known.
func columnsOf(terminal *os.File) int {
	size, err := unix.IoctlGetWinsize(int(terminal.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}
