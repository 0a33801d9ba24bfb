// Package rawdoc reads documents as they were served. It limits their size, parse time and nesting,
// because any document may be crafted to break a parser.
//
//	html.go    pages, and the number of documents read at a time
//	cut.go     recognises truncated pages
//	code.go    leaves scripts and styles out of a page
//	events.go  event streams
//	pieces.go  the objects of an official API's answer, streamed or whole
//	raw.go     the unparsed document, for clients and captures
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

// Limits of a document. A crafted page of a few megabytes can keep the HTML parser busy for many
// seconds and make it use hundreds of megabytes. Real pages stay far below each limit.
const (
	maxPage     = 8 << 20 // bytes
	maxJSON     = 3 << 20 // bytes of JSON or of a stream, which cost more memory than HTML
	maxTags     = 60_000  // a node uses a hundred times the memory of its tag
	readerPiece = 4 << 10 // bytes between two checks of the deadline
)

// pieceTime is added to the deadline for each piece read. A large page takes long on a slow machine,
// but a crafted page is slow because of its tags, not because of its size.
const pieceTime = time.Millisecond

// parsing is a semaphore that allows one parsed document per core. More would not be faster, and
// would let many hostile documents add up.
var parsing = make(chan struct{}, runtime.GOMAXPROCS(0))

// ReadHTML parses the document and passes it to read, which must not keep it. The error comes from
// read, or is an *upstream.Failure with the reason unreadable.
func ReadHTML(document []byte, read func(*goquery.Document) error) error {
	return withinLimits(document, maxPage, func() error {
		root, err := parseHTML(document)
		if err != nil {
			return upstream.Fail(earshot.ReasonUnreadable, "parse page: %w", err)
		}
		return read(goquery.NewDocumentFromNode(root))
	})
}

func parseHTML(document []byte) (*html.Node, error) {
	runtime.LockOSThread() // its processor time is measured
	defer runtime.UnlockOSThread()
	return html.Parse(&boundedReader{rest: validUTF8(document), deadline: threadTime() + parseTime})
}

// Trimmed returns the document without its byte order mark and surrounding white space.
func Trimmed(document []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(document, []byte("\ufeff")))
}

// IsPage reports whether the document begins like HTML.
func IsPage(document []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(document), []byte("<")) }

// validUTF8 is bytes.ToValidUTF8 without a copy of valid documents.
func validUTF8(document []byte) []byte {
	if utf8.Valid(document) {
		return document
	}
	return bytes.ToValidUTF8(document, []byte("\uFFFD"))
}

// ReadJSON checks the size of the document and calls read, which decodes it, once one of the slots
// for parsing is free. The error comes from read, or is an *upstream.Failure with the reason
// unreadable.
func ReadJSON(document []byte, read func() error) error { return withinLimits(document, maxJSON, read) }

func withinLimits(document []byte, maxBytes int, read func() error) error {
	if len(document) > maxBytes {
		return upstream.Fail(earshot.ReasonUnreadable, "document of %d bytes is larger than %d", len(document), maxBytes)
	}
	parsing <- struct{}{}
	defer func() { <-parsing }()
	return read()
}

// boundedReader returns a document in small pieces, without its code. It fails after its deadline
// or after too many tags.
type boundedReader struct {
	shown    []byte // the next bytes to return, up to the next code
	rest     []byte // the document after that code
	tags     int
	deadline time.Duration // of threadTime
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
	if threadTime() > r.deadline {
		return 0, errTooSlow
	}
	n := copy(p, r.shown[:min(len(r.shown), readerPiece)])
	consumed := before - len(r.shown) - len(r.rest) + n
	r.deadline += max(pieceTime, pieceTime*time.Duration(consumed)/readerPiece)
	r.tags += bytes.Count(r.shown[:n], []byte("<"))
	if r.tags > maxTags {
		return 0, errTooMany
	}
	r.shown = r.shown[n:]
	return n, nil
}
