package metric

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"earshot/internal/track/packed"
)

// promptSet is a set of prompt numbers, one bit per number. It starts with the word that
// contains its smallest number, so that the set of one prompt has one word.
type promptSet struct {
	first int // number of the first word
	words []uint64
}

// add adds a number.
func (s *promptSet) add(number int) {
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

// common returns how many numbers are in both sets.
func (s promptSet) common(other promptSet) (n int) {
	from := max(s.first, other.first)
	to := min(s.first+len(s.words), other.first+len(other.words))
	for word := from; word < to; word++ {
		n += bits.OnesCount64(s.words[word-s.first] & other.words[word-other.first])
	}
	return n
}

func (s promptSet) encode(w *packed.Writer) {
	w.Number(s.first)
	var words []byte
	for _, word := range s.words {
		words = binary.LittleEndian.AppendUint64(words, word)
	}
	w.Text(string(words))
}

func decodePrompts(r *packed.Reader) promptSet {
	s := promptSet{first: r.Number()}
	for chunk := range slices.Chunk([]byte(r.Text(r.Number())), 8) {
		if len(chunk) < 8 {
			r.Fail()
			break
		}
		s.words = append(s.words, binary.LittleEndian.Uint64(chunk))
	}
	return s
}
