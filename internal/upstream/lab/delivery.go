package lab

import (
	"net/http"
	"slices"
	"time"
)

// Document is the answer of a site.
type Document struct {
	Type   string   // value of Content-Type
	Pieces [][]byte // sent with pauses if Steering.Drip is set
}

// Types of documents.
const (
	// TypeHTML is a page.
	TypeHTML = "text/html; charset=utf-8"
	// TypeEvents is a stream of server-sent events.
	TypeEvents = "text/event-stream; charset=utf-8"
	// TypeLines is a stream in which each line is JSON.
	TypeLines = "application/x-ndjson; charset=utf-8"
	// TypeJSON is JSON, in one piece or in chunks.
	TypeJSON = "application/json; charset=utf-8"
)

// pagePiece is the size of the pieces of a page in bytes.
const pagePiece = 1 << 10

// HTML returns a page as a document.
func HTML(page []byte) Document {
	return Document{TypeHTML, slices.Collect(slices.Chunk(page, pagePiece))}
}

// ServeHTTP sends the document. It ignores steering words.
func (d Document) ServeHTTP(w http.ResponseWriter, r *http.Request) { d.send(w, r, Steering{}) }

// maxHuge is the size of a huge answer in bytes. It is finite, so that a client without a
// limit does not keep the lab busy forever.
const maxHuge = 64 << 20

// withheld handles the steering words that replace the answer. It reports whether the
// request is done.
func withheld(w http.ResponseWriter, r *http.Request, s Steering) bool {
	if !wait(r, s.Delay) {
		return true
	}
	switch {
	case attempt(r) <= s.Fail:
		http.Error(w, "the lab fails as it was told", http.StatusInternalServerError)
	case s.Status != 0:
		http.Error(w, "the lab answers as it was told", s.Status)
	case s.Hang:
		<-r.Context().Done()
	case s.Block:
		Document{TypeHTML, [][]byte{[]byte(challenge)}}.send(w, r, Steering{Drip: s.Drip})
	default:
		return false
	}
	return true
}

// send sends the document as the steering words ask.
func (d Document) send(w http.ResponseWriter, r *http.Request, s Steering) {
	w.Header().Set("Content-Type", d.Type)
	w.Header().Set("Cache-Control", "no-store")
	if s.Spin {
		w.Header().Set("Lab-Spin", "1") // only the script of an app page reads it
	}
	pieces := d.Pieces
	if s.Cut {
		pieces = pieces[:len(pieces)/2]
	}
	for i, piece := range pieces {
		if i > 0 && !wait(r, s.Drip) {
			return
		}
		if _, err := w.Write(piece); err != nil {
			return // the client has left
		}
		if s.Drip > 0 || s.Cut {
			_ = http.NewResponseController(w).Flush() // the next write fails if the client has left
		}
	}
	if s.Cut {
		panic(http.ErrAbortHandler) // drops the connection without the end of the body
	}
	if s.Huge {
		flood(w, d.Pieces[len(d.Pieces)/2])
	}
}

// flood sends a piece again and again until the client leaves or maxHuge is reached.
func flood(w http.ResponseWriter, piece []byte) {
	for sent := 0; sent < maxHuge; sent += len(piece) {
		if _, err := w.Write(piece); err != nil {
			return
		}
	}
}

// wait pauses. It returns false if the client leaves in the meantime.
func wait(r *http.Request, pause time.Duration) bool {
	if pause <= 0 {
		return true
	}
	select {
	case <-time.After(pause):
		return true
	case <-r.Context().Done():
		return false
	}
}

// challenge is the page that imitates a bot check.
const challenge = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>One moment…</title>
<meta name="robots" content="noindex,nofollow">
</head>
<body>
<main>
<h1>Are you a person?</h1>
<p>The lab wants to be sure before it goes on.</p>
<form id="challenge-form" action="/challenge/verify" method="post">
<input type="hidden" name="token" value="lab">
<div id="captcha" class="captcha-widget" data-sitekey="lab"></div>
<noscript>Scripts are needed to go on.</noscript>
</form>
</main>
</body>
</html>
`

// nonsense is sent instead of a document if Steering.Garbage is set.
const nonsense = "\x7f\x01~~ %%zq{{{ ]] <<>> 0xLAB </b></i> &&& \x02 nothing in here makes sense \x03\n"
