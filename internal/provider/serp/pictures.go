package serp

import (
	"bytes"
	"encoding/json"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot/internal/provider/markup"
	"earshot/internal/provider/webtext"
)

// Pictures tells the addresses of a page's pictures. Most stand in its scripts,
// which put them in their places by id when the page is shown.
type Pictures struct {
	document []byte
	later    map[string]string // id -> address; nil until it is asked for
}

// PicturesIn are the pictures of a document.
func PicturesIn(document []byte) *Pictures { return &Pictures{document: document} }

const (
	laterPictures = "google.ldi={" // addresses of pictures that are loaded late
	maxLater      = 512 << 10      // bytes of that; real ones have up to 20 KB
	maxHeld       = 64 << 10       // bytes of a picture that the page itself holds
)

// Of is the address of the first picture in the node, "" where the page holds the
// picture itself, or there is none.
func (p *Pictures) Of(n *html.Node) string {
	image := firstImage(n)
	if image == nil {
		return ""
	}
	for _, key := range []string{"src", "data-src"} {
		if address, ok := p.web(markup.Attr(image, key)); ok {
			return address
		}
	}
	address, _ := p.web(p.loadedLater()[markup.Attr(image, "id")])
	return address
}

// Held is the first picture in the node as a data URI, where the page holds it
// itself; "" where it does not.
func (p *Pictures) Held(n *html.Node) string {
	image := firstImage(n)
	if image == nil {
		return ""
	}
	id := markup.Attr(image, "id")
	if held := p.heldAs(id); held != "" {
		return held
	}
	source := markup.Attr(image, "src")
	if len(source) > minHeld && len(source) <= maxHeld && isPicture(source) {
		return source
	}
	return ""
}

// minHeld is the size above which a picture that the page holds is no empty place
// for one that comes later.
const minHeld = 400

func isPicture(uri string) bool { return strings.HasPrefix(uri, "data:image/") }

// firstImage is the node itself or the first picture in it. Icons of sites are no
// pictures.
func firstImage(n *html.Node) *html.Node {
	isImage := func(n *html.Node) bool {
		return n.DataAtom == atom.Img && !strings.Contains(markup.Attr(n, "data-src"), "favicon") && !strings.Contains(markup.Attr(n, "src"), "favicon")
	}
	if isImage(n) {
		return n
	}
	return markup.Find(n, isImage)
}

// web is an address on the web. Some leave out how to reach it.
func (p *Pictures) web(address string) (string, bool) {
	if strings.HasPrefix(address, "//") {
		address = "https:" + address
	}
	if !strings.HasPrefix(address, "http") {
		return "", false
	}
	return webtext.Destination(address, nil, nil)
}

// loadedLater reads the list of addresses, once.
func (p *Pictures) loadedLater() map[string]string {
	if p.later != nil {
		return p.later
	}
	p.later = map[string]string{}
	_, list, found := bytes.Cut(p.document, []byte(laterPictures))
	end := bytes.IndexByte(list, '}')
	if !found || end < 0 || end > maxLater {
		return p.later
	}
	if err := json.Unmarshal(append([]byte("{"), list[:end+1]...), &p.later); err != nil {
		p.later = map[string]string{}
	}
	return p.later
}

// heldAs is the picture that a script has for the place with the id:
// var s='data:image/…';var ii=['id']; with any quotes and spaces.
func (p *Pictures) heldAs(id string) string {
	if id == "" {
		return ""
	}
	for _, quote := range []string{"'", `"`} {
		at := bytes.Index(p.document, []byte("["+quote+id+quote+"]"))
		if at < 0 {
			continue
		}
		return heldBefore(p.document[max(0, at-2*maxHeld):at])
	}
	return ""
}

// heldBefore is the last picture in a piece of a script.
func heldBefore(script []byte) string {
	start := bytes.LastIndex(script, []byte("data:image"))
	if start < 1 {
		return ""
	}
	literal, _, ok := quoted(script[start-1:])
	if !ok || len(literal) > maxHeld {
		return ""
	}
	if held := unescape(literal); isPicture(held) {
		return held
	}
	return ""
}
