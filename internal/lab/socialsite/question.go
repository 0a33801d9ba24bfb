package socialsite

import (
	"encoding/json"
	"fmt"
	"io"
)

// Host is the site's name.
const Host = "social.lab.test"

// Path is where it answers a POST.
const Path = "/rest/app-chat/conversations/new"

// Prompt takes the prompt, with its steering words, out of the body of a
// request.
func Prompt(body io.Reader) (string, error) {
	var asked struct {
		Message string `json:"message"`
	}
	if err := json.NewDecoder(body).Decode(&asked); err != nil {
		return "", fmt.Errorf("read question: %w", err)
	}
	return asked.Message, nil
}
