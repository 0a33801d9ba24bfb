package lab

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"earshot/internal/geo"
	"earshot/internal/lab/chatsite"
	"earshot/internal/lab/enginesite"
	"earshot/internal/lab/gensite"
	"earshot/internal/lab/officesite"
	"earshot/internal/lab/socialsite"
	"earshot/internal/lab/world"
)

// Handler is the lab without its listener. It tells sites apart by the Host of
// a request.
func Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+chatsite.Host+chatsite.PagePath+"{$}", orApp(chatsite.App, serveChat))
	mux.HandleFunc("POST "+chatsite.Host+chatsite.StreamPath, serveChat)
	mux.HandleFunc("GET "+gensite.Host+gensite.Path, orApp(gensite.App, servePage(gensite.Host, gensite.Page)))
	mux.HandleFunc("GET "+officesite.Host+officesite.Path, servePage(officesite.Host, officesite.Page))
	mux.HandleFunc("GET "+officesite.Host+"/{$}", orApp(officesite.App, servePage(officesite.Host, officesite.Page)))
	mux.HandleFunc("GET "+socialsite.Host+"/{$}", orApp(socialsite.App, servePage(socialsite.Host, socialsite.Page)))
	mux.HandleFunc("GET "+enginesite.Host+"/{$}", orApp(enginesite.App, servePage(enginesite.Host, enginesite.Page)))
	mux.Handle("POST "+socialsite.Host+socialsite.Path, streamSite{socialsite.Host, typeLines, socialsite.Prompt, socialsite.Stream})
	mux.Handle("POST "+enginesite.Host+enginesite.Path, streamSite{enginesite.Host, typeStream, enginesite.Prompt, enginesite.Stream})
	mountSearch(mux)
	return mux
}

// serveChat answers as the chat assistant, in the shape that was asked for
// unless the prompt steers otherwise.
func serveChat(w http.ResponseWriter, r *http.Request) {
	asked, err := chatsite.ReadQuestion(w, r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	steering, prompt := Steer(asked.Prompt)
	if withheld(w, r, steering, attempt(r)) {
		return
	}
	question := locate(r)
	question.Prompt, question.Search = prompt, asked.Search
	stream := asked.Stream
	if steering.Shape != "" {
		stream = steering.Shape == shapeLegacy
	}
	doc, err := chatDocument(question, steering, stream)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	send(w, r, doc, steering)
}

// chatDocument composes the answer and writes it in one of the two shapes.
func chatDocument(q world.Question, s Steering, stream bool) (document, error) {
	answer := &world.Answer{Language: q.Language}
	if !s.Empty {
		answer = world.Compose(q)
	}
	switch {
	case stream && s.Garbage:
		return document{typeStream, [][]byte{[]byte(chatsite.Nonsense)}}, nil
	case s.Garbage:
		return document{typeHTML, [][]byte{[]byte(chatsite.Nonsense)}}, nil
	case stream:
		events, err := chatsite.Stream(q.Prompt, answer)
		return document{typeStream, events}, err
	default:
		page, err := chatsite.Page(q.Prompt, answer)
		return document{typeHTML, slices.Collect(slices.Chunk(page, pagePiece))}, err
	}
}

// pagePiece is how much of a page is sent at once when it is sent slowly.
const pagePiece = 1 << 10

// locate tells where a request comes from, which on the real sites its address
// tells. A browser does not say; then it is where its language is spoken.
func locate(r *http.Request) world.Question {
	first, _, _ := strings.Cut(r.Header.Get("Accept-Language"), ",")
	first, _, _ = strings.Cut(first, ";")
	language, regions, _ := strings.Cut(strings.TrimSpace(first), "-")
	country := r.Header.Get("Lab-Country")
	if !geo.IsCountry(country) {
		country = "US"
		for region := range strings.SplitSeq(strings.ToUpper(regions), "-") {
			if geo.IsCountry(region) {
				country = region
			}
		}
	}
	return world.Question{
		Country:  country,
		State:    r.Header.Get("Lab-State"),
		Language: strings.ToLower(language),
	}
}

// attempt is which try of a job a request is, counting from 1.
func attempt(r *http.Request) int {
	n, err := strconv.Atoi(r.Header.Get("Lab-Attempt"))
	if err != nil {
		return 1
	}
	return n
}
