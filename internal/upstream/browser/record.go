package browser

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/target"
	"golang.org/x/text/encoding/charmap"
)

// recorder records the bodies of responses while the page runs: streams that a step
// takes, and a main document with an error status.
type recorder struct {
	paths       []string // suffixes of the paths of streams
	limit       int
	frame       string      // the page's main frame
	fail        func(error) // ends the visit
	streamEnded chan struct{}

	mu        sync.Mutex
	open      map[resource]*response
	streams   []*response // complete, in the order of their ends
	size      int         // of all bodies
	active    int         // streams that have begun and are not complete
	started   bool        // a stream has begun
	page      Document    // the main document without its body
	pageKey   resource    // its request
	errorPage *Document   // the main document, when it is complete and has an error status
	redirect  *Document   // where the page leads outside of its site, if that is what is taken

	waiting map[resource]struct{} // requests without an end
}

// resource names a request: its id is unique in a session.
type resource struct {
	session target.SessionID
	request network.RequestID
}

// response is a response whose body is being recorded.
type response struct {
	doc       Document
	main      bool
	path      string
	requested bool // Chromium was asked for its content and has not answered
	hasBody   bool // the answer and the events together have all of the content
	loaded    bool
	broken    bool // it ended with an error
	session   session
	id        network.RequestID
}

func newRecorder(steps []Step, frame string, limit int, fail func(error)) *recorder {
	r := &recorder{
		limit: limit, frame: frame, fail: fail,
		streamEnded: make(chan struct{}, 1), open: map[resource]*response{}, waiting: map[resource]struct{}{},
	}
	for _, step := range steps {
		if step.Verb == VerbTakeStream {
			r.paths = append(r.paths, step.At)
		}
	}
	return r
}

// handle handles the events of the network. It runs on the reading goroutine.
func (r *recorder) handle(s session, msg *message) {
	if e, ok := event(msg, network.RequestWillBeSent); ok {
		r.await(resource{s.id, e.RequestID})
	} else if e, ok := event(msg, network.ResponseReceived); ok && e.Response != nil {
		r.begin(s, e)
	} else if e, ok := event(msg, network.DataReceived); ok {
		r.add(resource{s.id, e.RequestID}, e.Data, int(e.DataLength))
	} else if e, ok := event(msg, network.LoadingFinished); ok {
		r.end(resource{s.id, e.RequestID}, false)
	} else if e, ok := event(msg, network.LoadingFailed); ok {
		// A page that has read enough cancels; what came until then counts.
		r.end(resource{s.id, e.RequestID}, !e.Canceled)
	}
}

// maxWaiting is how many requests are kept account of. A page that has more is busy.
const maxWaiting = 10_000

func (r *recorder) await(key resource) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waiting) < maxWaiting {
		r.waiting[key] = struct{}{}
	}
}

// idle reports whether the page waits for nothing from the network.
func (r *recorder) idle() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.waiting) == 0
}

// leave ends the visit with an address that the page leads to.
func (r *recorder) leave(address string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.redirect == nil {
		r.redirect = &Document{URL: address, Status: http.StatusFound}
	}
	r.fail(errEnded)
}

// ending returns the document that ended the visit before its steps did: an error page,
// or where the page leads.
func (r *recorder) ending() *Document {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.redirect != nil {
		return r.redirect
	}
	return r.errorPage
}

