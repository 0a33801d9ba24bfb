package rawdoc

import (
	"bytes"
	"encoding/json"
	"strings"

	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/webtext"
)

// Pieces are the objects of an official API's answer, streamed or whole.
type Pieces struct {
	Objects []loosejson.Object
	Alone   bool // the document is a single object
	Done    bool // the document is a stream and contains the mark of its end
}

// doneMark is the last event of some APIs' streams.
const doneMark = "[DONE]"

// ReadPieces passes the objects of a document to read. The document is an event stream, JSON lines,
// a list, or a single object. A truncated object is left out. The error comes from read, or is an
// *upstream.Failure with the reason unreadable.
func ReadPieces(document []byte, read func(Pieces) error) error {
	if IsStream(document) {
		return ReadEvents(document, func(events []Event) error {
			var p Pieces
			for _, event := range events {
				p.Done = p.Done || strings.TrimSpace(event.Data) == doneMark
				if o := event.object(); o != nil {
					p.Objects = append(p.Objects, o)
				}
			}
			return read(p)
		})
	}
	return ReadJSON(document, func() error { return read(piecesOf(document)) })
}

// object returns the event's data if it is an object, or nil. The name of the event becomes the
// object's type unless the object has one.
func (e Event) object() loosejson.Object {
	value, _ := loosejson.Decode(webtext.ValidText(e.Data))
	o := loosejson.AsObject(value)
	if o != nil && o["type"] == nil && e.Type != "" {
		o["type"] = e.Type
	}
	return o
}

func piecesOf(document []byte) Pieces {
	var p Pieces
	dec := decoderOf(document)
	isList := bytes.HasPrefix(document, []byte("["))
	if isList {
		_, _ = dec.Token() // the bracket
	}
	for dec.More() && len(p.Objects) < maxEvents {
		var value any
		if dec.Decode(&value) != nil {
			return p
		}
		if o := loosejson.AsObject(value); o != nil {
			p.Objects = append(p.Objects, o)
		}
	}
	p.Alone = len(p.Objects) == 1 && !isList
	return p
}

func decoderOf(document []byte) *json.Decoder {
	dec := json.NewDecoder(strings.NewReader(webtext.ValidText(string(document))))
	dec.UseNumber()
	return dec
}

// FirstPiece returns the first object of a document as read by ReadPieces, or nil. Callers
// recognise the kind of the document by it.
func FirstPiece(document []byte) loosejson.Object {
	if !IsStream(document) {
		return firstObject(bytes.TrimLeft(document, "[ \t\r\n"))
	}
	name := ""
	for line := range bytes.Lines(document) {
		if event, ok := bytes.CutPrefix(line, []byte("event:")); ok {
			name = strings.TrimSpace(string(event))
		}
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			return Event{Type: name, Data: string(data)}.object()
		}
	}
	return nil
}

func firstObject(document []byte) (first loosejson.Object) {
	if !bytes.HasPrefix(document, []byte("{")) {
		return nil
	}
	_ = ReadJSON(document, func() error {
		var value any
		if decoderOf(document).Decode(&value) == nil {
			first = loosejson.AsObject(value)
		}
		return nil
	})
	return first
}
