package parquet

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// The numbers of the format.
const (
	none = -1

	boolean   = 0
	int64s    = 2
	doubles   = 5
	byteArray = 6

	required = 0
	optional = 1
	repeated = 2

	plain         = 0
	rle           = 3
	rleDictionary = 8

	dataPage       = 0
	dictionaryPage = 2

	zstandard = 6
)

// element is a node of the schema.
type element struct {
	name       string
	physical   int // of a leaf
	children   int // of a node that is none
	repetition int
	converted  int // the older form of what the physical type means
	logical    func(*thrift)
}

func (e *element) describe(t *thrift) {
	if e.children == 0 {
		t.int(1, e.physical)
	}
	if e.repetition != none {
		t.int(3, e.repetition)
	}
	t.text(4, e.name)
	if e.children > 0 {
		t.int(5, e.children)
	}
	if e.logical != nil {
		t.int(6, e.converted)
		t.group(10, func() { e.logical(t) })
	}
}

// What the values of a column mean, beyond their type.
func text(t *thrift)  { t.group(1, func() {}) }
func list(t *thrift)  { t.group(3, func() {}) }
func whole(t *thrift) { t.group(10, func() { t.byte(1, 64); t.yes(2) }) } // 64 bits with a sign
func moment(t *thrift) {
	t.group(8, func() {
		t.yes(1)                                     // in UTC
		t.group(2, func() { t.group(1, func() {}) }) // in milliseconds
	})
}

// column is a column, with the values of the group that is not written yet.
type column struct {
	field      []int // of the row
	path       []string
	schema     []element
	physical   int
	optional   bool // it may be null
	list       bool
	dictionary map[string]uint32 // the place of each text among the values, with dict

	values      []byte   // as they are in the file, but of a bool a byte; those of the dictionary, if there is one
	indexes     []uint32 // the places of the texts of rows in the dictionary
	repetitions []byte   // 1 where a value belongs to the list of the one before
	definitions []byte   // 1 where there is a value, 0 for null and for an empty list
	entries     int      // with null and empty lists
	nulls       int
	min, max    []byte // as they are in the file, texts without their length
	unordered   bool   // there is no telling which are the smallest and the largest
}

func newColumn(field reflect.StructField) *column {
	name, options, _ := strings.Cut(field.Tag.Get("parquet"), ",")
	has := func(option string) bool { return slices.Contains(strings.Split(options, ","), option) }
	c := &column{field: field.Index, path: []string{name}, optional: has("optional"), list: has("list")}
	kind := field.Type
	if kind.Kind() == reflect.Pointer && c.optional || kind.Kind() == reflect.Slice && c.list {
		kind = kind.Elem()
	}
	leaf := element{name: name}
	switch kind.Kind() {
	case reflect.String:
		leaf.physical, leaf.converted, leaf.logical = byteArray, 0, text
	case reflect.Int64:
		leaf.physical, leaf.converted, leaf.logical = int64s, 18, whole
		if has("timestamp(millisecond)") {
			leaf.converted, leaf.logical = 9, moment
		}
	case reflect.Float64:
		leaf.physical = doubles
	case reflect.Bool:
		leaf.physical = boolean
	default:
		panic(fmt.Sprintf("parquet: the field %s is a %s", field.Name, field.Type))
	}
	c.physical = leaf.physical
	if c.optional {
		leaf.repetition = optional
	}
	c.schema = []element{leaf}
	if c.list {
		leaf.name = "element"
		c.schema = []element{{name: name, children: 1, converted: 3, logical: list}, {name: "list", children: 1, repetition: repeated}, leaf}
		c.path = []string{name, "list", "element"}
	}
	if has("dict") {
		c.dictionary = map[string]uint32{}
	}
	return c
}

// add adds what a row has in the column.
func (c *column) add(v reflect.Value) {
	switch {
	case c.list && v.Len() == 0, c.optional && v.IsZero():
		c.entry(0, 0)
	case c.list:
		for i := range v.Len() {
			c.entry(min(i, 1), 1)
			c.value(v.Index(i))
		}
	default:
		c.entry(0, 1)
		c.value(reflect.Indirect(v))
	}
}

func (c *column) entry(repetition, definition int) {
	c.entries++
	c.nulls += 1 - definition
	if c.list {
		c.repetitions = append(c.repetitions, byte(repetition))
	}
	if c.list || c.optional {
		c.definitions = append(c.definitions, byte(definition))
	}
}

func (c *column) value(v reflect.Value) {
	start := len(c.values)
	switch c.physical {
	case boolean:
		c.values = append(c.values, 0)
		if v.Bool() {
			c.values[start] = 1
		}
	case int64s:
		c.values = binary.LittleEndian.AppendUint64(c.values, uint64(v.Int()))
	case doubles:
		c.values = binary.LittleEndian.AppendUint64(c.values, math.Float64bits(v.Float()))
		c.unordered = c.unordered || math.IsNaN(v.Float())
	case byteArray:
		if text := v.String(); c.dictionary != nil {
			place, known := c.dictionary[text]
			if !known {
				place = uint32(len(c.dictionary))
				c.dictionary[text] = place
			}
			c.indexes = append(c.indexes, place)
			if known {
				return
			}
		}
		c.values = binary.LittleEndian.AppendUint32(c.values, uint32(v.Len()))
		c.values = append(c.values, v.String()...)
		start += 4
	}
	c.order(c.values[start:])
}

