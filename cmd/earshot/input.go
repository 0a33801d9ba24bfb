package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/mattn/go-isatty"
)

// readInput reads standard input to its end. It says so to somebody at a terminal, who
// may not know that it waits, and is interrupted by Ctrl-C.
func (in *invocation) readInput(what string, limit int64) ([]byte, error) {
	if isatty.IsTerminal(os.Stdin.Fd()) {
		fmt.Fprintf(in.errOut, "write %s here; Ctrl-D on a line of its own ends it\n", what)
	}
	type input struct {
		text []byte
		err  error
	}
	ended := make(chan input, 1)
	go func() { // it cannot be stopped, but the program ends
		text, err := readLimited(os.Stdin, limit)
		ended <- input{text, err}
	}()
	select {
	case <-in.Done():
		return nil, exitError{errors.New("interrupted"), statusInterrupted}
	case read := <-ended:
		if read.err != nil {
			return nil, fmt.Errorf("read %s from standard input: %w", what, read.err)
		}
		return read.text, nil
	}
}

// readLimited reads to the end, and fails for more bytes than the limit.
func readLimited(from io.Reader, limit int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(from, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("it is larger than %d MiB", limit>>20)
	}
	return text, err
}

// readFile reads a file, and fails for more bytes than the limit.
func readFile(path string, limit int64) (text []byte, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	if text, err = readLimited(file, limit); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return text, nil
}
