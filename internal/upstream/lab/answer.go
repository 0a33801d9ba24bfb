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

// maxQuestion is the maximum size of a request's body. A prompt of 10,000 characters is
// at most 120 KB of JSON.
const maxQuestion = 1 << 20

// Request is a request to a site, with its question and steering words.
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
		return errors.New("read question: the body has data after the JSON document")
	}
	return nil
}

// Compose returns the answer of compose, or an empty answer if the prompt asks for that.
func (r *Request) Compose(compose func(world.Question) *world.Answer) *world.Answer {
	if r.Steering.Empty {
		return &world.Answer{Language: r.Question.Language}
	}
	return compose(r.Question)
}

// Answer returns a handler that answers questions. It calls read to get the question from
// a request; Question already has its place and language. Then it removes the steering
// words from the prompt and applies them. Last, it calls write for the answer.
func Answer(read func(*Request) error, write func(*Request) (Document, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		request.Body = http.MaxBytesReader(w, request.Body, maxQuestion)
		r := &Request{Request: request, Question: Locate(request)}
		err := read(r)
		if err == nil {
			_, err = io.Copy(io.Discard, r.Body) // net/http notices that a client has left only after that
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

// accountHeader names the account that a request belongs to, for Work.
const accountHeader = "Lab-Account"

// composed composes an answer when it is the turn of its account. Composing uses the
// node's CPU like other work. Without turns, thousands of answers could be half composed
// at the same time.
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

// Page returns a handler for an assistant that takes the prompt from the parameter q and
// shows its answer on a page. Each assistant gives different answers.
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

// Stream returns a handler for an assistant that takes the prompt from a field of a JSON
// body and answers with a stream. write returns the pieces of the stream.
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
		document(contentType, write))
}

// Chat returns a handler for an API that takes the prompt as the only message of a JSON body.
// write returns the pieces of the answer.
func Chat(assistant, contentType string, write func(prompt string, answer *world.Answer) [][]byte) http.Handler {
	return Answer(
		func(r *Request) error {
			var body struct {
				Messages []struct{ Content string }
			}
			if err := r.JSON(&body); err != nil {
				return err
			}
			if len(body.Messages) != 1 {
				return errors.New("read question: the body must have one message")
			}
			r.ask(assistant, body.Messages[0].Content)
			return nil
		},
		document(contentType, write))
}

// document returns a function that answers with the pieces that write returns.
func document(contentType string, write func(prompt string, answer *world.Answer) [][]byte) func(*Request) (Document, error) {
	return func(r *Request) (Document, error) {
		return Document{contentType, write(r.Question.Prompt, r.Compose(world.Compose))}, nil
	}
}

// ask sets the question, for an assistant that always searches.
func (r *Request) ask(assistant, prompt string) {
	r.Question.Assistant, r.Question.Prompt, r.Question.Search = assistant, prompt, true
}

// Object is a JSON object.
type Object = map[string]any

// Objects calls describe for each item of a list and returns the results.
func Objects[T any](list []T, describe func(T) Object) []Object {
	objects := make([]Object, len(list))
	for i, item := range list {
		objects[i] = describe(item)
	}
	return objects
}

// JSON encodes a value that consists of objects, lists, texts and finite numbers. That
// cannot fail.
func JSON(value any) []byte {
	data, _ := json.Marshal(value)
	return data
}

// Locate returns a question with the place and language of a request. Real sites derive
// the place from the IP address; the lab uses its own headers. A browser does not send
// them, so its place is the region of its language.
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

// attempt returns the number of the job's attempt that sent the request, counted from 1.
func attempt(r *http.Request) int {
	n, err := strconv.Atoi(r.Header.Get("Lab-Attempt"))
	if err != nil {
		return 1
	}
	return n
}
