package metric

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Read fills a book from a definition and its answers, one JSON object a line. What it
// does not know in either is passed over: files carry more than metrics look at.
func Read(definition, answers io.Reader) (*Book, error) {
	def := Definition{Samples: 1}
	if err := json.NewDecoder(definition).Decode(&def); err != nil {
		return nil, fmt.Errorf("definition: %w", err)
	}
	b, err := NewBook(def)
	if err != nil {
		return nil, fmt.Errorf("definition: %w", err)
	}
	lines := json.NewDecoder(bufio.NewReader(answers))
	for n := 1; ; n++ {
		var a Answer
		if err := lines.Decode(&a); errors.Is(err, io.EOF) {
			return b, nil
		} else if err != nil {
			return nil, fmt.Errorf("answers: object %d: %w", n, err)
		}
		if err := b.Add(a); err != nil {
			return nil, fmt.Errorf("answers: object %d: %w", n, err)
		}
	}
}
