package lab

import (
	"net/http"
	"slices"

	"earshot/internal/lab/chatsite"
	"earshot/internal/lab/world"
)

// servePage answers as an assistant that is asked by the q of its address and
// shows its answer on a page.
func servePage(assistant string, write func(prompt string, answer *world.Answer) ([]byte, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		steering, prompt := Steer(r.URL.Query().Get("q"))
		if withheld(w, r, steering, attempt(r)) {
			return
		}
		question := locate(r)
		question.Prompt, question.Search, question.Assistant = prompt, true, assistant
		answer := &world.Answer{Language: question.Language}
		if !steering.Empty {
			answer = world.Compose(question)
		}
		page, err := write(prompt, answer)
		sendPage(w, r, steering, page, err)
	}
}

// sendPage sends a page that was written, as the prompt steers.
func sendPage(w http.ResponseWriter, r *http.Request, steering Steering, page []byte, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if steering.Garbage {
		page = []byte(chatsite.Nonsense)
	}
	send(w, r, document{typeHTML, slices.Collect(slices.Chunk(page, pagePiece))}, steering)
}
