package rawdoc

import (
	"bytes"
	"encoding/json"
	"strings"

	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/webtext"
)

// Pieces are the objects of an answer of an official API, whole or as it was
// streamed.
type Pieces struct {
	Objects []loosejson.Object
	Alone   bool // it is one object, and nothing else is in the document
	Done    bool // a stream that says where it ends
}

// doneMark ends the streams of some APIs.
const doneMark = "[DONE]"

// ReadPieces hands the objects of a document to read: of an event stream, of JSON
// lines, of a list, or a single one. What breaks off is left out. The error is
// read's own, or an *upstream.Failure that calls the document unreadable.
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

// object is the event's data, with the event's name as type where the data have
// none; nil where they are no object.
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

// FirstPiece is the first object of such a document, by which it is recognised;
// nil where it does not begin with one.
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
