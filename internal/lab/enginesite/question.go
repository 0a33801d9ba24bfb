package enginesite

import (
	"encoding/json"
	"fmt"
	"io"
)

// Host is the site's name.
const Host = "engine.lab.test"

// Path is where it answers a POST.
const Path = "/rest/sse/perplexity_ask"

// Prompt takes the prompt, with its steering words, out of the body of a
// request.
func Prompt(body io.Reader) (string, error) {
	var asked struct {
		Query string `json:"query_str"`
	}
	if err := json.NewDecoder(body).Decode(&asked); err != nil {
		return "", fmt.Errorf("read question: %w", err)
	}
	return asked.Query, nil
}
