package socialsite

import (
	"encoding/json"
	"fmt"
	"maps"

	"earshot/internal/lab/world"
)

// piece is how many characters of text one line carries. It is small and odd so
// that words and marks are torn apart, as on the real wire.
const piece = 19

// object is a JSON object.
type object = map[string]any

// Stream writes the answer to prompt, one element a line. The text comes in
// tokens first; the line with the answer as a whole is the end mark.
func Stream(prompt string, answer *world.Answer) ([][]byte, error) {
	id := world.Identity(prompt, answer)
	posts := world.Posts(answer)
	deck := newDeck(id, answer, posts)
	s := &stream{id: id}
	s.line(object{"conversation": object{"conversationId": id, "title": "", "temporary": true}})
	s.response(object{"userResponse": object{"responseId": id, "message": prompt, "sender": "human"}})
	for _, query := range answer.Queries {
		s.response(object{"isThinking": true, "messageTag": "tool_usage_card", "toolUsageCard": search(query)})
	}
	if len(answer.Sources) > 0 {
		s.response(object{"isThinking": true, "webSearchResults": object{"results": webResults(answer.Sources)}})
	}
	if len(posts) > 0 {
		s.response(object{"isThinking": true, "xSearchResults": object{"results": postResults(posts)}})
	}
	for _, token := range world.Pieces(deck.text, piece) {
		s.response(object{"token": token, "messageTag": "final"})
	}
	for _, card := range deck.cards {
		s.response(object{"cardAttachment": object{"jsonData": card}})
	}
	s.response(object{"token": "", "isSoftStop": true})
	s.response(object{"finalMetadata": object{"followUpSuggestions": suggestions(answer.Related)}})
	s.response(object{"modelResponse": modelResponse(id, answer, posts, deck)})
	if s.err == nil {
		s.err = deck.err
	}
	return s.lines, s.err
}

type stream struct {
	id    string
	lines [][]byte
	err   error // the first one
}

// line appends a line with a result.
func (s *stream) line(result object) {
	data, err := json.Marshal(object{"result": result})
	if err != nil && s.err == nil {
		s.err = fmt.Errorf("write stream: %w", err)
	}
	s.lines = append(s.lines, append(data, '\n'))
}

// response appends a line that belongs to the response.
func (s *stream) response(particular object) {
	fields := object{"responseId": s.id, "isThinking": false, "isSoftStop": false}
	maps.Copy(fields, particular)
	s.line(object{"response": fields})
}

// search is the call of a search tool.
func search(query string) object {
	return object{"toolUsageCardId": "lab", "webSearch": object{"args": object{"query": query}}}
}

func suggestions(queries []string) []object {
	list := make([]object, len(queries))
	for i, query := range queries {
		list[i] = object{"label": query, "properties": object{"messageType": "TEXT"}}
	}
	return list
}
