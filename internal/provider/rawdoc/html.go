// Package rawdoc reads documents as they were served, within limits of size, time
// and depth, since any of them may be made to break a parser.
//
//	html.go    pages, and how many documents are read at a time
//	events.go  event streams
//	pieces.go  the objects of an official API's answer, streamed or whole
//	raw.go     the document itself, for the client and for captures
package rawdoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"
	"unicode/utf8"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"earshot"
	"earshot/internal/upstream"
)

// Limits on a document. The HTML parser can be driven to many seconds and
// hundreds of megabytes by a crafted page of a few; real pages stay far below
// each of these.
const (
	maxPage      = 8 << 20 // bytes
	maxJSON      = 3 << 20 // bytes of a stream or of JSON, which costs more than HTML
	maxTags      = 60_000  // a node costs a hundred times what its tag takes
	readerPiece  = 4 << 10 // bytes between two looks at the clock
	tagCharacter = '<'
)

// pieceTime is what each piece adds to parseTime: on a busy machine a large page
// takes long, and it is tags that make a crafted one slow, not bytes.
const pieceTime = time.Millisecond

// parsing lets one document a core be in memory as a tree. More would not be
// faster, would share the clock that parseTime is measured by, and would let
// many hostile documents at once add up.
var parsing = make(chan struct{}, runtime.GOMAXPROCS(0))

// ReadHTML parses the document and hands it to read, which must not keep it.
// The error is read's own, or an *upstream.Failure that calls the document
// unreadable.
func ReadHTML(document []byte, read func(*goquery.Document) error) error {
	return withinLimits(document, maxPage, func() error {
		root, err := html.Parse(&boundedReader{
			rest:     validUTF8(document),
			deadline: time.Now().Add(parseTime),
		})
		if err != nil {
			return upstream.Fail(earshot.ReasonUnreadable, "parse page: %w", err)
		}
		return read(goquery.NewDocumentFromNode(root))
	})
}

// Trimmed is the document without its byte order mark and the space around it,
// so that it begins with what tells its kind.
func Trimmed(document []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(document, []byte("\ufeff")))
}

// IsPage tells whether the document begins as HTML does.
func IsPage(document []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(document), []byte("<")) }

// Closes tells whether a page closes what it opens. HTML can do without the tags
// at its end, but one that was cut off leaves something open.
func Closes(page []byte) bool {
	page = bytes.TrimSpace(page)
	if !bytes.HasSuffix(page, []byte(">")) || !bytes.Contains(page, []byte("</div>")) {
		return false
	}
	for _, name := range []string{"div", "script", "body"} {
		if bytes.Count(page, []byte("<"+name)) > bytes.Count(page, []byte("</"+name)) {
			return false
		}
	}
	return true
}

// validUTF8 is the document itself where it is valid, as nearly all are.
func validUTF8(document []byte) []byte {
	if utf8.Valid(document) {
		return document
	}
	return bytes.ToValidUTF8(document, []byte("\uFFFD"))
}

// ReadJSON runs read, which takes the document into memory as values, when there
// is room for that. The error is read's own, or an *upstream.Failure that calls
// the document unreadable.
func ReadJSON(document []byte, read func() error) error { return withinLimits(document, maxJSON, read) }

func withinLimits(document []byte, maxBytes int, read func() error) error {
	if len(document) > maxBytes {
		return upstream.Fail(earshot.ReasonUnreadable, "document of %d bytes is larger than %d", len(document), maxBytes)
	}
	parsing <- struct{}{}
	defer func() { <-parsing }()
	return read()
}

// boundedReader gives a document in small pieces, without the code in it, until its
// deadline passes or it has had too many tags.
type boundedReader struct {
	shown    []byte // what comes next, up to the next code
	rest     []byte // what comes after that code
	tags     int
	deadline time.Time
}

var (
	errTooSlow = errors.New("takes longer than " + parseTime.String())
	errTooMany = fmt.Errorf("has more than %d tags", maxTags)
)

func (r *boundedReader) Read(p []byte) (int, error) {
	before := len(r.shown) + len(r.rest)
	if len(r.shown) == 0 {
		r.shown, r.rest = cutCode(r.rest)
	}
	if len(r.shown) == 0 {
		return 0, io.EOF
	}
	if time.Now().After(r.deadline) {
		return 0, errTooSlow
	}
	n := copy(p, r.shown[:min(len(r.shown), readerPiece)])
	gone := before - len(r.shown) - len(r.rest) + n
	r.deadline = r.deadline.Add(max(pieceTime, pieceTime*time.Duration(gone)/readerPiece)) // small pieces are asked for, too
	r.tags += bytes.Count(r.shown[:n], []byte{tagCharacter})
	if r.tags > maxTags {
		return 0, errTooMany
	}
	r.shown = r.shown[n:]
	return n, nil
}
