package genassistant

import (
	"bytes"
	"encoding/json"
	"strings"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/answer"
	"earshot/internal/upstream"
)

// The official API and the site of the links that it gives for its sources.
const (
	apiSite      = "gemini"
	redirectSite = "gemini-redirects"
)

// api is how the official API is reached.
var api = provider.API{
	Name:      apiSite,
	URL:       "https://generativelanguage.googleapis.com/v1beta",
	Model:     "gemini-2.5-flash",
	KeyHeader: "x-goog-api-key",
	Redirects: "https://vertexaisearch.cloud.google.com",
}

// apiFields are those by which an object of the API's is known.
var apiFields = []string{"candidates", "promptFeedback", "usageMetadata", "interaction", "event_type"}

// recognisesAPI tells whether the document is an answer of the API, by the first
// object in it.
func recognisesAPI(document []byte) bool {
	var first map[string]json.RawMessage
	if json.NewDecoder(bytes.NewReader(firstObject(answer.Trimmed(document)))).Decode(&first) != nil {
		return false
	}
	for _, field := range apiFields {
		if _, ok := first[field]; ok {
			return true
		}
	}
	return bytes.HasPrefix(first["error"], []byte("{")) || string(first["object"]) == `"interaction"`
}

// firstObject is the document from its first object on, nil where there is none.
func firstObject(document []byte) []byte {
	if answer.IsStream(document) {
		for line := range bytes.Lines(document) {
			if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
				return data
			}
		}
		return nil
	}
	document = bytes.TrimLeft(document, "[ \t\r\n")
	if !bytes.HasPrefix(document, []byte("{")) {
		return nil
	}
	return document
}

// readAPI reads an answer of the API, streamed or whole.
func readAPI(document []byte, want answer.Want) (*earshot.Answer, error) {
	document = answer.Trimmed(document)
	var g generation
	var err error
	if answer.IsStream(document) {
		err = answer.ReadEvents(document, g.takeEvents)
	} else {
		err = answer.ReadJSON(document, func() error { return g.takeJSON(document) })
	}
	if err == nil {
		err = g.check()
	}
	if err != nil {
		return nil, err
	}
	return g.answer(want), nil
}

func (g *generation) takeEvents(events []answer.Event) error {
	for _, event := range events {
		value, _ := answer.DecodeJSON(answer.ValidText(event.Data))
		if err := g.take(answer.AsObject(value)); err != nil {
			return err
		}
	}
	return nil
}

// maxObjects is how many objects of a stream are read; real ones have some
// hundred.
const maxObjects = 50_000

// takeJSON takes the objects of a JSON document: a single one, one after the
// other, or those of a list. One that was sent alone has an end even where it
// does not say so.
func (g *generation) takeJSON(document []byte) error {
	dec := json.NewDecoder(strings.NewReader(answer.ValidText(string(document))))
	dec.UseNumber()
	isList := bytes.HasPrefix(document, []byte("["))
	if isList {
		_, _ = dec.Token() // the bracket
	}
	count := 0
	for ; dec.More() && count < maxObjects; count++ {
		var value any
		if dec.Decode(&value) != nil {
			return nil //nolint:nilerr // it breaks off, which check finds
		}
		if err := g.take(answer.AsObject(value)); err != nil {
			return err
		}
	}
	g.ended = g.ended || count == 1 && !isList
	return nil
}

// take notes what an object of the answer says, whichever of the two forms it
// has.
func (g *generation) take(object answer.Object) error {
	if failed := object.Object("error"); failed != nil {
		return errorFailure(0, nil, failed)
	}
	if object["event_type"] != nil || object["interaction"] != nil || object["object"] == "interaction" {
		g.event(object)
		return nil
	}
	g.chunk(object)
	return nil
}

// These end an answer that was not allowed.
var blockedEnds = []string{"SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "IMAGE_SAFETY"}

// check says why the answer is none, if it is none.
func (g *generation) check() error {
	said := strings.TrimSpace(g.text.String()) != ""
	switch {
	case !said && g.refused != "":
		failure := upstream.Fail(earshot.ReasonBlocked, "the API refused: %s", g.refused)
		failure.Final = true
		return failure
	case g.finish == "MAX_TOKENS", g.interaction != "" && g.interaction != "completed":
		return upstream.Fail(earshot.ReasonUnavailable, "the answer ended early: %s %s", g.finish, g.interaction)
	case !g.ended:
		return upstream.Fail(earshot.ReasonUnavailable, "the answer breaks off")
	case !said && g.finish != "" && g.finish != "STOP":
		return upstream.Fail(earshot.ReasonUnavailable, "no answer: %s", g.finish)
	case !said:
		return upstream.Fail(earshot.ReasonEmpty, "the assistant said nothing")
	default:
		return nil
	}
}
