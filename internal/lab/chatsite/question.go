package chatsite

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// Host is the site's name.
const Host = "chat.lab.test"

// The paths of the two shapes.
const (
	PagePath   = "/"
	StreamPath = "/backend-api/conversation"
)

// searchHint asks for a web search, in both shapes.
const searchHint = "search"

// Question is what a request asks.
type Question struct {
	Prompt string // with its steering words
	Search bool   // whether a web search is asked for
	Stream bool   // whether the legacy interface is asked
}

// maxBody is how much of a request is read: a prompt of 10,000 characters is
// at most 120 KB of JSON.
const maxBody = 1 << 20

// ReadQuestion takes the question out of a request. It reads the body to its
// end, which net/http needs in order to notice that a client has left.
func ReadQuestion(w http.ResponseWriter, r *http.Request) (Question, error) {
	if r.Method != http.MethodPost {
		query := r.URL.Query()
		return Question{Prompt: query.Get("q"), Search: query.Get("hints") == searchHint}, nil
	}
	var body struct {
		Messages []struct {
			Content struct {
				Parts []string `json:"parts"`
			} `json:"content"`
		} `json:"messages"`
		SystemHints []string `json:"system_hints"`
	}
	dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	if err := dec.Decode(&body); err != nil {
		return Question{}, fmt.Errorf("read conversation request: %w", err)
	}
	if _, err := dec.Token(); err == nil {
		return Question{}, fmt.Errorf("read conversation request: more follows the document")
	}
	q := Question{Stream: true}
	for _, message := range body.Messages {
		for _, part := range message.Content.Parts {
			q.Prompt = part
		}
	}
	for _, hint := range body.SystemHints {
		q.Search = q.Search || hint == searchHint
	}
	return q, nil
}