// begin starts to record a response, if it is a stream or an error page.
func (r *recorder) begin(s session, e network.EventResponseReceived) {
	res := &response{session: s, id: e.RequestID, requested: true}
	res.doc = Document{
		URL: e.Response.URL, Status: int(e.Response.Status),
		ContentType: contentType(e.Response), Streamed: true,
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch e.Type {
	case network.ResourceTypePreflight:
		return
	case network.ResourceTypeDocument:
		if string(e.FrameID) != r.frame {
			return
		}
		r.page, r.pageKey = res.doc, resource{s.id, e.RequestID}
		res.main, res.doc.Streamed = true, false
		if res.doc.Status < 400 {
			return
		}
	default:
		u, err := url.Parse(e.Response.URL)
		if err != nil || !slices.ContainsFunc(r.paths, func(p string) bool { return strings.HasSuffix(u.Path, p) }) {
			return
		}
		res.path = u.Path
		r.started = true
		r.active++
	}
	r.open[resource{s.id, e.RequestID}] = res
	post(s, network.StreamResourceContent, network.StreamResourceContentParams{RequestID: e.RequestID},
		func(content network.StreamResourceContentResult, err error) {
			r.answered(res, content.BufferedData, err)
		})
}

// answered takes the content from before Chromium was asked to stream it. If that
// failed, since the response had already ended, settle requests the complete body.
func (r *recorder) answered(res *response, data []byte, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	res.requested = false
	if err == nil {
		res.hasBody = true
		res.doc.Body = append(res.doc.Body, data...)
	}
	r.settle(res)
}

// add takes a piece of a body, or only its length if Chromium was not yet asked to
// stream it. The limit is for all bodies together, since a page can open any number
// of streams.
func (r *recorder) add(key resource, data []byte, length int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	res, ok := r.open[key]
	if !ok {
		return
	}
	if r.size += length; r.size > r.limit {
		r.fail(ErrTooLarge)
		return
	}
	res.doc.Body = append(res.doc.Body, data...)
}

func (r *recorder) end(key resource, broken bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.waiting, key)
	if res, ok := r.open[key]; ok {
		delete(r.open, key)
		res.loaded, res.broken = true, broken
		r.settle(res)
	} else if broken && key == r.pageKey {
		r.fail(fmt.Errorf("%w: it broke off", ErrNavigation))
	}
}

// settle completes a response that has been loaded, after requesting a missing body.
func (r *recorder) settle(res *response) {
	switch {
	case !res.loaded || res.requested:
	case res.hasBody:
		r.complete(res)
	default:
		res.hasBody = true
		post(res.session, network.GetResponseBody, network.GetResponseBodyParams{RequestID: res.id},
			func(content network.GetResponseBodyResult, _ error) {
				r.mu.Lock()
				defer r.mu.Unlock()
				res.doc.Body = content.Body
				if !content.Base64encoded {
					res.doc.Body = undecoded(content.Body)
				}
				r.complete(res)
			})
	}
}

func (r *recorder) complete(res *response) {
	switch {
	case res.main:
		r.errorPage = &res.doc
		r.fail(errEnded)
	default:
		r.active--
		res.doc.Partial = len(res.doc.Body) == 0 && res.doc.Status < 400
		if !res.doc.Partial || res.broken { // an empty one may come before the real one
			r.streams = append(r.streams, res)
		}
		select {
		case r.streamEnded <- struct{}{}:
		default:
		}
	}
}

// stream returns the first complete stream whose path ends in path, nil if
// there is none yet.
func (r *recorder) stream(path string) *Document {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, res := range r.streams {
		if strings.HasSuffix(res.path, path) {
			return &res.doc
		}
	}
	return nil
}

// streaming reports whether a stream has begun, and whether one is still active.
func (r *recorder) streaming() (started, active bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.started, r.active > 0
}

// mainDocument returns the page's main document without its body.
func (r *recorder) mainDocument() Document {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.page
}

// undecoded returns the bytes of a text that Chromium decoded: where a response
// names no charset it takes UTF-8 for Windows-1252.
func undecoded(text []byte) []byte {
	raw := make([]byte, 0, len(text))
	for _, r := range string(text) {
		b, ok := charmap.Windows1252.EncodeRune(r)
		if !ok && r >= 0x80 && r < 0xa0 {
			b, ok = byte(r), true // one of the five that it has no character for
		}
		if !ok {
			return text
		}
		raw = append(raw, b)
	}
	if !utf8.Valid(raw) {
		return text
	}
	return raw
}

// contentType returns the Content-Type header, or Chromium's guess where there is
// none.
func contentType(response *network.Response) string {
	for name, value := range response.Headers {
		if strings.EqualFold(name, "Content-Type") {
			text, _ := value.(string)
			return cmp.Or(text, response.MimeType)
		}
	}
	return response.MimeType
}
