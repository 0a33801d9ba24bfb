package serp

import (
	"context"
	"encoding/binary"
	"errors"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/charmap"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/upstream"
)

// Page is a document of the engine, with what is needed to read its links.
type Page struct {
	Number int // of a result page, from 1
	Body   []byte
	Links  Links
}

// Pages fetches the result pages of a query one after another and hands each to
// read, which tells how many results it found: after a page without any there
// are no more. Pages that were read are kept if that is wanted, and kept are the
// URLs at which they will be served. Errors are read's own and Fetch's.
func (e Engine) Pages(ctx context.Context, up *upstream.Session, q Query, keep bool, read func(Page) (results int, err error)) (kept []string, err error) {
	for n := 1; n <= q.Pages; n++ {
		page, err := e.fetch(ctx, up, q.Page(n), q.Locale)
		if err != nil {
			return nil, err
		}
		page.Number = n
		results := 0
		err = up.Read(ctx, func() (err error) {
			results, err = read(page)
			return err
		})
		if err != nil {
			return nil, err
		}
		if keep {
			kept = append(kept, up.Keep(page.Body))
		}
		if results == 0 {
			break
		}
	}
	return kept, nil
}

// FetchPart gets a piece of a page that the engine serves on demand, at an address
// that the page told. It may be called from several goroutines.
func (e Engine) FetchPart(ctx context.Context, up *upstream.Session, t Target, address string) (Page, error) {
	request, ok := e.PartOf(t, address, nil)
	if !ok {
		return Page{}, upstream.Fail(earshot.ReasonUnreadable, "the page names a part that is none")
	}
	return e.fetch(ctx, up, request, t.Locale)
}

// fetch gets a document and asks where its hidden links lead.
func (e Engine) fetch(ctx context.Context, up *upstream.Session, request *upstream.Request, locale geo.Locale) (Page, error) {
	response, err := up.Fetch(ctx, request)
	if err != nil {
		return Page{}, err
	}
	resolved, err := e.Resolve(ctx, up, locale, e.Hidden(response.Body))
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return Page{}, upstream.Fail(earshot.ReasonTimeout, "resolve links: %w", err)
	case err != nil:
		return Page{}, err
	}
	return Page{Body: response.Body, Links: e.NewLinks(resolved)}, nil
}

// partPath is where the engine serves pieces of pages.
const partPath = "/async/"

// PartOf is the request for a piece of a page, as Target.Part, at an address
// that the page told. ok is false when that is not one of the engine's: a page
// must not choose what else is asked.
func (e Engine) PartOf(t Target, address string, further url.Values) (request *upstream.Request, ok bool) {
	u, ok := e.absolute(address)
	if !ok || !e.isMain(u.Hostname()) || !strings.HasPrefix(u.Path, partPath) || strings.Contains(u.Path, "..") {
		return nil, false
	}
	params := u.Query()
	for name, values := range further {
		params[name] = values
	}
	return t.Part(u.Path, params), true
}

// decode is the document in UTF-8. Pages without scripts are served in encodings
// of their country too; what a page says of itself counts. Stored pages may say
// UTF-8 and hold bytes of the Western encoding, which are read as such.
func decode(document []byte) []byte {
	if utf8.Valid(document) {
		return document
	}
	encoding, name, certain := charset.DetermineEncoding(document, "")
	if certain && name != "utf-8" {
		if decoded, err := encoding.NewDecoder().Bytes(document); err == nil {
			return decoded
		}
	}
	text := make([]byte, 0, len(document)+len(document)/16)
	for len(document) > 0 {
		r, size := utf8.DecodeRune(document)
		if r != utf8.RuneError || size > 1 {
			text = append(text, document[:size]...)
		} else {
			text = utf8.AppendRune(text, charmap.Windows1252.DecodeByte(document[0]))
		}
		document = document[size:]
		plain := 0
		for plain+8 <= len(document) && binary.NativeEndian.Uint64(document[plain:])&0x8080808080808080 == 0 {
			plain += 8 // nearly all of a page is ASCII
		}
		for plain < len(document) && document[plain] < utf8.RuneSelf {
			plain++
		}
		text, document = append(text, document[:plain]...), document[plain:]
	}
	return text
}
