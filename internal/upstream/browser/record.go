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

// recorder records the bodies of responses while the page runs: of the streams that a
// step takes, and of a main document with an error status.
type recorder struct {
	paths       []string // suffixes of the paths of streams
	limit       int
	frame       string      // the page's main frame
	fail        func(error) // ends the visit
	streamEnded chan struct{}

	mu        sync.Mutex
	open      map[resource]*response
	streams   []*response // complete streams, in the order in which they ended
	size      int         // total size of all bodies
	active    int         // number of streams that have started and are not complete
	started   bool        // a stream has started
	page      Document    // the main document without its body
	pageKey   resource    // the request of the main document
	errorPage *Document   // the main document, if it is complete and has an error status
	redirect  *Document   // the address outside of the site that the page leads to

	waiting map[resource]struct{} // requests that have not ended
}

// resource identifies a request. The id of a request is unique in its session.
type resource struct {
	session target.SessionID
	request network.RequestID
}

// response is a response whose body is being recorded.
type response struct {
	doc       Document
	main      bool
	path      string
	requested bool // Chromium was asked to stream the content and has not answered yet
	hasBody   bool // doc.Body is or will be complete once the response is loaded
	loaded    bool
	broken    bool // the response ended with an error
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
		// A page cancels a response after it has read enough. That is not an error.
		r.end(resource{s.id, e.RequestID}, !e.Canceled)
	}
}

// maxWaiting is the maximum number of requests to track.
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

// leave ends the visit with the first address outside of the site.
func (r *recorder) leave(address string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.redirect == nil {
		r.redirect = &Document{URL: address, Status: http.StatusFound}
	}
	r.fail(errEnded)
}

// ending returns the document that ended the visit before its last step: an error page,
// or the address of a redirect. It returns nil if there is no such document.
func (r *recorder) ending() *Document {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.redirect != nil {
		return r.redirect
	}
	return r.errorPage
}

// begin starts to record a response if it is a stream or an error page.
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

// answered adds the content that Chromium had received before it was asked to stream.
// Streaming fails if the response has already ended; then settle requests the body.
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

// add appends a piece of a body. The data is empty, and only its length known, until
// Chromium streams the response. The limit applies to all bodies together, since a page
// can open any number of streams.
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
		r.fail(fmt.Errorf("%w: the main document is incomplete", ErrNavigation))
	}
}

// settle completes a loaded response. If its body is missing, it requests the body first.
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
		if !res.doc.Partial || res.broken { // an empty stream may precede the real one
			r.streams = append(r.streams, res)
		}
		select {
		case r.streamEnded <- struct{}{}:
		default:
		}
	}
}

// stream returns the first complete stream whose path ends in path, or nil.
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

// streaming reports whether a stream has started, and whether one is still active.
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

// undecoded repairs a text that Chromium decoded as Windows-1252, as it does if the
// response names no charset. It returns the original bytes if they are valid UTF-8, and
// the text unchanged otherwise.
func undecoded(text []byte) []byte {
	raw := make([]byte, 0, len(text))
	for _, r := range string(text) {
		b, ok := charmap.Windows1252.EncodeRune(r)
		if !ok && r >= 0x80 && r < 0xa0 {
			b, ok = byte(r), true // one of the five bytes without a character in Windows-1252
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

// contentType returns the Content-Type header, or Chromium's guess if it is missing.
func contentType(response *network.Response) string {
	for name, value := range response.Headers {
		if strings.EqualFold(name, "Content-Type") {
			text, _ := value.(string)
			return cmp.Or(text, response.MimeType)
		}
	}
	return response.MimeType
}
