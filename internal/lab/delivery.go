package lab

import (
	"net/http"
	"time"

	"earshot/internal/lab/chatsite"
)

// document is what a site answers, in the pieces that it is sent in when it is
// sent slowly.
type document struct {
	contentType string
	pieces      [][]byte
}

const (
	typeHTML   = "text/html; charset=utf-8"
	typeStream = "text/event-stream; charset=utf-8"
)

// maxHuge is where a huge answer ends all the same, so that a client without a
// limit of its own does not keep the lab busy for ever.
const maxHuge = 64 << 20

// withheld does what the words ask for in the place of an answer, and tells
// whether it did. attempt counts from 1.
func withheld(w http.ResponseWriter, r *http.Request, s Steering, attempt int) bool {
	if !wait(r, s.Delay) {
		return true
	}
	switch {
	case attempt <= s.Fail:
		http.Error(w, "the lab fails as it was told", http.StatusInternalServerError)
	case s.Status != 0:
		http.Error(w, "the lab answers as it was told", s.Status)
	case s.Hang:
		<-r.Context().Done()
	case s.Block:
		send(w, r, document{typeHTML, [][]byte{[]byte(chatsite.Challenge)}}, Steering{Drip: s.Drip})
	default:
		return false
	}
	return true
}

// send writes the document as the words ask.
func send(w http.ResponseWriter, r *http.Request, doc document, s Steering) {
	w.Header().Set("Content-Type", doc.contentType)
	w.Header().Set("Cache-Control", "no-store")
	if s.Spin {
		w.Header().Set("Lab-Spin", "1") // for the script of an app page; nobody else looks at it
	}
	pieces := doc.pieces
	if s.Cut {
		pieces = pieces[:len(pieces)/2]
	}
	for i, piece := range pieces {
		if i > 0 && !wait(r, s.Drip) {
			return
		}
		if _, err := w.Write(piece); err != nil {
			return // the client is gone
		}
		if s.Drip > 0 || s.Cut {
			_ = http.NewResponseController(w).Flush() // a client that is gone shows in the next write
		}
	}
	if s.Cut {
		panic(http.ErrAbortHandler) // drops the connection without the end of the body
	}
	if s.Huge {
		flood(w, doc.pieces[len(doc.pieces)/2])
	}
}

// flood repeats a piece until the client leaves or maxHuge is reached.
func flood(w http.ResponseWriter, piece []byte) {
	for sent := 0; sent < maxHuge; sent += len(piece) {
		if _, err := w.Write(piece); err != nil {
			return
		}
	}
}

// wait pauses, and tells whether the client is still there.
func wait(r *http.Request, pause time.Duration) bool {
	if pause <= 0 {
		return true
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	}
}
