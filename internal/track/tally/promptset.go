package tally

import (
	"encoding/binary"
	"iter"
	"math/bits"
	"slices"

	"earshot/internal/track/packed"
)

// PromptSet is a set of prompt numbers, one bit per number. It starts with the word that
// contains its smallest number, so that the set of one prompt has one word.
type PromptSet struct {
	first int // number of the first word
	words []uint64
}

// Add adds a number.
func (s *PromptSet) Add(number int) {
	word := number / 64
	if len(s.words) == 0 {
		s.first = word
	}
	for ; s.first > word; s.first-- {
		s.words = slices.Insert(s.words, 0, 0)
	}
	for len(s.words) <= word-s.first {
		s.words = append(s.words, 0)
	}
	s.words[word-s.first] |= 1 << (number % 64)
}

// All iterates over the numbers.
func (s PromptSet) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, word := range s.words {
			for ; word != 0; word &= word - 1 {
				if !yield((s.first+i)*64 + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

// Common returns how many numbers are in both sets.
func (s PromptSet) Common(other PromptSet) (n int) {
	from := max(s.first, other.first)
	to := min(s.first+len(s.words), other.first+len(other.words))
	for word := from; word < to; word++ {
		n += bits.OnesCount64(s.words[word-s.first] & other.words[word-other.first])
	}
	return n
}

func (s PromptSet) encode(w *packed.Writer) {
	w.Number(s.first)
	var words []byte
	for _, word := range s.words {
		words = binary.LittleEndian.AppendUint64(words, word)
	}
	w.Text(string(words))
}

func decodePrompts(r *packed.Reader) PromptSet {
	s := PromptSet{first: r.Number()}
	for chunk := range slices.Chunk([]byte(r.Text(r.Number())), 8) {
		if len(chunk) < 8 {
			r.Fail()
			break
		}
		s.words = append(s.words, binary.LittleEndian.Uint64(chunk))
	}
	return s
}
