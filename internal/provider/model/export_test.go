package model

import (
	"earshot"
	"earshot/internal/provider/answer"
)

// Read is read without the cost.
func Read(document []byte, want answer.Options) (*earshot.Answer, error) {
	a, _, err := read(document, want)
	return a, err
}
