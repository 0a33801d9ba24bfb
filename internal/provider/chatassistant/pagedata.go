package chatassistant

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/PuerkitoBio/goquery"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/provider/webtext"
	"earshot/internal/upstream"
)

// readPage reads a page. The page of a shared conversation has the conversation in its scripts,
// with more details than the page shows.
func readPage(document []byte, want answer.Options) (*earshot.Answer, error) {
	if data := pageData(document); data != "" && strings.Contains(data, lastShown(document)) {
		conversation, err := conversationIn(data)
		switch {
		case err != nil:
			return nil, err
		case conversation != nil && rawdoc.IsCut(document):
			return nil, upstream.Fail(earshot.ReasonUnavailable, "the page is cut off")
		case conversation != nil:
			return readBranch(conversation, want), nil
		}
	}
	return page.ReadPrepared(document, want, func(shown *goquery.Document) { markCards(shown, want.Country) })
}

// lastShown returns the id of the last message that the page shows, or "". If its data does not
// have this message, the conversation went on after the page was loaded.
func lastShown(document []byte) string {
	const mark = `data-message-id="`
	at := bytes.LastIndex(document, []byte(mark))
	if at < 0 {
		return ""
	}
	id, _, _ := bytes.Cut(document[at+len(mark):], []byte(`"`))
	return string(id)
}

// enqueues is the call with which a script adds a string to the page's data.
const enqueues = "streamController.enqueue("

// pageData returns the data in the scripts of a page, or "". Several calls may add to it.
func pageData(document []byte) string {
	var data strings.Builder
	for bytes.Contains(document, []byte(enqueues)) {
		var code []byte
		_, document, _ = bytes.Cut(document, []byte("<script"))
		code, document, _ = bytes.Cut(document, []byte("</script"))
		for {
			var found bool
			if _, code, found = bytes.Cut(code, []byte(enqueues)); !found {
				break
			}
			var text string
			dec := json.NewDecoder(bytes.NewReader(code))
			if dec.Decode(&text) == nil {
				data.WriteString(text)
				code = code[dec.InputOffset():]
			}
		}
	}
	return data.String()
}

// conversationIn returns the conversation in the data of a page, or nil. The data has the format of
// the library turbo-stream, version 2: a line with a list of values, and a line with further values
// for each promise, such as `P21:[…]`. Objects and lists refer to their keys and values by index.
func conversationIn(data string) (found loosejson.Object, err error) {
	err = rawdoc.ReadJSON([]byte(data), func() error {
		f := flatData{promises: map[string]int{}, room: maxFlatData}
		for line := range strings.Lines(webtext.ValidText(data)) {
			f.add(line)
		}
		value := f.at(0, 0)
		if f.room < 0 {
			return upstream.Fail(earshot.ReasonUnreadable, "the data of the page has more than %d bytes", maxFlatData)
		}
		found = findConversation(value)
		return nil
	})
	return found, err
}

// Limits of a page's data. Values may refer to each other in a circle, and a value that others
// refer to counts each time. Real conversations have about 15 levels.
const (
	maxFlatData  = 16 << 20 // bytes
	maxFlatDepth = 100
	flatValue    = 32 // bytes that each value of an object or a list counts, in addition to its text
)

// flatData is the data of a page whose values refer to each other by index.
type flatData struct {
	values   []any
	promises map[string]int // indexes of values by the id of their promise
	room     int            // bytes that may still be read
}

// add adds the values of a line. A line that is not a list is ignored: a promise that failed, or
// one whose value is a negative number, see at.
func (f *flatData) add(line string) {
	promise, list, isPromise := strings.Cut(line, ":")
	if isPromise = isPromise && strings.HasPrefix(promise, "P"); !isPromise {
		list = line
	}
	value, _ := loosejson.Decode(list)
	values, _ := value.([]any)
	if isPromise && len(values) > 0 {
		f.promises[promise[1:]] = len(f.values)
	}
	f.values = append(f.values, values...)
}

// at returns the value with an index. Negative indexes stand for null, undefined, holes of lists
// and special numbers, which we do not distinguish.
func (f *flatData) at(index, depth int) any {
	switch v := f.flat(index).(type) {
	case string:
		f.room -= len(v)
		return v
	case map[string]any:
		return f.object(v, depth+1)
	case []any:
		if len(v) > 0 {
			if kind, ok := v[0].(string); ok {
				return f.tagged(kind, v[1:], depth+1)
			}
		}
		return f.list(v, depth+1)
	default:
		return v
	}
}

// flat returns the value with an index, in which other values are indexes.
func (f *flatData) flat(index int) any {
	if index < 0 || index >= len(f.values) {
		return nil
	}
	return f.values[index]
}

// fits counts the values of an object or a list, and reports whether they are within the limits.
func (f *flatData) fits(values, depth int) bool {
	f.room -= values * flatValue
	return f.room >= 0 && depth <= maxFlatDepth
}

// object returns an object whose keys have the form "_12".
func (f *flatData) object(flat map[string]any, depth int) any {
	if !f.fits(len(flat), depth) {
		return nil
	}
	object := make(map[string]any, len(flat))
	for key, value := range flat {
		if name, ok := f.flat(indexOf(json.Number(strings.TrimPrefix(key, "_")))).(string); ok {
			object[name] = f.at(indexOf(value), depth)
		}
	}
	return object
}

func (f *flatData) list(flat []any, depth int) any {
	if !f.fits(len(flat), depth) {
		return nil
	}
	list := make([]any, len(flat))
	for i, value := range flat {
		list[i] = f.at(indexOf(value), depth)
	}
	return list
}

// tagged returns a value of a type that JSON does not have.
func (f *flatData) tagged(kind string, content []any, depth int) any {
	if kind == "S" { // a set
		return f.list(content, depth)
	}
	if len(content) == 0 {
		return nil
	}
	switch kind {
	case "P": // a promise
		id, _ := content[0].(json.Number)
		if index, ok := f.promises[string(id)]; ok && f.fits(1, depth) {
			return f.at(index, depth)
		}
	case "N": // an object without a prototype
		object, _ := content[0].(map[string]any)
		return f.object(object, depth)
	case "D", "U", "B": // a date, an address, an integer of any size
		return content[0]
	}
	return nil
}

// indexOf returns the index that a value is, or -1.
func indexOf(value any) int {
	number, _ := value.(json.Number)
	index, err := strconv.Atoi(string(number))
	if err != nil {
		return -1
	}
	return index
}
