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

// Pictures finds the addresses of a page's images. Most addresses are in scripts, which set them by
// the id of the image when the page is shown.
type Pictures struct {
	document []byte
	later    map[string]string // id -> address; nil until first used
}

const (
	laterPictures = "google.ldi={" // begins the list of addresses of images that are loaded later
	maxLater      = 512 << 10      // bytes of that list; real ones have up to 20 KB
	maxHeld       = 64 << 10       // bytes of an image embedded in the page
)

// Of returns the web address of the first image in the node, or "".
func (p *Pictures) Of(n *html.Node) string {
	image := firstImage(n)
	if image == nil {
		return ""
	}
	return p.addressOf(image)
}

func (p *Pictures) addressOf(image *html.Node) string {
	for _, key := range []string{"src", "data-src"} {
		if address, ok := p.web(markup.Attr(image, key)); ok {
			return address
		}
	}
	address, _ := p.web(p.loadedLater()[markup.Attr(image, "id")])
	return address
}

// Icon returns the address of the icon of a site. The address is a data URI if the icon is embedded
// in the page, as most are.
func (p *Pictures) Icon(image *html.Node) string {
	source := markup.Attr(image, "src")
	if isPicture(source) && len(source) <= maxHeld && !strings.HasPrefix(source, placeholder) {
		return source
	}
	return p.addressOf(image)
}

// placeholder begins the data URI of an image that is shown until the page has loaded another one.
const placeholder = "data:image/gif"

// Held returns the first image in the node as a data URI if it is embedded in the page, or "".
func (p *Pictures) Held(n *html.Node) string {
	image := firstImage(n)
	if image == nil {
		return ""
	}
	if held := p.heldAs(markup.Attr(image, "id")); held != "" {
		return held
	}
	source := markup.Attr(image, "src")
	if len(source) > minHeld && len(source) <= maxHeld && isPicture(source) {
		return source
	}
	return ""
}

// minHeld is the length of a data URI above which an embedded image is not just a placeholder.
const minHeld = 400

func isPicture(uri string) bool { return strings.HasPrefix(uri, "data:image/") }

// firstImage returns the node itself or the first image in it, ignoring the icons of sites.
func firstImage(n *html.Node) *html.Node {
	isImage := func(n *html.Node) bool {
		return n.DataAtom == atom.Img && !strings.Contains(markup.Attr(n, "data-src"), "favicon") && !strings.Contains(markup.Attr(n, "src"), "favicon")
	}
	if isImage(n) {
		return n
	}
	return markup.Find(n, isImage)
}

// web returns a web address. Some addresses on pages omit the scheme.
func (p *Pictures) web(address string) (string, bool) {
	if strings.HasPrefix(address, "//") {
		address = "https:" + address
	}
	if !strings.HasPrefix(address, "http") {
		return "", false
	}
	return webtext.Destination(address, nil, nil)
}

// loadedLater returns the addresses of images that are loaded later, by id.
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

// heldAs returns the embedded image that a script sets for the id: var s='data:image/…';var
// ii=['id']; with any quotes and spaces.
func (p *Pictures) heldAs(id string) string {
	if id == "" {
		return ""
	}
	for _, quote := range []string{"'", `"`} {
		if at := bytes.Index(p.document, []byte("["+quote+id+quote+"]")); at >= 0 {
			return heldBefore(p.document[max(0, at-2*maxHeld):at])
		}
	}
	return ""
}

// heldBefore returns the last embedded image in a piece of a script.
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
