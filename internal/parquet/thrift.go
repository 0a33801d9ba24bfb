package parquet

import "encoding/binary"

// The types of fields in Thrift's compact protocol:
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md.
const (
	trueType   = 1
	byteType   = 3
	intType    = 5
	longType   = 6
	textType   = 8
	listType   = 9
	structType = 12
)

// thrift is a struct, on the way. Fields are added in the order of their numbers.
type thrift struct {
	bytes []byte
	last  int // the number of the last field
}

// encode gives a struct whose fields a function adds.
func encode(add func(*thrift)) []byte {
	var t thrift
	t.inner(func() { add(&t) })
	return t.bytes
}

func (t *thrift) inner(add func()) {
	outer := t.last
	t.last = 0
	add()
	t.bytes = append(t.bytes, 0)
	t.last = outer
}

func (t *thrift) field(number int, kind byte) {
	t.bytes = append(t.bytes, byte(number-t.last)<<4|kind) // none is further than 15 from the one before
	t.last = number
}

func (t *thrift) int(field, value int) {
	t.field(field, intType)
	t.bytes = binary.AppendVarint(t.bytes, int64(value))
}

func (t *thrift) long(field int, value int64) {
	t.field(field, longType)
	t.bytes = binary.AppendVarint(t.bytes, value)
}

func (t *thrift) byte(field int, value byte) {
	t.field(field, byteType)
	t.bytes = append(t.bytes, value)
}

func (t *thrift) yes(field int) { t.field(field, trueType) }

func (t *thrift) text(field int, value string) {
	t.field(field, textType)
	t.bytes = append(binary.AppendUvarint(t.bytes, uint64(len(value))), value...)
}

func (t *thrift) group(field int, add func()) {
	t.field(field, structType)
	t.inner(add)
}

func (t *thrift) list(field, length int, kind byte) {
	t.field(field, listType)
	t.bytes = append(t.bytes, 15<<4|kind) // 15 says that the length follows
	t.bytes = binary.AppendUvarint(t.bytes, uint64(length))
}

func (t *thrift) groups(field, length int, add func(i int)) {
	t.list(field, length, structType)
	for i := range length {
		t.inner(func() { add(i) })
	}
}

func (t *thrift) ints(field int, values []int) {
	t.list(field, len(values), intType)
	for _, value := range values {
		t.bytes = binary.AppendVarint(t.bytes, int64(value))
	}
}

func (t *thrift) texts(field int, values []string) {
	t.list(field, len(values), textType)
	for _, value := range values {
		t.bytes = append(binary.AppendUvarint(t.bytes, uint64(len(value))), value...)
	}
}
