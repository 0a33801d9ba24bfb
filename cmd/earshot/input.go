package main

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// readInput reads standard input to its end. On a terminal, it prints a hint first. Ctrl-C
// interrupts it.
func (in *invocation) readInput(what string, limit int64) ([]byte, error) {
	if isTerminal(os.Stdin) {
		fmt.Fprintf(in.errOut, "type %s here, then press Ctrl-D on an empty line\n", what)
	}
	type input struct {
		text []byte
		err  error
	}
	ended := make(chan input, 1)
	go func() { // cannot be stopped, but ends with the program
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

// readLimited reads to the end. It returns an error for more bytes than limit.
func readLimited(from io.Reader, limit int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(from, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("it is larger than %d MiB", limit>>20)
	}
	return text, err
}

// readFile reads a file. It returns an error for more bytes than limit.
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
