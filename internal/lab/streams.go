package lab

import (
	"io"
	"net/http"

	"earshot/internal/lab/chatsite"
	"earshot/internal/lab/world"
)

// typeLines is the type of a document of which each line is JSON.
const typeLines = "application/x-ndjson; charset=utf-8"

// maxQuestion is how much of a request is read: a prompt of 10,000 characters is
// at most 120 KB of JSON.
const maxQuestion = 1 << 20

// streamSite is a site that is asked by a POST and answers with a stream.
type streamSite struct {
	host        string
	contentType string
	// prompt takes the prompt out of the body of a request.
	prompt func(body io.Reader) (string, error)
	// stream writes the answer in the pieces in which it is sent.
	stream func(prompt string, answer *world.Answer) ([][]byte, error)
}

// ServeHTTP answers as the site, the way that the words in the prompt ask for.
func (s streamSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := http.MaxBytesReader(w, r.Body, maxQuestion)
	asked, err := s.prompt(body)
	if err == nil {
		_, err = io.Copy(io.Discard, body) // net/http needs it in order to notice that a client has left
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	steering, prompt := Steer(asked)
	if withheld(w, r, steering, attempt(r)) {
		return
	}
	if steering.Garbage {
		send(w, r, document{s.contentType, [][]byte{[]byte(chatsite.Nonsense)}}, steering)
		return
	}
	question := locate(r)
	question.Prompt, question.Search, question.Assistant = prompt, true, s.host
	answer := &world.Answer{Language: question.Language}
	if !steering.Empty {
		answer = world.Compose(question)
	}
	pieces, err := s.stream(prompt, answer)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	send(w, r, document{s.contentType, pieces}, steering)
}
