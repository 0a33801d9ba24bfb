package chatassistant

import (
	"bytes"
	"encoding/json"
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
)

// Pages of shared conversations carry the conversation as data, from which the
// browser draws them: as JSON in a script element of this id, or, in newer ones,
// as pieces of a table that scripts hand over one by one.
var (
	dataElement = []byte(`id="__NEXT_DATA__"`)
	enqueueCall = []byte("streamController.enqueue(")
)

// readShared reads the conversation that a page carries as data; nil where there
// is none that says anything.
func readShared(page []byte, want answer.Want) *earshot.Answer {
	var found *earshot.Answer
	read := func(data string, decode func(string) any) {
		_ = answer.ReadJSON([]byte(data), func() error { // then what the page shows is read
			if conversation := findConversation(decode(data)); conversation != nil {
				found = readFound(conversation, want)
			}
			return nil
		})
	}
	if data := scriptData(page); data != "" {
		read(data, func(data string) any {
			value, _ := answer.DecodeJSON(answer.ValidText(data))
			return value
		})
	} else if data := enqueued(page); data != "" {
		read(data, decodeTable)
	}
	if found == nil || found.Text == "" {
		return nil
	}
	return found
}

// scriptData is what stands in the data element.
func scriptData(page []byte) string {
	_, rest, found := bytes.Cut(page, dataElement)
	if !found {
		return ""
	}
	_, rest, _ = bytes.Cut(rest, []byte(">"))
	data, _, closed := bytes.Cut(rest, []byte("</script"))
	if !closed {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// enqueued is all that scripts of the page hand over, put together.
func enqueued(page []byte) string {
	var data strings.Builder
	for {
		_, rest, found := bytes.Cut(page, enqueueCall)
		if !found {
			return data.String()
		}
		end := literalEnd(rest)
		var piece string
		if json.Unmarshal(rest[:end], &piece) == nil {
			data.WriteString(piece)
		}
		page = rest[end:]
	}
}

// literalEnd is where the literal that the script begins with ends, 0 if it does
// not begin with one.
func literalEnd(script []byte) int {
	if !bytes.HasPrefix(script, []byte(`"`)) {
		return 0
	}
	for i := 1; i < len(script); i++ {
		switch script[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}
