// Package packed writes and reads values in a compact binary form. A number is a varint. A
// text is its length in bytes, as a number, and its bytes. A fraction is 8 bytes, a
// little-endian float64.
package packed

import (
	"encoding/binary"
	"math"
)

// Writer contains the bytes written so far.
type Writer []byte

// Number appends integers. A negative integer is written as 0.
func (w *Writer) Number(values ...int) {
	for _, v := range values {
		*w = binary.AppendUvarint(*w, uint64(max(v, 0)))
	}
}

// Fraction appends a float64.
func (w *Writer) Fraction(value float64) {
	*w = binary.LittleEndian.AppendUint64(*w, math.Float64bits(value))
}

// Text appends a string and its length.
func (w *Writer) Text(s string) {
	w.Number(len(s))
	*w = append(*w, s...)
}

// Reader reads values in the order in which they were written. After an error all methods
// return zero values, so that callers check Done once at the end.
type Reader struct {
	text   string
	at     int // bytes that were read. Moving it is faster than shortening text.
	failed bool
}

// NewReader returns a Reader of bytes that a Writer wrote. Strings that the Reader returns
// share their memory with written.
func NewReader(written string) *Reader { return &Reader{text: written} }

// Done reports whether everything was read without an error.
func (r *Reader) Done() bool { return !r.failed && r.at == len(r.text) }

// Fail marks the input as damaged.
func (r *Reader) Fail() { r.failed, r.at = true, len(r.text) }

// Number reads an integer. It has a fast path for integers below 128, as most are.
func (r *Reader) Number() int {
	if r.at >= len(r.text) || r.text[r.at] >= 0x80 {
		return r.longNumber()
	}
	r.at++
	return int(r.text[r.at-1])
}

func (r *Reader) longNumber() int {
	value, n := binary.Uvarint([]byte(r.text[r.at:min(len(r.text), r.at+binary.MaxVarintLen64)]))
	if n <= 0 || value > math.MaxInt {
		r.Fail()
		return 0
	}
	r.at += n
	return int(value)
}

// Fraction reads a float64.
func (r *Reader) Fraction() float64 {
	bytes := r.Text(8)
	if r.failed {
		return 0
	}
	return math.Float64frombits(binary.LittleEndian.Uint64([]byte(bytes)))
}

// Count reads the number of values that follow. Each value takes at least one byte, so a
// larger number is an error.
func (r *Reader) Count() int {
	n := r.Number()
	if n > len(r.text)-r.at {
		r.Fail()
		return 0
	}
	return n
}

// Text reads a string of the given length in bytes, without reading a length first.
func (r *Reader) Text(length int) string {
	if length > len(r.text)-r.at {
		r.Fail()
		return ""
	}
	r.at += length
	return r.text[r.at-length : r.at]
}
