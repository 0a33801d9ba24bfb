package lab

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"earshot/internal/geo"
	"earshot/internal/upstream/lab/world"
)

// maxQuestion is how much of a request's body is read: a prompt of 10,000
// characters is at most 120 KB of JSON.
const maxQuestion = 1 << 20

// Request is a request to a site, and what it asks.
type Request struct {
	*http.Request

	Question world.Question
	Steering Steering
}

// JSON decodes the body, which must be one JSON document.
func (r *Request) JSON(to any) error {
	decoder := json.NewDecoder(r.Body)
	if err := decoder.Decode(to); err != nil {
		return fmt.Errorf("read question: %w", err)
	}
	if _, err := decoder.Token(); err == nil {
		return errors.New("read question: more follows the document")
	}
	return nil
}

// Compose composes the answer, which is empty if the prompt steers so.
func (r *Request) Compose(compose func(world.Question) *world.Answer) *world.Answer {
	if r.Steering.Empty {
		return &world.Answer{Language: r.Question.Language}
	}
	return compose(r.Question)
}

// Answer answers questions. read takes the question out of a request, which has
// its place and language already; write writes the answer to it. The steering
// words are dropped from the prompt in between, and done.
func Answer(read func(*Request) error, write func(*Request) (Document, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		request.Body = http.MaxBytesReader(w, request.Body, maxQuestion)
		r := &Request{Request: request, Question: Locate(request)}
		err := read(r)
		if err == nil {
			_, err = io.Copy(io.Discard, r.Body) // net/http needs it in order to notice that a client has left
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		r.Steering, r.Question.Prompt = Steer(r.Question.Prompt)
		if r.Question.Sample = sample(request, r.Steering); r.Question.Sample != nil && r.Question.Assistant == "" {
			r.Question.Assistant = strings.TrimPrefix(r.Host, "www.")
		}
		if withheld(w, request, r.Steering) {
			return
		}
		document, err := composed(r, write)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		if r.Steering.Garbage {
			document.Pieces = [][]byte{[]byte(nonsense)}
		}
		document.send(w, request, r.Steering)
	})
}

// accountHeader names for whom a request is, where the lab's work is shared out.
const accountHeader = "Lab-Account"

// composed composes an answer when it is its account's turn. That is work of the node as any
// other: without turns, calls would begin while those before them wait for their answers
// to be composed, and of thousands that come due at once each would hold half a page.
func composed(r *Request, write func(*Request) (Document, error)) (Document, error) {
	server, _ := r.Context().Value(serverKey{}).(*Server)
	if account := r.Header.Get(accountHeader); account != "" && server != nil && server.work != nil {
		done, err := server.work(r.Context(), account)
		if err != nil {
			return Document{}, err // the client has left
		}
		defer done()
	}
	return write(r)
}

// Page answers as an assistant that is asked by the q of its address and shows
// its answer on a page. Each assistant has views of its own.
func Page(assistant string, write func(prompt string, answer *world.Answer) ([]byte, error)) http.Handler {
	return Answer(
		func(r *Request) error {
			r.ask(assistant, r.URL.Query().Get("q"))
			return nil
		},
		func(r *Request) (Document, error) {
			page, err := write(r.Question.Prompt, r.Compose(world.Compose))
			return HTML(page), err
		})
}

// Stream answers as an assistant that is asked by a POST with the prompt in a
// field of its JSON, and answers with a stream. write gives the pieces in which
// that is sent.
func Stream(assistant, contentType, field string, write func(prompt string, answer *world.Answer) [][]byte) http.Handler {
	return Answer(
		func(r *Request) error {
			var fields map[string]json.RawMessage
			if err := r.JSON(&fields); err != nil {
				return err
			}
			var prompt string
			if text, found := fields[field]; found {
				if err := json.Unmarshal(text, &prompt); err != nil {
					return fmt.Errorf("read question: %w", err)
				}
			}
			r.ask(assistant, prompt)
			return nil
		},
		func(r *Request) (Document, error) {
			return Document{contentType, write(r.Question.Prompt, r.Compose(world.Compose))}, nil
		})
}

// ask asks an assistant that always searches.
func (r *Request) ask(assistant, prompt string) {
	r.Question.Assistant, r.Question.Prompt, r.Question.Search = assistant, prompt, true
}

// Object is a JSON object.
type Object = map[string]any

// Objects describes each item of a list.
func Objects[T any](list []T, describe func(T) Object) []Object {
	objects := make([]Object, len(list))
	for i, item := range list {
		objects[i] = describe(item)
	}
	return objects
}

// JSON encodes what is made of objects, lists, texts and finite numbers, which
// cannot fail.
func JSON(value any) []byte {
	data, _ := json.Marshal(value)
	return data
}

// Locate tells where a request comes from, which real sites know by its address.
// A browser does not tell the lab; then it is where its language is spoken.
func Locate(r *http.Request) world.Question {
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

// attempt is which attempt of a job a request is, counting from 1.
func attempt(r *http.Request) int {
	n, err := strconv.Atoi(r.Header.Get("Lab-Attempt"))
	if err != nil {
		return 1
	}
	return n
}
