package serp

import (
	"context"
	"errors"
	"maps"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/charmap"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/upstream"
)

// Page is a document of the engine, with a reader for its links.
type Page struct {
	Number int // number of the result page, from 1
	Body   []byte
	Links  Links
}

// Pages fetches the result pages of a query in order and passes each to read. read returns the
// number of results on the page; Pages stops after a page without results. If keep is set, the
// pages are stored and kept has the URLs of the copies. Errors come from read or from fetching.
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

// FetchPart fetches a part of a page that the engine serves on demand, at an address found on the
// page and with additional parameters. The address must be one of the engine's: a page must not
// decide which other hosts are contacted. FetchPart is safe for concurrent use.
func (e Engine) FetchPart(ctx context.Context, up *upstream.Session, t Target, address string, further url.Values) (Page, error) {
	request, ok := e.partRequest(t, address, further)
	if !ok {
		return Page{}, upstream.Fail(earshot.ReasonUnreadable, "the page has no valid address for a part of it")
	}
	return e.fetch(ctx, up, request, t.Locale)
}

// partPath is the path below which the engine serves parts of pages.
const partPath = "/async/"

// partRequest returns the request of FetchPart. ok is false if the address is not the engine's.
func (e Engine) partRequest(t Target, address string, further url.Values) (request *upstream.Request, ok bool) {
	u, ok := e.absolute(address)
	if !ok || !e.isMain(u.Hostname()) || !strings.HasPrefix(u.Path, partPath) || strings.Contains(u.Path, "..") {
		return nil, false
	}
	params := u.Query()
	maps.Copy(params, further)
	return t.request(u.Path, params), true
}

// fetch gets a document and resolves its hidden links.
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

// decode returns the document in UTF-8. Pages without scripts can have an encoding of their country,
// which they declare. Stored pages can declare UTF-8 and contain bytes of Windows-1252.
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
	for at := 0; at < len(document); {
		r, size := utf8.DecodeRune(document[at:])
		if r == utf8.RuneError && size == 1 { // not UTF-8
			r = charmap.Windows1252.DecodeByte(document[at])
		}
		text = utf8.AppendRune(text, r)
		at += size
	}
	return text
}
