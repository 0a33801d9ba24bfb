// Package packed writes and reads numbers and texts in few bytes: numbers as varints,
// texts with their length.
package packed

import (
	"encoding/binary"
	"math"
)

// Writer is what was written so far.
type Writer []byte

// Number appends whole numbers; none is negative.
func (w *Writer) Number(values ...int) {
	for _, v := range values {
		*w = binary.AppendUvarint(*w, uint64(max(v, 0)))
	}
}

// Fraction appends a number that need not be whole.
func (w *Writer) Fraction(value float64) {
	*w = binary.LittleEndian.AppendUint64(*w, math.Float64bits(value))
}

// Text appends a text.
func (w *Writer) Text(s string) {
	w.Number(len(s))
	*w = append(*w, s...)
}

// Reader takes values off the front. After the first that is not there it gives zeros:
// who reads asks in the end whether it is Done.
type Reader struct {
	rest   string
	failed bool
}

// NewReader reads what a Writer wrote. Texts share its memory.
func NewReader(written string) *Reader { return &Reader{rest: written} }

// Done reports whether all was read, and nothing that was not there.
func (r *Reader) Done() bool { return !r.failed && r.rest == "" }

// Fail says that a value makes no sense: nothing more is read.
func (r *Reader) Fail() { r.failed, r.rest = true, "" }

// Number takes a whole number. Most are below 128, and small enough a function for these
// to be put where it is called.
func (r *Reader) Number() int {
	if r.rest == "" || r.rest[0] >= 0x80 {
		return r.long()
	}
	value := int(r.rest[0])
	r.rest = r.rest[1:]
	return value
}

// long takes a number of several bytes.
func (r *Reader) long() int {
	value, shift := uint64(0), 0
	for i := 0; i < len(r.rest) && shift < 63; i++ {
		b := r.rest[i]
		value |= uint64(b&0x7f) << shift
		if b < 0x80 {
			r.rest = r.rest[i+1:]
			return int(value)
		}
		shift += 7
	}
	r.Fail()
	return 0
}

// Fraction takes a number that need not be whole.
func (r *Reader) Fraction() float64 {
	bytes := r.Text(8)
	if r.failed {
		return 0
	}
	return math.Float64frombits(binary.LittleEndian.Uint64([]byte(bytes)))
}

// Count takes the number of things that follow, each of a byte or more.
func (r *Reader) Count() int {
	n := r.Number()
	if n > len(r.rest) {
		r.Fail()
		return 0
	}
	return n
}

// Text takes a text of a length.
func (r *Reader) Text(length int) string {
	if length > len(r.rest) {
		r.Fail()
		return ""
	}
	s := r.rest[:length]
	r.rest = r.rest[length:]
	return s
}