// longest is how long a text may be that is told as the smallest or the largest.
const longest = 64

// order notes a value if it is the smallest or the largest so far.
func (c *column) order(value []byte) {
	if c.unordered = c.unordered || len(value) > longest; c.unordered {
		return
	}
	switch {
	case c.min == nil:
		c.min, c.max = append([]byte{}, value...), append([]byte{}, value...)
	case c.compare(value, c.min) < 0:
		c.min = append(c.min[:0], value...)
	case c.compare(value, c.max) > 0:
		c.max = append(c.max[:0], value...)
	}
}

func (c *column) compare(a, b []byte) int {
	switch c.physical {
	case int64s:
		return cmp.Compare(int64(binary.LittleEndian.Uint64(a)), int64(binary.LittleEndian.Uint64(b)))
	case doubles:
		return cmp.Compare(math.Float64frombits(binary.LittleEndian.Uint64(a)), math.Float64frombits(binary.LittleEndian.Uint64(b)))
	default:
		return bytes.Compare(a, b)
	}
}

func (c *column) held() int {
	return len(c.values) + 4*len(c.indexes) + len(c.repetitions) + len(c.definitions)
}

// chunk is what the end of the file says of a column in a group of rows.
type chunk struct {
	dictionary, data int64 // where the pages begin; 0 without a dictionary
	unpacked, packed int64
	entries, nulls   int
	min, max         []byte
}

// flush returns the pages of the values, which begin at an offset of the file, and
// forgets the values.
func (c *column) flush(packer *zstd.Encoder, offset int64) (pages []byte, all chunk) {
	all = chunk{entries: c.entries, nulls: c.nulls}
	if !c.unordered {
		all.min, all.max = c.min, c.max
	}
	page := func(kind int, content []byte, about func(t *thrift)) {
		packed := packer.EncodeAll(content, nil)
		header := encode(func(t *thrift) {
			t.int(1, kind)
			t.int(2, len(content))
			t.int(3, len(packed))
			about(t)
		})
		pages = append(append(pages, header...), packed...)
		all.unpacked += int64(len(header) + len(content))
		all.packed += int64(len(header) + len(packed))
	}
	encoding := plain
	if c.dictionary != nil {
		all.dictionary, encoding = offset, rleDictionary
		page(dictionaryPage, c.values, func(t *thrift) {
			t.group(7, func() { t.int(1, len(c.dictionary)); t.int(2, plain) })
		})
	}
	all.data = offset + int64(len(pages))
	page(dataPage, c.content(), func(t *thrift) {
		t.group(5, func() { t.int(1, c.entries); t.int(2, encoding); t.int(3, rle); t.int(4, rle) })
	})
	*c = column{field: c.field, path: c.path, schema: c.schema, physical: c.physical, optional: c.optional, list: c.list, dictionary: c.dictionary}
	clear(c.dictionary)
	return pages, all
}

// content is that of a page with all values: who has one, and which.
func (c *column) content() (page []byte) {
	for _, levels := range [][]byte{c.repetitions, c.definitions} {
		if levels != nil {
			runs := appendRun(nil, levels, 1)
			page = binary.LittleEndian.AppendUint32(page, uint32(len(runs)))
			page = append(page, runs...)
		}
	}
	switch {
	case c.dictionary != nil:
		width := max(bits.Len(uint(max(len(c.dictionary), 1)-1)), 1)
		return appendRun(append(page, byte(width)), c.indexes, width)
	case c.physical == boolean:
		return appendPacked(page, c.values, 1)
	default:
		return append(page, c.values...)
	}
}

// appendRun adds numbers of some bits in the hybrid of run lengths and packed bits, all as
// one packed run: zstd finds what repeats.
func appendRun[N byte | uint32](to []byte, numbers []N, width int) []byte {
	if len(numbers) == 0 {
		return to
	}
	groups := (len(numbers) + 7) / 8
	to = binary.AppendUvarint(to, uint64(groups)<<1|1)
	end := len(to) + groups*width
	to = appendPacked(to, numbers, width)
	return append(to, make([]byte, end-len(to))...) // the last eight are whole
}

// appendPacked adds numbers of some bits, the lowest bits first.
func appendPacked[N byte | uint32](to []byte, numbers []N, width int) []byte {
	var pending uint64
	n := 0
	for _, number := range numbers {
		pending |= uint64(number) << n
		for n += width; n >= 8; n -= 8 {
			to = append(to, byte(pending))
			pending >>= 8
		}
	}
	if n > 0 {
		to = append(to, byte(pending))
	}
	return to
}

// describe adds the fields of ColumnChunk.
func (c *column) describe(t *thrift, of *chunk) {
	t.long(2, 0)
	t.group(3, func() {
		t.int(1, c.physical)
		encodings := []int{plain, rle}
		if c.dictionary != nil {
			encodings = append(encodings, rleDictionary)
		}
		t.ints(2, encodings)
		t.texts(3, c.path)
		t.int(4, zstandard)
		t.long(5, int64(of.entries))
		t.long(6, of.unpacked)
		t.long(7, of.packed)
		t.long(9, of.data)
		if of.dictionary > 0 {
			t.long(11, of.dictionary)
		}
		t.group(12, func() {
			t.long(3, int64(of.nulls))
			if of.min != nil {
				t.text(5, string(of.max))
				t.text(6, string(of.min))
			}
		})
	})
}
